import type { Uint } from "./value.ts";

/** What a literal stands for. */
export type Literal = bigint | boolean | null | number | string | Uint | Uint8Array;

/**
 * An expression; `at` is the offset in the source that errors point to: an operator, a dot or a bracket, else the first
 * character.
 */
export type Expr =
  | { readonly kind: "literal"; readonly at: number; readonly value: Literal }
  | { readonly kind: "ident"; readonly at: number; readonly name: string }
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | { readonly kind: "struct"; readonly at: number; readonly name: string; readonly fields: readonly Expr[] }
  | FoldExpr;

export interface SelectExpr {
  readonly kind: "select";
  readonly at: number;
  readonly operand: Expr;
  readonly field: string;
  /** `has(a.b)`: whether it is there, not what it is. */
  readonly test: boolean;
}

export interface CallExpr {
  readonly kind: "call";
  readonly at: number;
  /** Operators have names as in cel-go: `_+_`, `_[_]`, `@in`. */
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr {
  readonly kind: "list";
  readonly at: number;
  readonly elements: readonly Expr[];
  /** The indices of `?elements`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapExpr {
  readonly kind: "map";
  readonly at: number;
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[];
}

/** A loop that a macro was expanded to. */
export interface FoldExpr {
  readonly kind: "fold";
  readonly at: number;
  readonly iterVar: string;
  /** With two, the first is an index or key. */
  readonly iterVar2: string | undefined;
  readonly range: Expr;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Every part of an expression, itself first. */
export function* partsOf(expr: Expr): Generator<Expr> {
  yield expr;
  switch (expr.kind) {
    case "select":
      yield* partsOf(expr.operand);
      break;
    case "call":
      if (expr.target !== undefined) yield* partsOf(expr.target);
      for (const arg of expr.args) yield* partsOf(arg);
      break;
    case "list":
      for (const element of expr.elements) yield* partsOf(element);
      break;
    case "map":
      for (const { key, value } of expr.entries) yield* [...partsOf(key), ...partsOf(value)];
      break;
    case "fold":
      for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) yield* partsOf(part);
      break;
    default:
      break;
  }
}

/** A mistake in an expression, and where. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Issues as cel-go prints them, in the order of the text, each with its line and a caret. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  return [...issues]
    .sort((a, b) => a.at - b.at)
    .map(({ at, message }) => {
      const before = source.slice(0, at).split("\n");
      const column = [...(before.at(-1) ?? "")].length;
      const line = source.split("\n")[before.length - 1] ?? "";
      return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${".".repeat(column)}^`;
    })
    .join("\n");
}
