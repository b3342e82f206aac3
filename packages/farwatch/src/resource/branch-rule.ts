import type { StructuralSchema, ValidationRule } from "../wire/structural-schema.ts";
import { celField, celLiteral, fieldPathOf } from "./cel.ts";
import type { Refuse } from "./refuse.ts";

export interface UnionPlace {
  readonly path: string;
  readonly refuse: Refuse;
  /** Exactly one branch may match. */
  readonly exclusive: boolean;
}

/** The field that tells the branches of a union apart: in each it has values of its own. */
export interface Discriminator {
  readonly name: string;
  readonly values: readonly (readonly unknown[])[];
}

/** The condition under which the object is of one of these branches. */
export function is({ name, values }: Discriminator, indexes: readonly number[]): string {
  const allowed = indexes.flatMap((index) => values[index] ?? []).map(celLiteral);
  return allowed.length === 1 ? `${celField(name)} == ${allowed[0]}` : `${celField(name)} in [${allowed.join(", ")}]`;
}

function isNot({ name, values }: Discriminator, indexes: readonly number[]): string {
  const allowed = indexes.flatMap((index) => values[index] ?? []).map(celLiteral);
  return allowed.length === 1
    ? `${celField(name)} != ${allowed[0]}`
    : `!(${celField(name)} in [${allowed.join(", ")}])`;
}

function has(name: string, branches: readonly StructuralSchema[], { path, refuse }: UnionPlace): string {
  const field = celField(name);
  if (field === undefined) {
    return refuse(
      `${path}.${name}`,
      "is in one branch of the union, and CEL cannot reach a field of that name; name it with letters, digits and _",
    );
  }
  const untyped = branches.some(
    ({ properties }) =>
      properties?.[name] !== undefined &&
      properties[name].type === undefined &&
      properties[name]["x-kubernetes-int-or-string"] !== true,
  );
  if (untyped) {
    return refuse(
      `${path}.${name}`,
      "is in one branch of the union and takes anything, which CEL cannot reach; make it a record of unknown, or put it into an object",
    );
  }
  return `has(${field})`;
}

/** For each field that not all branches have, who may and who must have it. */
export function memberRules(
  branches: readonly StructuralSchema[],
  names: readonly string[],
  discriminator: Discriminator,
  place: UnionPlace,
): readonly ValidationRule[] {
  const indexes = branches.map((_, index) => index);
  const rules: ValidationRule[] = [];
  const words = (of: readonly number[]): string => {
    const texts = of.flatMap((index) => discriminator.values[index] ?? []).map(celLiteral);
    return `${discriminator.name} is ${texts.join(" or ")}`;
  };
  for (const name of names) {
    const allowing = indexes.filter((index) => branches[index]?.properties?.[name] !== undefined);
    const requiring = indexes.filter((index) => branches[index]?.required?.includes(name));
    if (allowing.length < branches.length && !allowing.some((index) => branches[index] === undefined)) {
      const closed = indexes.filter(
        (index) => !allowing.includes(index) && !branches[index]?.["x-kubernetes-preserve-unknown-fields"],
      );
      if (closed.length > 0) {
        rules.push({
          rule: `${isNot(discriminator, closed)} || !${has(name, branches, place)}`,
          message: `${name} is allowed only when ${words(indexes.filter((index) => !closed.includes(index)))}`,
          reason: "FieldValueForbidden",
          fieldPath: fieldPathOf(name),
        });
      }
    }
    if (requiring.length > 0 && requiring.length < branches.length) {
      rules.push({
        rule: `${isNot(discriminator, requiring)} || ${has(name, branches, place)}`,
        message: `${name} is required when ${words(requiring)}`,
        reason: "FieldValueRequired",
        fieldPath: fieldPathOf(name),
      });
    }
  }
  return rules;
}

/**
 * True of an object that has the fields that the branch requires and none that it does not know; `true` when that is no
 * condition.
 */
export function presence(
  branch: StructuralSchema,
  branches: readonly StructuralSchema[],
  names: readonly string[],
  place: UnionPlace,
): string {
  const terms: string[] = [];
  for (const name of names) {
    if (branches.every((other) => other.required?.includes(name))) continue;
    if (branch.required?.includes(name)) terms.push(has(name, branches, place));
    else if (branch.properties?.[name] === undefined && !branch["x-kubernetes-preserve-unknown-fields"]) {
      terms.push(`!${has(name, branches, place)}`);
    }
  }
  return terms.length === 0 ? "true" : terms.join(" && ");
}

export function presenceRules(
  branches: readonly StructuralSchema[],
  names: readonly string[],
  place: UnionPlace,
): readonly ValidationRule[] {
  const conditions = branches.map((branch) => presence(branch, branches, names, place));
  if (!place.exclusive && conditions.includes("true")) return [];
  const shapes = branches.map((branch) => {
    const fields = Object.keys(branch.properties ?? {}).map((name) =>
      branch.required?.includes(name) ? name : `${name}?`,
    );
    return `{ ${fields.join(", ")} }`;
  });
  const message = `must have the fields of ${place.exclusive ? "exactly " : ""}one of ${shapes.join(", ")}`;
  const rule = place.exclusive
    ? `[${conditions.join(", ")}].filter(matches, matches).size() == 1`
    : conditions.map((condition) => `(${condition})`).join(" || ");
  return [{ rule, message }];
}
