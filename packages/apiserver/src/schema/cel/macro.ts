import type { CallExpr, Expr, FoldExpr } from "./ast.ts";
import { SyntaxIssue } from "./token.ts";

/** The variable that collects a loop's result; no source can name it. */
export const accumulator = "@result";

const truth = (at: number, value: boolean): Expr => ({ kind: "literal", at, value });
const accu = (at: number): Expr => ({ kind: "ident", at, name: accumulator });
const call = (at: number, name: string, ...args: readonly Expr[]): Expr => ({
  kind: "call",
  at,
  name,
  target: undefined,
  args,
});
const list = (at: number, ...elements: readonly Expr[]): Expr => ({ kind: "list", at, elements, optional: new Set() });

interface Loop {
  readonly init: Expr;
  readonly condition?: Expr;
  readonly step: Expr;
  readonly result?: Expr;
}

/**
 * What a call of a macro stands for, as cel-go expands it, so that types and costs come out the same; undefined when
 * the call is of no macro.
 *
 * @throws SyntaxIssue where an argument must be a name or a selection and is none.
 */
export function expandMacro(node: CallExpr): Expr | undefined {
  const { name, target, args, at } = node;
  if (target === undefined) return name === "has" && args.length === 1 ? expandHas(args[0], at) : undefined;
  const [first, second, third, fourth] = args;
  if (first === undefined || second === undefined) return undefined;
  if (args.length === 2 && (name === "optMap" || name === "optFlatMap")) return expandOptional(node, target);
  if (args.length === 2 && name === "sortBy") return expandSortBy(node, target);
  const makeOne = args.length === 2 ? oneVariable[name] : undefined;
  if (makeOne !== undefined) return fold(node, target, [variable(first)], makeOne(at, first, second));
  if (third === undefined) return undefined;
  if (args.length === 3 && name === "map") {
    const added = call(at, "_+_", accu(at), list(at, third));
    const step = call(at, "_?_:_", second, added, accu(at));
    return fold(node, target, [variable(first)], { init: list(at), step });
  }
  const makeTwo = twoVariables[name];
  if (makeTwo === undefined || args.length > 4) return undefined;
  const isTransform = name.startsWith("transform");
  if (args.length === 4 && !isTransform) return undefined;
  const [filter, body] = fourth === undefined ? [undefined, third] : [third, fourth];
  return fold(node, target, [variable(first), variable(second)], makeTwo(at, body, filter, first));
}

function fold(node: CallExpr, range: Expr, [iterVar = "", iterVar2]: readonly string[], loop: Loop): FoldExpr {
  const { at } = node;
  if (iterVar === iterVar2) throw new SyntaxIssue(at, `duplicate variable name: ${iterVar}`);
  return {
    kind: "fold",
    at,
    iterVar,
    iterVar2,
    range,
    accuVar: accumulator,
    init: loop.init,
    condition: loop.condition ?? truth(at, true),
    step: loop.step,
    result: loop.result ?? accu(at),
  };
}

function all(at: number, predicate: Expr): Loop {
  const condition = call(at, "@not_strictly_false", accu(at));
  return { init: truth(at, true), condition, step: call(at, "_&&_", accu(at), predicate) };
}

function exists(at: number, predicate: Expr): Loop {
  const condition = call(at, "@not_strictly_false", call(at, "!_", accu(at)));
  return { init: truth(at, false), condition, step: call(at, "_||_", accu(at), predicate) };
}

function existsOne(at: number, predicate: Expr): Loop {
  const one: Expr = { kind: "literal", at, value: 1n };
  return {
    init: { kind: "literal", at, value: 0n },
    step: call(at, "_?_:_", predicate, call(at, "_+_", accu(at), one), accu(at)),
    result: call(at, "_==_", accu(at), one),
  };
}

const oneVariable: Readonly<Record<string, (at: number, variable: Expr, body: Expr) => Loop>> = {
  all: (at, _, predicate) => all(at, predicate),
  exists: (at, _, predicate) => exists(at, predicate),
  exists_one: (at, _, predicate) => existsOne(at, predicate),
  map: (at, _, body) => ({ init: list(at), step: call(at, "_+_", accu(at), list(at, body)) }),
  filter: (at, item, predicate) => ({
    init: list(at),
    step: call(at, "_?_:_", predicate, call(at, "_+_", accu(at), list(at, item)), accu(at)),
  }),
};

function filtered(at: number, filter: Expr | undefined, step: Expr): Expr {
  return filter === undefined ? step : call(at, "_?_:_", filter, step, accu(at));
}

const twoVariables: Readonly<Record<string, (at: number, body: Expr, filter: Expr | undefined, key: Expr) => Loop>> = {
  all: (at, predicate) => all(at, predicate),
  exists: (at, predicate) => exists(at, predicate),
  exists_one: (at, predicate) => existsOne(at, predicate),
  existsOne: (at, predicate) => existsOne(at, predicate),
  transformList: (at, body, filter) => ({
    init: list(at),
    step: filtered(at, filter, call(at, "_+_", accu(at), list(at, body))),
  }),
  transformMap: (at, body, filter, key) => ({
    init: { kind: "map", at, entries: [] },
    step: filtered(at, filter, call(at, "cel.@mapInsert", accu(at), key, body)),
  }),
  transformMapEntry: (at, body, filter) => ({
    init: { kind: "map", at, entries: [] },
    step: filtered(at, filter, call(at, "cel.@mapInsert", accu(at), body)),
  }),
};

function variable(expr: Expr): string {
  if (expr.kind === "ident" && expr.name !== accumulator) return expr.name;
  throw new SyntaxIssue(expr.at, "argument must be a simple name");
}

function expandHas(argument: Expr | undefined, at: number): Expr {
  if (argument?.kind === "select" && !argument.test) return { ...argument, at, test: true };
  throw new SyntaxIssue(argument?.at ?? at, "invalid argument to has() macro");
}

/** A name for a value within one expression; the loop's body never runs. */
function bind(at: number, name: string, value: Expr, result: Expr): FoldExpr {
  return {
    kind: "fold",
    at,
    iterVar: "#unused",
    iterVar2: undefined,
    range: list(at),
    accuVar: name,
    init: value,
    condition: truth(at, false),
    step: { kind: "ident", at, name },
    result,
  };
}

function expandOptional({ name, args, at }: CallExpr, target: Expr): Expr {
  const [item, body] = args as readonly [Expr, Expr];
  const member = (method: string): Expr => ({ kind: "call", at, name: method, target, args: [] });
  const bound = bind(at, variable(item), member("value"), body);
  const some = name === "optMap" ? call(at, "optional.of", bound) : bound;
  return call(at, "_?_:_", member("hasValue"), some, call(at, "optional.none"));
}

function expandSortBy({ args, at }: CallExpr, target: Expr): Expr {
  const [item, key] = args as readonly [Expr, Expr];
  const input: Expr = { kind: "ident", at, name: "@sortBy" };
  const keys = fold({ kind: "call", at, name: "map", target: input, args }, input, [variable(item)], {
    init: list(at),
    step: call(at, "_+_", accu(at), list(at, key)),
  });
  return bind(at, "@sortBy", target, { kind: "call", at, name: "@sortByAssociatedKeys", target: input, args: [keys] });
}
