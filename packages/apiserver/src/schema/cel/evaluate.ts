import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr } from "./ast.ts";
import { callCost, listCost, mapCost } from "./call-cost.ts";
import { type Checked, isTypeName } from "./check.ts";
import { conversions } from "./conversion.ts";
import { type CelFunction, noOverload } from "./function.ts";
import { kubernetesFunctions } from "./kubernetes-function.ts";
import { listFunctions } from "./list-function.ts";
import { operators } from "./operator.ts";
import { textFunctions } from "./text-function.ts";
import {
  CelError,
  Collecting,
  CostExceeded,
  Dictionary,
  entriesOf,
  List,
  measured,
  Optional,
  Struct,
  TypeValue,
  type Value,
} from "./value.ts";

/** What one evaluation has and may still spend. */
export interface Spending {
  cost: number;
  readonly limit: number;
}

interface Scope {
  readonly parent: Scope | undefined;
  readonly name: string;
  /** Of what a loop collects it may be a failure: `all` and `exists` may still find what decides. */
  value: Failure | Value;
}

interface Run {
  readonly variables: (name: string) => Value | undefined;
  readonly spending: Spending;
}

/** An expression made ready: evaluates it in a scope. */
type Step = (run: Run, scope: Scope | undefined) => Value;

const functions: ReadonlyMap<string, CelFunction> = new Map(
  Object.entries({ ...operators, ...conversions, ...textFunctions, ...listFunctions, ...kubernetesFunctions }),
);

function spend({ spending }: Run, cost: number): void {
  spending.cost += cost;
  if (spending.cost > spending.limit) throw new CostExceeded();
}

/** A checked expression as a function of its variables. @throws CelError when the evaluation fails */
export function plan(
  expr: Expr,
  checked: Checked,
): (variables: (name: string) => Value | undefined, spending: Spending) => Value {
  const step = new Planner(checked).plan(expr);
  return (variables, spending) => measured(() => step({ variables, spending }, undefined));
}

class Planner {
  readonly #checked: Checked;

  constructor(checked: Checked) {
    this.#checked = checked;
  }

  plan(expr: Expr): Step {
    switch (expr.kind) {
      case "literal": {
        const { value } = expr;
        return () => value;
      }
      case "ident":
        return this.#ident(expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        throw new CelError(`Cannot evaluate ${expr.name}{}: no such type`);
      case "fold":
        return this.#fold(expr);
    }
  }

  #ident(name: string): Step {
    return (run, scope) => {
      spend(run, 1);
      for (let at = scope; at !== undefined; at = at.parent) if (at.name === name) return reveal(at.value);
      const value = run.variables(name);
      if (value !== undefined) return value;
      if (isTypeName(name)) return new TypeValue(name);
      throw new CelError(`no such attribute(s): ${name}`);
    };
  }

  #select(expr: SelectExpr): Step {
    const name = typeIdentifier(expr);
    if (name !== undefined) return () => new TypeValue(name);
    const operand = this.plan(expr.operand);
    const { field, test } = expr;
    return (run, scope) => {
      const value = operand(run, scope);
      if (test) return isPresent(value, field);
      spend(run, 1);
      return fieldOf(value, field);
    };
  }

  #call(call: CallExpr): Step {
    const name = this.#checked.qualifiedName(call) ?? call.name;
    const target = call.target !== undefined && name === call.name ? [call.target] : [];
    const args = [...target, ...call.args].map((arg) => this.plan(arg));
    const [first, second, third] = args;
    if (first !== undefined && second !== undefined) {
      if (name === "_&&_" || name === "_||_") return logical(first, second, name === "_||_");
      if (name === "_?_:_" && third !== undefined) return conditional(first, second, third);
      if (name === "_?._") return optionalSelect(first, second);
      if (name === "or" || name === "orValue") return alternative(first, second, name === "or");
    }
    if (name === "@not_strictly_false" && first !== undefined) return notStrictlyFalse(first);
    const work = functions.get(name);
    if (work === undefined) throw new CelError(`no such overload: ${name}`);
    return (run, scope) => {
      const values = args.map((arg) => arg(run, scope));
      const result = work(values);
      spend(run, callCost(name, values, result));
      return result;
    };
  }

  #list({ elements, optional }: ListExpr): Step {
    const steps = elements.map((element) => this.plan(element));
    return (run, scope) => {
      spend(run, listCost);
      const items: Value[] = [];
      for (const [index, step] of steps.entries()) {
        const value = step(run, scope);
        if (!optional.has(index)) items.push(value);
        else if (!(value instanceof Optional)) throw noOverload();
        else if (value.value !== undefined) items.push(value.value);
      }
      return List.of(items);
    };
  }

  #map({ entries }: MapExpr): Step {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    return (run, scope) => {
      spend(run, mapCost);
      const found: (readonly [Value, Value])[] = [];
      for (const { key, value, optional } of steps) {
        const name = key(run, scope);
        const each = value(run, scope);
        if (!optional) found.push([name, each]);
        else if (!(each instanceof Optional)) throw noOverload();
        else if (each.value !== undefined) found.push([name, each.value]);
      }
      return new Dictionary(found);
    };
  }

  #fold(fold: FoldExpr): Step {
    const range = this.plan(fold.range);
    const init = this.plan(fold.init);
    const condition = this.plan(fold.condition);
    const step = this.plan(fold.step);
    const result = this.plan(fold.result);
    const collects = fold.init.kind === "list" && fold.iterVar !== "#unused";
    return (run, outer) => {
      const iterated = range(run, outer);
      const start = init(run, outer);
      const accu: Scope = { parent: outer, name: fold.accuVar, value: collects ? new Collecting() : start };
      for (const [first, second] of iterations(iterated, fold.iterVar2 !== undefined)) {
        let scope: Scope = { parent: accu, name: fold.iterVar, value: first };
        if (fold.iterVar2 !== undefined) scope = { parent: scope, name: fold.iterVar2, value: second };
        if (condition(run, scope) !== true) break;
        accu.value = remembered(() => step(run, scope));
      }
      if (accu.value instanceof Collecting) accu.value = List.of(accu.value.items);
      return result(run, accu);
    };
  }
}

