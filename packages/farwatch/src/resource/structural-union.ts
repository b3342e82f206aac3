import { isDeepStrictEqual } from "node:util";
import type { StructuralSchema } from "../wire/structural-schema.ts";
import type { UnionPlace } from "./branch-rule.ts";
import { uniteObjects } from "./object-union.ts";
import { isAnything, type Outcome, withNull } from "./outcome.ts";
import { alternatives, uniteScalars } from "./scalar-union.ts";

/**
 * One structural schema that takes what any branch takes. A CRD gives every value one type, so branches of one type are
 * merged, integer and string become int-or-string, null becomes nullable, and anything else is refused.
 */
export function unite(outcomes: readonly Outcome[], place: UnionPlace): Outcome {
  const schemas = outcomes.filter((outcome) => typeof outcome === "object");
  const nullable = outcomes.includes("null") || schemas.some((schema) => schema.nullable === true);
  const branches: readonly StructuralSchema[] = schemas.map(({ nullable: _, ...rest }) => rest);
  const distinct = branches.filter(
    (branch, index) => branches.findIndex((other) => isDeepStrictEqual(other, branch)) === index,
  );
  const [first] = distinct;
  if (first === undefined) return nullable ? "null" : "never";
  const united = distinct.length === 1 ? first : uniteBranches(distinct, place);
  return nullable ? withNull(united) : united;
}

function uniteBranches(branches: readonly StructuralSchema[], place: UnionPlace): StructuralSchema {
  const open = branches.find(isAnything);
  if (open !== undefined) return { ...open, nullable: true };
  if (branches.every((branch) => branch.type === "object")) return uniteObjects(branches, place);
  if (branches.every((branch) => branch.type === "array")) return uniteArrays(branches, place);
  return uniteScalars(branches, place);
}

function uniteArrays(branches: readonly StructuralSchema[], { path, refuse }: UnionPlace): StructuralSchema {
  const [shape, ...others] = branches.map(
    ({ minItems: _, maxItems: __, title: ___, description: ____, ...rest }): StructuralSchema => rest,
  );
  if (shape === undefined || others.some((other) => !isDeepStrictEqual(other, shape))) {
    return refuse(
      path,
      "takes lists of different items, and all items of a CRD's list have one schema; let the items take both",
    );
  }
  const sizes = branches.map(({ minItems, maxItems }) => ({
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
  }));
  return alternatives(shape, sizes);
}
