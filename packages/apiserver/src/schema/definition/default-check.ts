import { addErrors, type FieldError, fieldErrorsText, invalidValue } from "../../failure/field-error.ts";
import { type CheckMeta, coerceEmbedded, EmbeddedError, validateEmbedded } from "../embedded-resource.ts";
import { copyJson, sameJson, sortedJson } from "../plain-object.ts";
import { pruneValue } from "../prune.ts";
import type { ServedSchema } from "../served-schema.ts";
import { validateValueRules } from "../validate-rules.ts";
import { validateSchema } from "../validate-schema.ts";

/** What the checks of metadata need from rooms below: the schema of ObjectMeta, and the rules of its fields. */
export interface MetaChecks {
  readonly objectMeta: ServedSchema;
  readonly checkMeta: CheckMeta;
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Puts a value where it stands in an object, so that it can be judged as a part of that. */
type Surround = (value: unknown) => unknown;

interface Level {
  readonly root: ServedSchema;
  readonly surround: Surround;
  readonly insideMeta: boolean;
}

const whole: Surround = (value) => ({ apiVersion: "validation/v1", kind: "Validation", ...(value as object) });

/** Whether the defaults of a structural schema are values that it takes itself, and that it would not prune. */
export function validateDefaults(schema: ServedSchema, at: string, checks: MetaChecks): readonly FieldError[] {
  const root: ServedSchema = { ...schema, "x-kubernetes-embedded-resource": true };
  return check(root, at, { root, surround: whole, insideMeta: false }, checks);
}

function check(schema: ServedSchema, at: string, outer: Level, checks: MetaChecks): readonly FieldError[] {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const level: Level = isEmbedded ? { root: schema, surround: whole, insideMeta: false } : outer;
  const errors: FieldError[] = [];
  if ((schema.default ?? null) !== null) {
    addErrors(errors, level.insideMeta ? insideMeta(schema, at, level, checks) : plain(schema, at, checks));
  }
  // Defaults are forbidden below additionalProperties of metadata alone; those are not judged.
  if (schema.items !== undefined) {
    const surround: Surround = (value) => level.surround([value]);
    addErrors(errors, check(schema.items, `${at}.items`, { ...level, surround }, checks));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner: Level = {
      root: level.root,
      surround: (value) => level.surround({ [name]: value }),
      insideMeta: level.insideMeta || (isEmbedded && metaFields.has(name)),
    };
    addErrors(errors, check(property, `${at}.properties[${name}]`, inner, checks));
  }
  return errors;
}

function plain(schema: ServedSchema, at: string, checks: MetaChecks): readonly FieldError[] {
  const place = `${at}.default`;
  const value = copyJson(schema.default);
  const errors: FieldError[] = [];
  if (!sameJson(pruneValue(schema, value), value)) {
    errors.push(invalidValue(place, sortedJson(schema.default), "must not have unknown fields"));
  }
  try {
    coerceEmbedded(schema, value, checks);
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error;
    return [...errors, invalidValue(place, schema.default, error.message)];
  }
  const embedded = validateEmbedded(schema, value, checks.checkMeta, place);
  return embedded.length > 0 ? [...errors, ...embedded] : [...errors, ...bySchema(schema, value, place)];
}

function insideMeta(schema: ServedSchema, at: string, level: Level, checks: MetaChecks): readonly FieldError[] {
  const place = `${at}.default`;
  const object = level.surround(copyJson(schema.default));
  const refuse = (why: string): readonly FieldError[] => [
    invalidValue(place, schema.default, `must result in valid metadata: ${why}`),
  ];
  try {
    coerceEmbedded(level.root, object, checks);
  } catch (error) {
    if (error instanceof EmbeddedError) return refuse(error.message);
    throw error;
  }
  const embedded = validateEmbedded(level.root, object, checks.checkMeta);
  return embedded.length > 0 ? refuse(fieldErrorsText(embedded)) : bySchema(schema, schema.default, place);
}

/** Structural checks, then rules: as a value that was there, and as one that is new. */
function bySchema(schema: ServedSchema, value: unknown, at: string): readonly FieldError[] {
  const errors = validateSchema(schema, value, { at });
  if (errors.length > 0) return errors;
  const unchanged = validateValueRules(schema, value, at, value);
  return unchanged.length > 0 ? unchanged : validateValueRules(schema, value, at);
}
