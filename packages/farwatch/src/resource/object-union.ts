import { isDeepStrictEqual } from "node:util";
import type { NestedValidation, StructuralSchema } from "../wire/structural-schema.ts";
import { type Discriminator, is, memberRules, presence, presenceRules, type UnionPlace } from "./branch-rule.ts";
import { celField } from "./cel.ts";
import { withNull } from "./outcome.ts";
import { uniteScalars } from "./scalar-union.ts";
import { validationOf } from "./validation-of.ts";

/**
 * One object with the fields of all branches. CEL rules say which fields a branch allows and requires; checks that
 * differ between branches stand as alternatives.
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
