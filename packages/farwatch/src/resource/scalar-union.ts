import { isDeepStrictEqual } from "node:util";
import type { NestedValidation, StructuralSchema, ValidationRule, ValueValidation } from "../wire/structural-schema.ts";
import { celLiteral } from "./cel.ts";
import { isAnything } from "./outcome.ts";
import type { Refuse } from "./refuse.ts";
import { validationOf } from "./validation-of.ts";

/** One schema for what any of several schemas takes, none of which is nullable; refused when there is none. */
export function uniteScalars(
  branches: readonly StructuralSchema[],
  place: { readonly path: string; readonly refuse: Refuse },
): StructuralSchema {
  const open = branches.find(isAnything);
  if (open !== undefined) return open;
  const types = new Set(branches.map((branch) => branch.type ?? "int or string"));
  const [type] = types;
  if (types.size === 1 && type !== "int or string") return uniteSame(branches);
  const only = (...allowed: readonly string[]): boolean => [...types].every((each) => allowed.includes(each));
  if (only("integer", "number")) {
    return uniteSame(
      branches.map((branch) =>
        branch.type === "integer" ? { ...branch, type: "number", multipleOf: branch.multipleOf ?? 1 } : branch,
      ),
    );
  }
  if (only("integer", "string", "int or string")) return uniteIntOrString(branches, place);
  return place.refuse(
    place.path,
    `takes ${[...types].join(" or ")}, and a CRD field has one type; write an object with an optional field for each, or keep it unchecked with unknown`,
  );
}

function uniteSame(branches: readonly StructuralSchema[]): StructuralSchema {
  const type = branches[0]?.type;
  const fallback = branches.find((branch) => branch.default !== undefined)?.default;
  return alternatives(
    { ...(type !== undefined && { type }), ...(fallback !== undefined && { default: fallback }) },
    branches.map((branch) => validationOf(branch) ?? {}),
  );
}

/** The base with the checks that all share, and what each has beyond them as alternatives. */
export function alternatives(base: StructuralSchema, checks: readonly NestedValidation[]): StructuralSchema {
  const enums = checks.map((check) => (Object.keys(check).length === 1 ? check.enum : undefined));
  if (enums.every((values) => values !== undefined)) return { ...base, enum: [...new Set(enums.flat())] };
  if (checks.some((check) => Object.keys(check).length === 0)) return base;
  const shared: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(checks[0] ?? {})) {
    if (checks.every((check) => isDeepStrictEqual(check[name as keyof ValueValidation], value))) shared[name] = value;
  }
  const own: readonly NestedValidation[] = checks.map((check) =>
    Object.fromEntries(Object.entries(check).filter(([name]) => !(name in shared))),
  );
  const all = own.every((check) => Object.keys(check).length > 0);
  if (all && "anyOf" in shared) return { ...base, ...shared, allOf: [{ anyOf: own }] };
  return { ...base, ...shared, ...(all && { anyOf: own }) };
}

/** Checks of numbers leave strings alone, and the other way round; only an enum speaks of both. */
function uniteIntOrString(
  branches: readonly StructuralSchema[],
  place: { readonly path: string; readonly refuse: Refuse },
): StructuralSchema {
  const mixed = branches.filter((branch) => branch.type === undefined);
  const ofType = (type: "integer" | "string"): StructuralSchema => {
    const own = branches.filter((branch) => branch.type === type);
    return own.length === 0 ? {} : own.length === 1 ? (own[0] ?? {}) : uniteSame(own);
  };
  const {
    type: _,
    enum: integers,
    default: integerDefault,
    description: __,
    title: ___,
    ...integer
  } = ofType("integer");
  const {
    type: ____,
    enum: strings,
    default: stringDefault,
    description: _____,
    title: ______,
    ...string
  } = ofType("string");
  const clash = Object.keys(integer).some((name) => name in string);
  const unclear = clash || mixed.some((branch) => Object.keys(branch).length > 1);
  if (unclear) {
    return place.refuse(
      place.path,
      "takes integers and strings, each by several rules, which a CRD cannot say; write a CEL rule",
    );
  }
  if (mixed.length > 0) return { "x-kubernetes-int-or-string": true };
  const rules: ValidationRule[] = [];
  if (integers !== undefined && strings === undefined) rules.push(onlyOf("int", integers));
  if (strings !== undefined && integers === undefined) rules.push(onlyOf("string", strings));
  const fallback = integerDefault ?? stringDefault;
  return {
    "x-kubernetes-int-or-string": true,
    ...(fallback !== undefined && { default: fallback }),
    ...(integers !== undefined && strings !== undefined && { enum: [...integers, ...strings] }),
    ...integer,
    ...string,
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
}

function onlyOf(type: "int" | "string", values: readonly unknown[]): ValidationRule {
  const texts = values.map((value) => celLiteral(value)).join(", ");
  return {
    rule: `type(self) != ${type} || self in [${texts}]`,
    message: `${type === "int" ? "an integer" : "a string"} must be one of ${texts}`,
  };
}