/** An error that does not count when something else decides. */
class Failure {
  readonly error: CelError;

  constructor(error: CelError) {
    this.error = error;
  }
}

function remembered(work: () => Value): Failure | Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof CelError && !(error instanceof CostExceeded)) return new Failure(error);
    throw error;
  }
}

function reveal(value: Failure | Value): Value {
  if (value instanceof Failure) throw value.error;
  return value;
}

function iterations(range: Value, pairs: boolean): readonly (readonly [Value, Value])[] {
  if (range instanceof List) return range.items.map((item, index) => (pairs ? [BigInt(index), item] : [item, null]));
  if (range instanceof Dictionary || range instanceof Struct) return entriesOf(range);
  throw noOverload();
}

/** `google.protobuf.Timestamp` as it stands in an expression. */
function typeIdentifier(expr: Expr): string | undefined {
  const path: string[] = [];
  let at = expr;
  while (at.kind === "select" && !at.test) {
    path.unshift(at.field);
    at = at.operand;
  }
  const name = at.kind === "ident" ? [at.name, ...path].join(".") : "";
  return name.includes(".") && isTypeName(name) ? name : undefined;
}

/** What can have no fields, null too, has none. */
function findField(value: Value, field: string): Value | undefined {
  if (value instanceof Struct || value instanceof Dictionary) return value.find(field);
  if (value instanceof List) throw new CelError("unsupported index type 'string' in list");
  return undefined;
}

function isPresent(value: Value, field: string): boolean {
  if (value instanceof Optional) return value.value !== undefined && findField(value.value, field) !== undefined;
  return findField(value, field) !== undefined;
}

function fieldOf(value: Value, field: string): Value {
  if (value instanceof Optional) {
    const inner = value.value === undefined ? undefined : findField(value.value, field);
    return inner === undefined ? Optional.none : new Optional(inner);
  }
  const found = findField(value, field);
  if (found === undefined) throw new CelError(`no such key: ${field}`);
  return found;
}

function optionalSelect(operand: Step, field: Step): Step {
  return (run, scope) => {
    const value = operand(run, scope);
    const name = String(field(run, scope));
    spend(run, 1);
    const inner = value instanceof Optional ? value.value : value;
    const found = inner === undefined ? undefined : findField(inner, name);
    return found === undefined ? Optional.none : new Optional(found);
  };
}

/** One side that decides makes the other's failure not matter. */
function logical(left: Step, right: Step, decides: boolean): Step {
  return (run, scope) => {
    const first = remembered(() => left(run, scope));
    if (first === decides) return decides;
    const second = remembered(() => right(run, scope));
    if (second === decides) return decides;
    reveal(first);
    reveal(second);
    if (typeof first !== "boolean" || typeof second !== "boolean") throw noOverload();
    return !decides;
  };
}

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (run, scope) => {
    const held = condition(run, scope);
    if (typeof held !== "boolean") throw noOverload();
    return held ? yes(run, scope) : no(run, scope);
  };
}

function alternative(optional: Step, other: Step, keepsOptional: boolean): Step {
  return (run, scope) => {
    const value = optional(run, scope);
    if (!(value instanceof Optional)) throw noOverload();
    spend(run, 1);
    if (value.value === undefined) return other(run, scope);
    return keepsOptional ? value : value.value;
  };
}

function notStrictlyFalse(operand: Step): Step {
  return (run, scope) => {
    const value = remembered(() => operand(run, scope));
    return value !== false;
  };
}
