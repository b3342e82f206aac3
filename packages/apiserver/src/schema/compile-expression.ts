import { readType } from "./cel/cel-type.ts";
import { type Compilation, compile } from "./cel/compile.ts";
import { plainValue } from "./cel/schema-value.ts";
import { CelError, CostExceeded, type Value } from "./cel/value.ts";

/** What one evaluation gave, or how it failed. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

/** An expression of admission: of a policy, a webhook's matchConditions. */
export interface Expression {
  /** `bool`, `string`, `dyn` …: what it was found to give. */
  readonly type: string;
  /** Evaluates it over plain JSON, within the costs that the real server allows one expression. */
  evaluate(variables: Readonly<Record<string, unknown>>): Outcome;
}

const costLimit = 1_000_000;

/**
 * Compiles an expression whose variables are plain JSON: `{ object: "dyn", request: "dyn", params: "dyn" }`, in CEL's notation of
 * types.
 *
 * @returns the expression, or what is wrong with it in the words of cel-go
 */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, string>>,
): { readonly expression: Expression } | { readonly error: string } {
  const types = new Map(Object.entries(variables).map(([name, type]) => [name, readType(type)] as const));
  const compiled: Compilation = compile(text, types);
  if ("issues" in compiled) return { error: `compilation failed: ${compiled.issues}` };
  const { program } = compiled;
  return {
    expression: {
      type: program.type.name,
      evaluate(values): Outcome {
        try {
          const known = new Map<string, Value>();
          for (const [name, value] of Object.entries(values)) known.set(name, plainValue(value));
          return { value: jsonOf(program.evaluate((name) => known.get(name), { cost: 0, limit: costLimit })) };
        } catch (error) {
          if (error instanceof CostExceeded || error instanceof CelError) return { error: error.message };
          throw error;
        }
      },
    },
  };
}

/** A result in plain terms: ints become numbers; what JSON has no form for stays out. */
function jsonOf(value: Value): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
