import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr } from "./ast.ts";
import { listCost, mapCost, regexpFactor, traversal } from "./call-cost.ts";
import { type CelType, isExactly } from "./cel-type.ts";
import type { Checked } from "./check.ts";
import {
  add,
  anything,
  capped,
  factor,
  fixed,
  inverted,
  one,
  type Range,
  replacedSize,
  times,
  unbounded,
  union,
  zero,
} from "./cost-range.ts";
import { accumulator } from "./macro.ts";

/** The sizes of a list's items, or of a map's keys and values, where the expression tells them. */
interface Entries {
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

/**
 * What evaluating a checked expression costs at most, as cel-go estimates it with the estimates of k8s.io/apiserver:
 * the server refuses rules by it. `root` is the type of the variable `self`, whose schema bounds the sizes.
 */
export function estimateCost(expr: Expr, checked: Checked, root: CelType): Range {
  return new Coster(checked, root).cost(expr);
}

class Coster {
  readonly #checked: Checked;
  readonly #root: CelType;
  readonly #locals = new Map<string, Local[]>();
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, Entries>();

  constructor(checked: Checked, root: CelType) {
    this.#checked = checked;
    this.#root = root;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
      case "struct":
        return zero;
      case "ident":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return one;
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "fold":
        return this.#fold(expr);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #pop(name: string): void {
    this.#locals.set(name, this.#locals.get(name)?.slice(0, -1) ?? []);
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #select(expr: SelectExpr): Range {
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    this.#paths.set(expr, [...this.#pathOf(expr.operand), expr.field]);
    const { kind } = this.#checked.typeOf(expr.operand);
    return kind === "map" || kind === "struct" || kind === "param" ? add(operand, one) : operand;
  }

  #list(expr: ListExpr): Range {
    const costs = expr.elements.map((element) => this.cost(element)).reduce(add, zero);
    const value = expr.elements
      .map((element) => this.sizeOf(element))
      .reduce(union, expr.elements.length === 0 ? zero : inverted);
    this.#entries.set(expr, { key: one, value });
    return add(costs, fixed(listCost));
  }

