import type { FieldError } from "../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { KindVersion } from "../registry/kind.ts";
import { validateEmbedded } from "../schema/embedded-resource.ts";
import { validateListTypes } from "../schema/list-type.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import { hasRules, rulesSkipped, validateRules } from "../schema/validate-rules.ts";
import { validateSchema } from "../schema/validate-schema.ts";
import { validateScaleSpec, validateScaleStatus } from "./custom-scale.ts";
import type { CustomChecks } from "./custom-strategy.ts";
import { validateEmbeddedMeta } from "./embedded-meta.ts";

/** The checks of a version of a custom kind by its schema, in the order of the real server. */
export function customChecks({ schema, scale }: KindVersion): CustomChecks {
  const statusSchema: ServedSchema = schema.properties?.status ?? {};
  const ruled = hasRules(schema);
  /** Of updates that were let pass since what breaks a rule did not change. */
  const tolerated = new WeakMap<DraftObject, readonly string[]>();

  const rest = (
    object: DraftObject,
    old: StoredObject | undefined,
    before: readonly FieldError[],
  ): readonly FieldError[] => {
    const unlike = validateListTypes(schema, object);
    // What the old object had wrong already is let pass.
    const tolerates = unlike.length > 0 && old !== undefined && validateListTypes(schema, old).length > 0;
    const errors = [...before, ...(tolerates ? [] : unlike)];
    if (!ruled) return errors;
    const skipped = rulesSkipped(errors);
    if (skipped !== undefined) return [...errors, skipped];
    const asked = validateRules(schema, object, old);
    tolerated.set(object, asked.warnings);
    return [...errors, ...asked.errors];
  };
  const whole = (object: DraftObject, structural: readonly FieldError[]): readonly FieldError[] => [
    ...structural,
    ...validateScaleSpec(scale, object),
    ...validateScaleStatus(scale, object),
    ...validateEmbedded(schema, object, validateEmbeddedMeta),
  ];

  return {
    validate: (object) => rest(object, undefined, whole(object, validateSchema(schema, object))),
    validateUpdate: (object, old) => rest(object, old, whole(object, validateSchema(schema, object, { old }))),
    validateStatusUpdate(object, old): readonly FieldError[] {
      const { status } = object;
      const structural =
        status === undefined ? [] : validateSchema(statusSchema, status, { old: old.status, at: "status" });
      return rest(object, old, [...structural, ...validateScaleStatus(scale, object)]);
    },
    warnings: (object) => tolerated.get(object) ?? [],
  };
}
