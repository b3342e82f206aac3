import { parseGoDuration } from "../go-duration.ts";
import { compileRegexp } from "../regular-expression.ts";
import type { Expr, Issue, ListExpr, MapExpr } from "./ast.ts";
import { type CelType, formatType, isExactly } from "./cel-type.ts";
import type { Checked } from "./check.ts";
import { parseTimestamp } from "./conversion.ts";

/** Texts of a checked expression that can be nothing but wrong: a pattern that is none, a time that is none. */
export function validateLiterals(expr: Expr, checked: Checked): readonly Issue[] {
  const issues: Issue[] = [];
  visit(expr, false, (node, exempt) => {
    if ((node.kind === "list" || node.kind === "map") && !exempt) issues.push(...mixed(node, checked));
    if (node.kind !== "call") return;
    const call = node;
    const name = checked.qualifiedName(call) ?? call.name;
    const literal = name === "matches" ? call.args.at(-1) : call.args[0];
    if (literal?.kind !== "literal" || typeof literal.value !== "string") return;
    const message = complaint(name, literal.value);
    if (message !== undefined) issues.push({ at: literal.at, message });
  });
  return issues;
}

function complaint(name: string, text: string): string | undefined {
  switch (name) {
    case "matches": {
      const compiled = compileRegexp(text);
      return "error" in compiled ? "invalid matches argument" : undefined;
    }
    case "duration":
      return parseGoDuration(text) === undefined ? "invalid duration argument" : undefined;
    case "timestamp":
      return parseTimestamp(text) === undefined ? "invalid timestamp argument" : undefined;
    default:
      return undefined;
  }
}

/** The first element, key or value of a literal whose type is another than that of the one before. */
function mixed(node: ListExpr | MapExpr, checked: Checked): readonly Issue[] {
  const groups =
    node.kind === "list"
      ? [node.elements.map((expr, index) => ({ expr, optional: node.optional.has(index) }))]
      : [
          node.entries.map(({ key }) => ({ expr: key, optional: false })),
          node.entries.map(({ value, optional }) => ({ expr: value, optional })),
        ];
  for (const group of groups) {
    let first: CelType | undefined;
    for (const { expr, optional } of group) {
      const whole = checked.typeOf(expr);
      const type = optional ? (whole.params[0] ?? whole) : whole;
      first ??= type;
      if (isExactly(first, type)) continue;
      return [{ at: expr.at, message: `expected type '${formatType(first)}' but found '${formatType(type)}'` }];
    }
  }
  return [];
}

/** Visits every part of an expression; what `format` is called with may be mixed. */
function visit(expr: Expr, exempt: boolean, found: (node: Expr, exempt: boolean) => void): void {
  found(expr, exempt);
  switch (expr.kind) {
    case "select":
      visit(expr.operand, exempt, found);
      return;
    case "call": {
      const inner = exempt || expr.name === "format";
      if (expr.target !== undefined) visit(expr.target, inner, found);
      for (const arg of expr.args) visit(arg, inner, found);
      return;
    }
    case "list":
      for (const element of expr.elements) visit(element, exempt, found);
      return;
    case "map":
      for (const { key, value } of expr.entries) {
        visit(key, exempt, found);
        visit(value, exempt, found);
      }
      return;
    case "fold":
      for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) visit(part, exempt, found);
      return;
    default:
      return;
  }
}
