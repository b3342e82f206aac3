import type { CallExpr, Expr, FoldExpr, Issue, ListExpr, Literal, MapExpr, SelectExpr } from "./ast.ts";
import {
  bool,
  type CelType,
  dyn,
  error,
  formatType,
  int,
  isExactly,
  isOptional,
  listType,
  mapType,
  optionalType,
  readType,
  typeParam,
} from "./cel-type.ts";
import { type Overload, overloadsOf } from "./overload.ts";
import { areAssignable, isAssignable, isDynOrError, mostGeneral, type Substitutions, substitute } from "./unify.ts";
import { Uint } from "./value.ts";

/** What a checker found of an expression. */
export interface Checked {
  readonly issues: readonly Issue[];
  typeOf(expr: Expr): CelType;
  /** The overloads that a call may turn out to be. */
  overloadsOf(call: CallExpr): readonly Overload[];
  /**
   * The function that a call with a receiver is of by its whole name: `sets.contains`; undefined for a call of a
   * method.
   */
  qualifiedName(call: CallExpr): string | undefined;
  /** The variables, not those of loops, that the expression reads. */
  readonly variables: ReadonlySet<string>;
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ...["bool", "bytes", "double", "int", "list", "map", "string", "uint", "dyn", "type"].map(
    (name) => [name, name] as const,
  ),
  ["null_type", "null"],
  ["google.protobuf.Timestamp", "timestamp"],
  ["google.protobuf.Duration", "duration"],
  ["net.IP", "ip"],
  ["net.CIDR", "cidr"],
  ["kubernetes.URL", "url"],
  ["kubernetes.Quantity", "quantity"],
  ["kubernetes.Semver", "semver"],
]);

/** Whether an identifier names a type: `int`, `google.protobuf.Timestamp`. */
export function isTypeName(name: string): boolean {
  return typeNames.has(name);
}

/** Finds the type of each part of an expression, and what does not fit, as cel-go's checker does. */
export function check(expr: Expr, variables: ReadonlyMap<string, CelType>): Checked {
  const checker = new Checker(variables);
  checker.check(expr);
  return checker;
}

