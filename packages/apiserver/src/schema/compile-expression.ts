import { type CelType, formatType, readType } from "./cel/cel-type.ts";
import { type Compilation, compile } from "./cel/compile.ts";
import { plainValue } from "./cel/schema-value.ts";
import { CelError, CostExceeded, Dictionary, type Value } from "./cel/value.ts";

/** What one evaluation gave, or how it failed. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

/** An expression of admission: of a policy, a webhook's matchConditions. */
export interface Expression {
  /** `bool`, `string`, `dyn` …: what it was found to give. */
  readonly type: string;
  /**
   * Evaluates it over plain JSON and ComposedVariables, within the costs that the real server allows one expression.
   */
  evaluate(variables: Readonly<Record<string, unknown>>): Outcome;
}

const costLimit = 1_000_000;

/**
 * A type in CEL's notation, `dyn`, `map(string, int)`; what an expression gives; or an object with these fields and no
 * others.
 */
export type VariableType = string | Expression | FieldTypes;

export interface FieldTypes {
  readonly [field: string]: VariableType;
}

/**
 * Compiles an expression over these variables: `{ object: "dyn", request: "dyn", params: "dyn" }`.
 *
 * @returns the expression, or what is wrong with it in the words of cel-go
 */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, VariableType>>,
): { readonly expression: Expression } | { readonly error: string } {
  const types = new Map(Object.entries(variables).map(([name, type]) => [name, typeOf(type)] as const));
  const compiled: Compilation = compile(text, types);
  if ("issues" in compiled) return { error: `compilation failed: ${compiled.issues}` };
  if ("failure" in compiled) return { error: `program instantiation failed: ${compiled.failure}` };
  const { program } = compiled;
  const run = (values: Readonly<Record<string, unknown>>): Value => {
    const known = new Map<string, Value>();
    for (const [name, value] of Object.entries(values)) {
      known.set(name, value instanceof Dictionary ? value : plainValue(value));
    }
    return program.evaluate((name) => known.get(name), { cost: 0, limit: costLimit });
  };
  const expression: Expression = {
    type: formatType(program.type),
    evaluate(values): Outcome {
      try {
        return { value: jsonOf(run(values)) };
      } catch (error) {
        if (error instanceof CostExceeded || error instanceof CelError) return { error: error.message };
        throw error;
      }
    },
  };
  programs.set(expression, { type: program.type, run });
  return { expression };
}

interface TypedProgram {
  readonly type: CelType;
  /** Gives what `Outcome` has no form for too: lists, timestamps. @throws CelError */
  run(values: Readonly<Record<string, unknown>>): Value;
}

const programs = new WeakMap<Expression, TypedProgram>();

function typeOf(type: VariableType): CelType {
  if (typeof type === "string") return readType(type);
  const known = programs.get(type as Expression)?.type;
  if (known !== undefined) return known;
  const fields = Object.entries(type as FieldTypes).map(([name, one]) => [name, typeOf(one)] as const);
  return { kind: "struct", name: "object", params: [], fields: new Map(fields) };
}

/** What an expression reads as `variables`: the value of one that is an expression itself. */
export interface ComposedVariables {
  readonly size: number;
}

/**
 * Variables that are expressions, each over `values` and those before it. One is worked out when it is first read, and
 * once; its failure is the failure of whatever reads it.
 */
export function composeVariables(
  variables: readonly { readonly name: string; readonly expression: Expression }[],
  values: Readonly<Record<string, unknown>>,
): ComposedVariables {
  const composed: Composition = new Composition((name) => {
    const variable = variables.find((one) => one.name === name);
    const program = variable === undefined ? undefined : programs.get(variable.expression);
    try {
      return program?.run({ ...values, variables: composed });
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`);
    }
  });
  return composed;
}

class Composition extends Dictionary {
  readonly #evaluate: (name: string) => Value | undefined;
  readonly #known = new Map<string, Value>();

  constructor(evaluate: (name: string) => Value | undefined) {
    super([]);
    this.#evaluate = evaluate;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#evaluate(key);
    if (value !== undefined) this.#known.set(key, value);
    return value;
  }
}

/** A result in plain terms: ints become numbers; what JSON has no form for stays out. */
function jsonOf(value: Value): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
