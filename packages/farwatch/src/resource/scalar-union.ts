import { isDeepStrictEqual } from "node:util";
import type { NestedValidation, StructuralSchema, ValueValidation } from "../wire/structural-schema.ts";
import { enumCheck, withCheck } from "./enum-check.ts";
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
  if (mixed.some((branch) => Object.keys(branch).length > 1)) {
    return place.refuse(
      place.path,
      "takes integers and strings, by several rules, which a CRD cannot say; write a CEL rule",
    );
  }
  const ofType = (type: "integer" | "string"): StructuralSchema => {
    const own = branches.filter((branch) => branch.type === type);
    return own.length === 0 ? {} : uniteSame(own);
  };
  const { enum: integers, default: integerDefault, type: _, ...integer } = ofType("integer");
  const { enum: strings, default: stringDefault, type: __, ...string } = ofType("string");
  const fallback = integerDefault ?? stringDefault;
  const base: StructuralSchema = {
    "x-kubernetes-int-or-string": true,
    ...(fallback !== undefined && { default: fallback }),
  };
  if (mixed.length > 0) return base;
  const checks: readonly NestedValidation[] =
    integers !== undefined && strings !== undefined
      ? [{ enum: [...integers, ...strings] }]
      : [
          ...(integers === undefined ? [] : [enumCheck(integers)]),
          ...(strings === undefined ? [] : [enumCheck(strings)]),
        ];
  let united = base;
  for (const check of [integer, string, ...checks]) united = withCheck(united, check);
  return united;
}