/** `a.b.c` of selections of names; undefined for anything else. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

class Checker implements Checked {
  readonly issues: Issue[] = [];
  readonly variables = new Set<string>();
  readonly #types = new Map<Expr, CelType>();
  readonly #overloads = new Map<Expr, readonly Overload[]>();
  readonly #qualified = new Map<Expr, string>();
  readonly #scope: Map<string, CelType>[];
  #bound: Substitutions = new Map();
  #free = 0;

  constructor(variables: ReadonlyMap<string, CelType>) {
    this.#scope = [new Map(variables)];
  }

  typeOf(expr: Expr): CelType {
    return substitute(this.#bound, this.#types.get(expr) ?? dyn, "dyn");
  }

  overloadsOf(call: CallExpr): readonly Overload[] {
    return this.#overloads.get(call) ?? [];
  }

  qualifiedName(call: CallExpr): string | undefined {
    return this.#qualified.get(call);
  }

  check(expr: Expr): CelType {
    const type = this.#check(expr);
    this.#types.set(expr, type);
    return type;
  }

  #check(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident":
        return this.#identifier(expr.name) ?? this.#undeclared(expr.at, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#undeclared(expr.at, expr.name);
      case "fold":
        return this.#fold(expr);
    }
  }

  #issue(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  #undeclared(at: number, name: string): CelType {
    this.#issue(at, `undeclared reference to '${name}' (in container '')`);
    return error;
  }

  #mismatch(at: number, expected: CelType, found: CelType): void {
    this.#issue(at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #identifier(name: string): CelType | undefined {
    for (const [depth, names] of [...this.#scope.entries()].reverse()) {
      const type = names.get(name);
      if (type === undefined) continue;
      if (depth === 0) this.variables.add(name);
      return type;
    }
    const named = typeNames.get(name);
    return named === undefined ? undefined : { kind: "type", name: "type", params: [readType(named)] };
  }

  #assign(a: CelType, b: CelType): boolean {
    const bound = new Map(this.#bound);
    if (!isAssignable(bound, a, b)) return false;
    this.#bound = bound;
    return true;
  }

  #fresh(): CelType {
    this.#free += 1;
    return typeParam(`_var${this.#free - 1}`);
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    const type = name === undefined ? undefined : this.#identifier(name);
    if (type !== undefined) return type;
    const field = this.#field(expr.at, expr.operand, expr.field, false);
    return expr.test ? bool : substitute(this.#bound, field);
  }

  #field(at: number, operand: Expr, field: string, optional: boolean): CelType {
    const type = substitute(this.#bound, this.check(operand));
    const wasOptional = isOptional(type);
    const target = wasOptional ? (type.params[0] ?? dyn) : type;
    const found = this.#fieldOf(at, target, field);
    return wasOptional || optional ? optionalType(found) : found;
  }

  #fieldOf(at: number, target: CelType, field: string): CelType {
    if (target.kind === "map") return target.params[1] ?? dyn;
    if (target.kind === "struct") {
      const type = target.fields?.get(field);
      if (type !== undefined) return type;
      this.#issue(at, `undefined field '${field}'`);
      return error;
    }
    if (target.kind === "param") this.#assign(dyn, target);
    else if (!isDynOrError(target)) this.#issue(at, `type '${formatType(target)}' does not support field selection`);
    return dyn;
  }

  #call(call: CallExpr): CelType {
    const { name, args, target, at } = call;
    if (name === "_?._") {
      const [operand, field] = args;
      if (operand === undefined || field?.kind !== "literal") return error;
      this.#types.set(field, literalType(field.value));
      return substitute(this.#bound, this.#field(at, operand, String(field.value), true));
    }
    for (const arg of args) this.check(arg);
    if (target === undefined) {
      return overloadsOf(name) === undefined ? this.#undeclared(at, name) : this.#resolve(call, name, args, false);
    }
    const prefix = qualifiedName(target);
    const whole = `${prefix}.${name}`;
    if (
      prefix !== undefined &&
      this.#identifier(prefix.split(".")[0] ?? "") === undefined &&
      overloadsOf(whole) !== undefined
    ) {
      this.#qualified.set(call, whole);
      return this.#resolve(call, whole, args, false);
    }
    this.check(target);
    if (overloadsOf(name) === undefined) return this.#undeclared(at, name);
    return this.#resolve(call, name, [target, ...args], true);
  }

  #resolve(call: CallExpr, name: string, args: readonly Expr[], member: boolean): CelType {
    const types = args.map((arg) => this.#types.get(arg) ?? dyn);
    if (name === "_&&_" || name === "_||_") return this.#logical(call, name, args, types);
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloadsOf(name) ?? []) {
      if (overload.member !== member) continue;
      const { args: wanted, result: given } = this.#instance(overload);
      const bound = new Map(this.#bound);
      if (!areAssignable(bound, types, wanted)) continue;
      this.#bound = bound;
      found.push(overload);
      const type = substitute(bound, given);
      if (result === undefined) result = type;
      else if (result.kind !== "dyn" && !isExactly(type, result)) result = dyn;
    }
    if (result === undefined) {
      const shown = types.map((type) => formatType(substitute(this.#bound, type, "dyn")));
      const signature = member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
      this.#issue(call.at, `found no matching overload for '${name}' applied to '${signature}'`);
      return error;
    }
    this.#overloads.set(call, found);
    return result;
  }

  #logical(call: CallExpr, name: string, args: readonly Expr[], types: readonly CelType[]): CelType {
    let fits = true;
    for (const [index, type] of types.entries()) {
      if (this.#assign(type, bool)) continue;
      this.#mismatch((args[index] ?? call).at, bool, substitute(this.#bound, type));
      fits = false;
    }
    this.#overloads.set(call, overloadsOf(name) ?? []);
    return fits ? bool : error;
  }

  /** The overload with parameters of its own. */
  #instance({ args, result, isGeneric }: Overload): { readonly args: readonly CelType[]; readonly result: CelType } {
    if (!isGeneric) return { args, result };
    const fresh: Substitutions = new Map();
    const rename = (type: CelType): CelType => {
      if (type.kind !== "param") return { ...type, params: type.params.map(rename) };
      const known = fresh.get(type.name) ?? this.#fresh();
      fresh.set(type.name, known);
      return known;
    };
    return { args: args.map(rename), result: rename(result) };
  }

  #element(expr: Expr, optional: boolean): CelType {
    const type = this.check(expr);
    if (!optional || type.kind === "dyn") return type;
    if (isOptional(type)) return type.params[0] ?? dyn;
    this.#mismatch(expr.at, optionalType(type), type);
    return type;
  }

  /** Whether mixed literals are refused is looked at once all types are known. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    return this.#assign(before, type) ? mostGeneral(before, type) : dyn;
  }

  #list({ elements, optional }: ListExpr): CelType {
    let item: CelType | undefined;
    for (const [index, element] of elements.entries()) {
      item = this.#join(item, this.#element(element, optional.has(index)));
    }
    return listType(item ?? this.#fresh());
  }

  #map({ entries }: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of entries) {
      key = this.#join(key, this.check(entry.key));
      value = this.#join(value, this.#element(entry.value, entry.optional));
    }
    return mapType(key ?? this.#fresh(), value ?? this.#fresh());
  }

  #fold(fold: FoldExpr): CelType {
    const range = substitute(this.#bound, this.check(fold.range));
    const accu = this.check(fold.init);
    this.#scope.push(new Map([[fold.accuVar, accu]]));
    const [first, second] = this.#iterated(fold, range);
    this.#scope.push(
      new Map([[fold.iterVar, first], ...(fold.iterVar2 === undefined ? [] : [[fold.iterVar2, second] as const])]),
    );
    this.check(fold.condition);
    const step = this.check(fold.step);
    if (!this.#assign(accu, step))
      this.#mismatch(fold.step.at, substitute(this.#bound, accu), substitute(this.#bound, step));
    this.#scope.pop();
    const result = this.check(fold.result);
    this.#scope.pop();
    return substitute(this.#bound, result);
  }

  /** The types of a loop's variables. */
  #iterated(fold: FoldExpr, range: CelType): readonly [CelType, CelType] {
    const [first = dyn, second = dyn] = range.params;
    switch (range.kind) {
      case "list":
        return fold.iterVar2 === undefined ? [first, dyn] : [int, first];
      case "map":
        return [first, second];
      case "dyn":
      case "error":
      case "param":
        this.#assign(dyn, range);
        return [dyn, dyn];
      default:
        this.#issue(
          fold.range.at,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [error, error];
    }
  }
}

function literalType(value: Literal): CelType {
  if (value === null) return readType("null");
  if (value instanceof Uint) return readType("uint");
  if (value instanceof Uint8Array) return readType("bytes");
  switch (typeof value) {
    case "bigint":
      return int;
    case "number":
      return readType("double");
    case "boolean":
      return bool;
    default:
      return readType("string");
  }
}
