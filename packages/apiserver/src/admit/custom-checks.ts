import type { FieldError } from "../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { KindVersion } from "../registry/kind.ts";
import { validateEmbedded } from "../schema/embedded-resource.ts";
import { validateListTypes } from "../schema/list-type.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import { validateSchema } from "../schema/validate-schema.ts";
import type { CustomChecks } from "./custom-strategy.ts";

/** The checks of a version of a custom kind by its schema, in the order of the real server. */
export function customChecks({ schema }: KindVersion): CustomChecks {
  const statusSchema: ServedSchema = schema.properties?.["status"] ?? {};
  return {
    validate: (object) => all(schema, object, undefined, validateSchema(schema, object)),
    validateUpdate: (object, old) => all(schema, object, old, validateSchema(schema, object, { old })),
    validateStatusUpdate: (object, old) =>
      all(schema, object, old, validateSchema(statusSchema, object["status"], { old: old["status"], at: "status" })),
  };
}

function all(
  schema: ServedSchema,
  object: DraftObject,
  old: StoredObject | undefined,
  structural: readonly FieldError[],
): readonly FieldError[] {
  const lists =
    old === undefined || validateListTypes(schema, old).length === 0 ? validateListTypes(schema, object) : [];
  return [...structural, ...validateEmbedded(schema, object, () => []), ...lists];
}