  #map(expr: MapExpr): Range {
    const costs = expr.entries.map(({ key, value }) => add(this.cost(key), this.cost(value))).reduce(add, zero);
    const start = expr.entries.length === 0 ? zero : inverted;
    this.#entries.set(expr, {
      key: expr.entries.map(({ key }) => this.sizeOf(key)).reduce(union, start),
      value: expr.entries.map(({ value }) => this.sizeOf(value)).reduce(union, start),
    });
    return add(costs, fixed(mapCost));
  }

  #fold(expr: FoldExpr): Range {
    let sum = add(this.cost(expr.range), this.cost(expr.init));
    const isBind = expr.accuVar !== accumulator;
    this.#push(expr.accuVar, {
      path: this.#pathOf(expr.init),
      size: this.#knownSize(expr.init),
      entries: this.#entriesOf(expr.init),
    });
    if (isBind) {
      sum = add(sum, this.cost(expr.result));
      this.#pop(expr.accuVar);
      this.#copy(expr, expr.result);
      return sum;
    }
    const names = this.#pushIterated(expr);
    const loop = add(this.cost(expr.condition), this.cost(expr.step));
    for (const name of names) this.#pop(name);
    sum = add(sum, this.cost(expr.result));
    this.#pop(expr.accuVar);
    const count = this.sizeOf(expr.range);
    if (expr.init.kind === "literal") this.#setSize(expr, this.#knownSize(expr.init));
    if (expr.init.kind === "list" || expr.init.kind === "map") {
      this.#setSize(expr, count);
      const entries = this.#entriesOf(expr.step);
      if (entries !== undefined) this.#entries.set(expr, entries);
    }
    return add(sum, times(count, loop));
  }

  #pushIterated({ range, iterVar, iterVar2 }: FoldExpr): readonly string[] {
    const entries = this.#entriesOf(range);
    const path = this.#pathOf(range);
    const isList = this.#checked.typeOf(range).kind === "list";
    const value = { path: [...path, isList ? "@items" : "@values"], size: entries?.value, entries: undefined };
    const key = { path: [...path, isList ? "@indices" : "@keys"], size: entries?.key, entries: undefined };
    if (iterVar2 === undefined) {
      this.#push(iterVar, isList ? value : key);
      return [iterVar];
    }
    this.#push(iterVar, key);
    this.#push(iterVar2, value);
    return [iterVar, iterVar2];
  }

  #call(call: CallExpr): Range {
    const name = this.#checked.qualifiedName(call) ?? call.name;
    if (name === "dyn" && call.args[0] !== undefined) {
      const inner = this.cost(call.args[0]);
      this.#copy(call, call.args[0]);
      return add(one, inner);
    }
    const argCosts = call.args.map((arg) => this.cost(arg));
    const overloads = this.#checked.overloadsOf(call);
    const target = name === call.name ? call.target : undefined;
    const targetCost = target === undefined ? zero : this.cost(target);
    if (name === "_?._") return argCosts.reduce(add, zero);
    if (overloads.length === 0) return zero;
    let cost: Range = inverted;
    let size: Range | undefined;
    for (const { id } of overloads) {
      const estimate = this.#function(call, name, id, target, argCosts);
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      const [container] = call.args;
      if (container !== undefined && (id.startsWith("_[_](list") || id.startsWith("_[_](map"))) {
        size = this.#entriesOf(container)?.value;
        this.#paths.set(call, [...this.#pathOf(container), id.startsWith("_[_](list") ? "@items" : "@values"]);
      }
      size ??= this.#knownSize(call);
    }
    this.#setSize(call, size);
    return add(targetCost, cost);
  }

  #function(
    call: CallExpr,
    name: string,
    id: string,
    target: Expr | undefined,
    argCosts: readonly Range[],
  ): { readonly cost: Range; readonly size?: Range | undefined } {
    const args = argCosts.reduce(add, zero);
    const known = this.#library(call, name, id, target);
    if (known !== undefined) return { cost: add(known.cost, args), size: known.size };
    const [first, second, third] = call.args;
    const [firstCost = zero, secondCost = zero, thirdCost = zero] = argCosts;
    switch (name) {
      case "_&&_":
      case "_||_":
        return { cost: { min: firstCost.min, max: add(firstCost, secondCost).max } };
      case "_?_:_": {
        if (second === undefined || third === undefined) break;
        const [yes, no] = [this.#entriesOf(second), this.#entriesOf(third)];
        if (yes !== undefined && no !== undefined) this.#entries.set(call, unionEntries(yes, no));
        return {
          cost: add(firstCost, union(secondCost, thirdCost)),
          size: union(this.sizeOf(second), this.sizeOf(third)),
        };
      }
      case "_+_":
        return this.#addition(call, id, args);
      case "_==_":
      case "_!=_":
      case "_<_":
      case "_<=_":
      case "_>_":
      case "_>=_": {
        if (first === undefined || second === undefined) break;
        if (!/\((?:A|string|bytes),/.test(id)) return { cost: add(one, args) };
        const max = Math.min(this.sizeOf(first).max, this.sizeOf(second).max);
        return { cost: add(factor({ min: max > 0 ? 1 : 0, max }, traversal), args) };
      }
      case "@in":
        return { cost: add(id.startsWith("@in(A, list") && second !== undefined ? this.sizeOf(second) : one, args) };
      case "matches": {
        if (target === undefined || first === undefined) break;
        return {
          cost: add(
            times(factor(add(this.sizeOf(target), one), traversal), factor(this.sizeOf(first), regexpFactor)),
            args,
          ),
        };
      }
      case "contains": {
        if (target === undefined || first === undefined) break;
        return {
          cost: add(times(factor(this.sizeOf(target), traversal), factor(this.sizeOf(first), traversal)), args),
        };
      }
      case "startsWith":
      case "endsWith":
        return { cost: add(first === undefined ? one : factor(this.sizeOf(first), traversal), args) };
      case "format":
        return { cost: add(target === undefined ? one : factor(this.sizeOf(target), traversal), args) };
      case "bytes":
      case "string": {
        if (first === undefined || !/\((?:string|bytes)\)/.test(id) || id === `${name}(${name})`) break;
        const size = this.sizeOf(first);
        const made =
          name === "bytes"
            ? { min: size.min, max: capped(size.max * 4) }
            : { min: Math.floor(size.min / 4), max: size.max };
        return { cost: add(factor(size, traversal), args), size: made };
      }
      default:
        break;
    }
    return { cost: add(one, args) };
  }

  #addition(call: CallExpr, id: string, args: Range): { readonly cost: Range; readonly size?: Range } {
    const [first, second] = call.args;
    const isList = id.startsWith("_+_(list");
    if (
      first === undefined ||
      second === undefined ||
      !(isList || id === "_+_(string, string)" || id === "_+_(bytes, bytes)")
    ) {
      return { cost: add(one, args) };
    }
    const size = add(this.sizeOf(first), this.sizeOf(second));
    const [left, right] = [this.#entriesOf(first), this.#entriesOf(second)];
    if (left !== undefined && right !== undefined) this.#entries.set(call, unionEntries(left, right));
    return { cost: add(isList ? one : factor(size, traversal), args), size };
  }

  /** The functions whose costs k8s.io/apiserver estimates. */
  #library(
    call: CallExpr,
    name: string,
    id: string,
    target: Expr | undefined,
  ): { readonly cost: Range; readonly size?: Range } | undefined {
    const [first, second] = call.args;
    const receiver = target === undefined ? undefined : this.sizeOf(target);
    const argument = first === undefined ? anything : this.sizeOf(first);
    switch (name) {
      case "isSorted":
      case "sum":
      case "max":
      case "min":
      case "indexOf":
      case "lastIndexOf":
        return target === undefined ? undefined : { cost: this.#listWalk(target) };
      case "url":
        return { cost: factor(argument, traversal), size: argument };
      case "lowerAscii":
      case "upperAscii":
      case "substring":
      case "trim":
        return receiver === undefined ? undefined : { cost: factor(receiver, traversal), size: receiver };
      case "replace": {
        if (receiver === undefined || second === undefined) return undefined;
        return { cost: factor(receiver, 2 * traversal), size: replacedSize(receiver, argument, this.sizeOf(second)) };
      }
      case "split": {
        if (receiver === undefined) return undefined;
        const limit =
          second?.kind === "literal" && typeof second.value === "bigint" ? Number(second.value) : receiver.max;
        return { cost: factor(receiver, 2 * traversal), size: { min: 0, max: limit } };
      }
      case "join":
        return target === undefined || receiver === undefined ? undefined : this.#join(target, receiver, first);
      case "find":
      case "findAll": {
        if (receiver === undefined) return undefined;
        const cost = times(factor(add(receiver, one), traversal), factor(argument, regexpFactor));
        return { cost, size: { min: 0, max: receiver.max } };
      }
      case "ip":
        return { cost: id === "ip(cidr)" ? one : factor(argument, traversal) };
      case "cidr":
      case "isIP":
      case "isCIDR":
      case "quantity":
      case "isQuantity":
      case "semver":
      case "isSemver":
        return { cost: factor(argument, traversal) };
      case "ip.isCanonical":
        return { cost: factor(argument, 2 * traversal) };
      case "containsIP":
        return {
          cost: add(
            factor({ min: 8, max: 32 }, traversal),
            id.endsWith("string)") ? factor(argument, traversal) : zero,
          ),
        };
      case "containsCIDR": {
        const compared = add(factor({ min: 8, max: 32 }, traversal), add(factor({ min: 4, max: 16 }, traversal), one));
        return { cost: add(compared, id.endsWith("string)") ? factor(argument, traversal) : zero) };
      }
      case "sets.contains":
      case "sets.intersects":
      case "sets.equivalent": {
        const compared = times(argument, second === undefined ? anything : this.sizeOf(second));
        return { cost: add(one, factor(compared, name === "sets.equivalent" ? 2 : 1)) };
      }
      case "slice": {
        if (receiver === undefined) return undefined;
        const [from, to] = call.args.map(intLiteral);
        return newList(1, fixed(Math.max(0, (to ?? receiver.max) - (from ?? 0))));
      }
      case "lists.range":
        return newList(1, fixed((first === undefined ? undefined : intLiteral(first)) ?? unbounded));
      case "reverse":
        return receiver === undefined ? undefined : newList(1, receiver);
      case "flatten":
        return receiver === undefined
          ? undefined
          : newList(first === undefined ? 1 : (intLiteral(first) ?? unbounded), receiver);
      case "distinct":
        return receiver === undefined ? undefined : newList(2, times(receiver, receiver));
      case "sort":
      case "@sortByAssociatedKeys": {
        const sorted = name === "sort" ? receiver : argument;
        if (sorted === undefined) return undefined;
        return newList(/list\((?:string|bytes)\)\)$/.test(id) ? 2 + traversal : 2, times(sorted, sorted));
      }
      case "validate":
        return { cost: factor(factor(argument, traversal), 128 * regexpFactor) };
      case "_==_": {
        if (first === undefined || second === undefined) return undefined;
        const type = this.#checked.typeOf(first);
        const isOpaque = type.kind === "opaque" && type.name !== "optional_type";
        return isOpaque && isExactly(type, this.#checked.typeOf(second)) ? { cost: one } : undefined;
      }
      default:
        return undefined;
    }
  }

  #listWalk(target: Expr): Range {
    const [item] = this.#checked.typeOf(target).params;
    const size = this.sizeOf(target);
    if (item === undefined) return factor(size, traversal);
    if (item.kind !== "string" && item.kind !== "bytes") return size;
    const path = this.#pathOf(target);
    const itemSize = (path.length === 0 ? undefined : this.#schemaSize([...path, "@items"])) ?? anything;
    return times(size, add(one, factor(itemSize, traversal)));
  }

  #join(target: Expr, count: Range, separator: Expr | undefined): { readonly cost: Range; readonly size: Range } {
    const path = this.#pathOf(target);
    const itemSize = (path.length === 0 ? undefined : this.#schemaSize([...path, "@items"])) ?? anything;
    let size = times(count, itemSize);
    if (separator !== undefined) {
      const gaps = {
        min: Math.max(0, count.min - 1),
        max: count.max >= unbounded ? unbounded : Math.max(0, count.max - 1),
      };
      size = add(size, times(this.sizeOf(separator), gaps));
    }
    return { cost: factor(size, traversal), size };
  }

  /** As much as is known of it. */
  sizeOf(expr: Expr): Range {
    return this.#knownSize(expr) ?? anything;
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr, size);
  }

  #copy(to: Expr, from: Expr): void {
    this.#setSize(to, this.#knownSize(from));
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #knownSize(expr: Expr): Range | undefined {
    const set = this.#sizes.get(expr) ?? ownSize(expr);
    if (set !== undefined) return set;
    const bySchema = this.#schemaSize(this.#pathOf(expr));
    if (bySchema !== undefined) return bySchema;
    if (isScalar(this.#checked.typeOf(expr))) return one;
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): Entries | undefined {
    return this.#entries.get(expr) ?? (expr.kind === "ident" ? this.#local(expr.name)?.entries : undefined);
  }

  /** How large a value at this path of the schema may be; undefined where the path leads out of it. */
  #schemaSize([variable, ...path]: readonly string[]): Range | undefined {
    if (variable === undefined || variable === accumulator) return undefined;
    let type: CelType | undefined = this.#root;
    for (const step of path) {
      if (step === "@items") type = type?.kind === "list" ? type.params[0] : undefined;
      else if (step === "@values") type = type?.kind === "map" ? type.params[1] : undefined;
      else if (step === "@keys") type = type?.kind === "map" ? type.params[0] : undefined;
      else type = type?.fields?.get(step);
      if (type === undefined) return undefined;
    }
    return { min: 0, max: type?.maxElements ?? 0 };
  }
}

/** A call that makes a list. */
function newList(perItem: number, size: Range): { readonly cost: Range; readonly size: Range } {
  return { cost: add(factor(size, perItem), fixed(1 + listCost)), size };
}

function intLiteral(expr: Expr): number | undefined {
  return expr.kind === "literal" && typeof expr.value === "bigint" ? Number(expr.value) : undefined;
}

function unionEntries(a: Entries, b: Entries): Entries {
  return { key: union(a.key, b.key), value: union(a.value, b.value) };
}

function ownSize(expr: Expr): Range | undefined {
  if (expr.kind === "list") return fixed(expr.elements.length);
  if (expr.kind === "map") return fixed(expr.entries.length);
  if (expr.kind !== "literal") return undefined;
  const { value } = expr;
  if (typeof value === "string") return fixed([...value].length);
  return fixed(value instanceof Uint8Array ? value.length : 1);
}

const scalars: ReadonlySet<CelType["kind"]> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar({ kind }: CelType): boolean {
  return scalars.has(kind);
}
