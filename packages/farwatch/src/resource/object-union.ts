import { isDeepStrictEqual } from "node:util";
import type { NestedValidation, StructuralSchema, ValidationRule } from "../wire/structural-schema.ts";
import { celField, celLiteral, fieldPathOf } from "./cel.ts";
import { withNull } from "./outcome.ts";
import type { Refuse } from "./refuse.ts";
import { uniteScalars } from "./scalar-union.ts";
import { validationOf } from "./validation-of.ts";

interface UnionPlace {
  readonly path: string;
  readonly refuse: Refuse;
  /** Exactly one branch may match. */
  readonly exclusive: boolean;
}

/** The field that tells the branches of a union apart: in each it has values of its own. */
interface Discriminator {
  readonly name: string;
  readonly values: readonly (readonly unknown[])[];
}

/**
 * One object with the fields of all branches. CEL rules say which fields a branch allows and requires; checks that differ
 * between branches stand as alternatives.
 */
export function uniteObjects(branches: readonly StructuralSchema[], place: UnionPlace): StructuralSchema {
  const { path, refuse } = place;
  if (branches.some((branch) => branch.additionalProperties !== undefined)) {
    return refuse(
      path,
      "is a union with a record, whose keys nobody can tell apart; give the record a field of its own",
    );
  }
  const discriminator = discriminatorOf(branches);
  const names = [...new Set(branches.flatMap((branch) => Object.keys(branch.properties ?? {})))];
  const properties: Record<string, StructuralSchema> = {};
  for (const name of names) properties[name] = uniteField(name, branches, discriminator, place);

  const rules =
    discriminator === undefined
      ? presenceRules(branches, names, place)
      : memberRules(branches, names, discriminator, place);
  const own = branches.flatMap((branch, index) => {
    const guard = discriminator === undefined ? presence(branch, branches, names, place) : is(discriminator, [index]);
    return (branch["x-kubernetes-validations"] ?? []).map((rule) => ({
      ...rule,
      rule: `!(${guard}) || (${rule.rule})`,
    }));
  });
  const required = names.filter((name) => branches.every((branch) => branch.required?.includes(name)));
  const alternatives = differingChecks(branches, names, discriminator);
  const validations = [...rules, ...own];
  return {
    type: "object",
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(alternatives !== undefined && { anyOf: alternatives }),
    ...(branches.some((branch) => branch["x-kubernetes-preserve-unknown-fields"]) && {
      "x-kubernetes-preserve-unknown-fields": true,
    }),
    ...(validations.length > 0 && { "x-kubernetes-validations": validations }),
  };
}

function discriminatorOf(branches: readonly StructuralSchema[]): Discriminator | undefined {
  const [first] = branches;
  for (const name of Object.keys(first?.properties ?? {})) {
    if (celField(name) === undefined) continue;
    const fields = branches.map((branch) => branch.properties?.[name]);
    const values = fields.map((field) =>
      field?.nullable === true || field?.type === "number" ? undefined : field?.enum,
    );
    if (!values.every((allowed) => allowed !== undefined)) continue;
    const present = branches.every(
      (branch, index) => branch.required?.includes(name) || fields[index]?.default !== undefined,
    );
    if (present && new Set(values.flat()).size === values.flat().length) return { name, values };
  }
  return undefined;
}

