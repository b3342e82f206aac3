import { isDeepStrictEqual } from "node:util";
import type { StructuralSchema } from "../wire/structural-schema.ts";
import { isAnything, type Outcome } from "./outcome.ts";
import type { Refuse } from "./refuse.ts";
import { validationOf } from "./validation-of.ts";

interface Place {
  readonly path: string;
  readonly refuse: Refuse;
}

/** What both take: the fields of both, under the checks of both. */
export function intersect(left: Outcome, right: Outcome, place: Place): Outcome {
  if (left === "never" || right === "never") return "never";
  if (left === "null" || right === "null") {
    return [left, right].every((side) => side === "null" || (typeof side === "object" && side.nullable === true))
      ? "null"
      : "never";
  }
  if (isAnything(left)) return right;
  if (isAnything(right)) return left;
  return {
    ...wordsOf(right),
    ...wordsOf(left),
    ...typeOfBoth(left, right, place),
    ...(left.nullable === true && right.nullable === true && { nullable: true }),
    ...checksOfBoth(left, right),
    ...partsOfBoth(left, right, place),
  };
}

function wordsOf({ title, description, default: fallback }: StructuralSchema): StructuralSchema {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function typeOfBoth(left: StructuralSchema, right: StructuralSchema, { path, refuse }: Place): StructuralSchema {
  const types = [left.type, right.type];
  if (left.type === right.type) return left.type === undefined ? {} : { type: left.type };
  if (types.includes("integer") && types.includes("number")) return { type: "integer" };
  const [one, other] = types.map((type) => type ?? "int or string");
  return refuse(path, `is to be ${one} and ${other} at once; write one schema`);
}

/** Checks that are not in each other's way stand side by side; otherwise those of the right go into an allOf. */
function checksOfBoth(left: StructuralSchema, right: StructuralSchema): StructuralSchema {
  const { properties: _, items: __, required: leftRequired = [], ...ours } = validationOf(left) ?? {};
  const { properties: ___, items: ____, required: rightRequired = [], ...theirs } = validationOf(right) ?? {};
  const names = Object.keys(theirs) as readonly (keyof typeof theirs)[];
  const clash = names.some((name) => ours[name] !== undefined && !isDeepStrictEqual(ours[name], theirs[name]));
  const required = [...new Set([...leftRequired, ...rightRequired])];
  return {
    ...ours,
    ...(clash ? { allOf: [...(ours.allOf ?? []), theirs] } : theirs),
    ...(required.length > 0 && { required }),
  };
}

/** What a value is made of, and the server's own words; where both say something else there is no telling. */
function partsOfBoth(left: StructuralSchema, right: StructuralSchema, place: Place): StructuralSchema {
  const parts: Record<string, unknown> = {};
  for (const side of [left, right]) {
    for (const [name, value] of Object.entries(side)) {
      if (!(name.startsWith("x-") || name === "additionalProperties" || name === "items")) continue;
      if (parts[name] !== undefined && !isDeepStrictEqual(parts[name], value) && name !== "x-kubernetes-validations") {
        return place.refuse(place.path, `is an intersection of two schemas that differ in ${name}; write one schema`);
      }
      parts[name] = value;
    }
  }
  const rules = [...(left["x-kubernetes-validations"] ?? []), ...(right["x-kubernetes-validations"] ?? [])];
  const properties = { ...left.properties };
  for (const [name, field] of Object.entries(right.properties ?? {})) {
    const had = properties[name];
    const at = `${place.path}.${name}`;
    const outcome = had === undefined ? field : intersect(had, field, { ...place, path: at });
    properties[name] =
      typeof outcome === "string"
        ? place.refuse(at, "is in two schemas that no value meets both; write one schema")
        : outcome;
  }
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(parts as StructuralSchema),
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
}
