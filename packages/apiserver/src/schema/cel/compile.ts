import { type Expr, formatIssues, partsOf } from "./ast.ts";
import type { CelType } from "./cel-type.ts";
import { type Checked, check } from "./check.ts";
import { estimateCost } from "./cost.ts";
import { plan, type Spending } from "./evaluate.ts";
import { validateLiterals } from "./literal-check.ts";
import { parse } from "./parse.ts";
import { CelError, type Value } from "./value.ts";

/** An expression that may be evaluated. */
export interface Program {
  readonly type: CelType;
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>;
  /**
   * @throws CelError when the evaluation fails: `no such key: a`, `division by zero`; its subclass CostExceeded when it
   * went on for too long
   */
  evaluate(variables: (name: string) => Value | undefined, spending: Spending): Value;
  /** The most that an evaluation can cost, where `self` is of this type. */
  maxCost(self: CelType): number;
}

/**
 * A program, the mistakes of the expression as cel-go prints them, or what fails of it whatever the variables are:
 * conversions of constants are done beforehand.
 */
export type Compilation = { readonly program: Program } | { readonly issues: string } | { readonly failure: string };

/** Parses and checks an expression over these variables. */
export function compile(source: string, variables: ReadonlyMap<string, CelType>): Compilation {
  const parsed = parse(source);
  if ("issues" in parsed) return { issues: formatIssues(source, parsed.issues) };
  const { expr } = parsed;
  const checked = check(expr, variables);
  const issues = checked.issues.length > 0 ? checked.issues : validateLiterals(expr, checked);
  if (issues.length > 0) return { issues: formatIssues(source, issues) };
  const failure = failingConstant(expr, checked);
  return failure === undefined ? { program: programOf(expr, checked) } : { failure };
}

const conversions: ReadonlySet<string> = new Set(
  "bool bytes double dyn duration int string timestamp type uint".split(" "),
);

function failingConstant(whole: Expr, checked: Checked): string | undefined {
  for (const expr of partsOf(whole)) {
    if (expr.kind !== "call" || expr.target !== undefined || !conversions.has(expr.name)) continue;
    if (expr.args[0]?.kind !== "literal") continue;
    try {
      plan(expr, checked)(() => undefined, { cost: 0, limit: Number.POSITIVE_INFINITY });
    } catch (error) {
      if (error instanceof CelError) return error.message;
      throw error;
    }
  }
  return undefined;
}

function programOf(expr: Expr, checked: Checked): Program {
  let run: ReturnType<typeof plan> | undefined;
  return {
    type: checked.typeOf(expr),
    variables: checked.variables,
    evaluate(variables, spending): Value {
      try {
        run ??= plan(expr, checked);
        return run(variables, spending);
      } catch (error) {
        // A value may be nested more deeply than the stack allows.
        if (error instanceof RangeError)
          throw new CelError("operation cancelled: value is nested too deeply", { cause: error });
        throw error;
      }
    },
    maxCost: (self) => estimateCost(expr, checked, self).max,
  };
}