function uniteField(
  name: string,
  branches: readonly StructuralSchema[],
  discriminator: Discriminator | undefined,
  { path, refuse }: UnionPlace,
): StructuralSchema {
  const at = `${path}.${name}`;
  const fields = branches.map((branch) => branch.properties?.[name]).filter((field) => field !== undefined);
  const [first] = fields;
  if (first === undefined) return refuse(at, "is in no branch of the union");
  const defaults = fields.filter((field) => field.default !== undefined);
  const sameDefault =
    defaults.length === branches.length &&
    defaults.every(({ default: value }) => isDeepStrictEqual(value, first.default));
  const isDiscriminator = name === discriminator?.name;
  if (defaults.length > (isDiscriminator ? 1 : 0) && !sameDefault) {
    return refuse(
      at,
      "has a default in one branch of the union, which the server would set in all; make it optional without a default",
    );
  }
  if (
    fields.length === branches.length &&
    isDiscriminator === false &&
    fields.every((field) => isDeepStrictEqual(field, first))
  )
    return first;
  const shapes = fields.map(({ title: _, description: __, ...rest }) => rest);
  if (shapes.every((shape) => isDeepStrictEqual(shape, shapes[0]))) return first;
  if (fields.some((field) => field.type === "object" || field.type === "array")) {
    return refuse(
      at,
      "is another object or list in each branch of the union, and a CRD has one schema for a field; give it a name of its own in each",
    );
  }
  const bare = shapes.map(({ nullable: _, ...rest }): StructuralSchema => rest);
  // Which branch's checks apply is said on the object, where the branch is known.
  const { anyOf: _, ...scalar } = uniteScalars(bare, { path: at, refuse });
  const united = shapes.some((shape) => shape.nullable === true) ? withNull(scalar) : scalar;
  return first.description === undefined ? united : { description: first.description, ...united };
}

/** The condition under which the object is of one of these branches. */
function is({ name, values }: Discriminator, indexes: readonly number[]): string {
  const allowed = indexes.flatMap((index) => values[index] ?? []).map((value) => celLiteral(value));
  return allowed.length === 1 ? `${celField(name)} == ${allowed[0]}` : `${celField(name)} in [${allowed.join(", ")}]`;
}

function isNot({ name, values }: Discriminator, indexes: readonly number[]): string {
  const allowed = indexes.flatMap((index) => values[index] ?? []).map((value) => celLiteral(value));
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
function memberRules(
  branches: readonly StructuralSchema[],
  names: readonly string[],
  discriminator: Discriminator,
  place: UnionPlace,
): readonly ValidationRule[] {
  const indexes = branches.map((_, index) => index);
  const rules: ValidationRule[] = [];
  const words = (of: readonly number[]): string => {
    const texts = of.flatMap((index) => discriminator.values[index] ?? []).map((value) => celLiteral(value));
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

/** True of an object that has the fields that the branch requires and none that it does not know; `true` when that is no condition. */
function presence(
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

function presenceRules(
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

/** Checks that differ between branches, each behind what tells its branch. */
function differingChecks(
  branches: readonly StructuralSchema[],
  names: readonly string[],
  discriminator: Discriminator | undefined,
): readonly NestedValidation[] | undefined {
  const differing = names.filter((name) => {
    if (name === discriminator?.name) return false;
    const fields = branches.map((branch) => branch.properties?.[name]).filter((field) => field !== undefined);
    const checks = fields.map((field) => validationOf(field));
    return checks.some((check) => !isDeepStrictEqual(check, checks[0]));
  });
  const sizes = branches.some(
    ({ minProperties, maxProperties }) => minProperties !== undefined || maxProperties !== undefined,
  );
  if (differing.length === 0 && !sizes) return undefined;
  return branches.map((branch, index) => {
    const fields = differing
      .map((name) => [name, validationOf(branch.properties?.[name] ?? {})] as const)
      .filter(([, check]) => check !== undefined);
    const properties: Record<string, NestedValidation> = Object.fromEntries(
      fields as readonly (readonly [string, NestedValidation])[],
    );
    if (discriminator !== undefined) properties[discriminator.name] = { enum: discriminator.values[index] ?? [] };
    return {
      ...(branch.minProperties !== undefined && { minProperties: branch.minProperties }),
      ...(branch.maxProperties !== undefined && { maxProperties: branch.maxProperties }),
      ...(discriminator === undefined && (branch.required?.length ?? 0) > 0 && { required: branch.required ?? [] }),
      ...(Object.keys(properties).length > 0 && { properties }),
    };
  });
}
