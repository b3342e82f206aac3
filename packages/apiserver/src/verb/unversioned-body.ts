import type { DraftObject } from "../registry/api-object.ts";
import { builtInSchema } from "../registry/built-in-schema.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";
import { type FieldValidation, reportFields, unreadable } from "../schema/built-in-body.ts";
import { decodeGo } from "../schema/go-decode.ts";
import { GoDecodeError } from "../schema/go-scalar.ts";
import { isObject } from "../schema/plain-object.ts";
import { fitNamespace } from "./decode-body.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { settleMeta } from "./settle-meta.ts";

/**
 * Whether a patch has left an object of a built-in kind that does not say of which version it is. The real server reads
 * it into its internal type, which no client else reaches: names and labels are fields of the object itself there,
 * `metadata` and `spec` are unknown, and nothing has a default.
 */
export function isUnversioned({ kind }: ServedKind, value: unknown): value is Readonly<Record<string, unknown>> {
  return !kind.custom && isObject(value) && !value.apiVersion && (!value.kind || value.kind === kind.kind);
}

/**
 * Reads such an object. What stands in it by the names of Go's fields (`Spec`) is as unknown as the rest.
 *
 * @throws ApiError 400 for values that do not fit, and with `Strict` for unknown fields.
 */
export function decodeUnversioned(
  { served, namespace, warn }: ResourceRequest,
  value: Readonly<Record<string, unknown>>,
  { validation, problems }: { readonly validation: FieldValidation; readonly problems: readonly string[] },
): DraftObject {
  const { kind, version } = served;
  const body = { kind: kind.kind, version: version.version };
  const { apiVersion: _version, kind: _kind, ...fields } = value;
  try {
    const { value: metadata, unknown } = decodeGo(builtInSchema("meta.v1.ObjectMeta"), fields);
    reportFields({ unknown, duplicates: [], problems }, { fieldValidation: validation, body, warn });
    const object: DraftObject = {
      apiVersion: apiVersionOf(kind.group, version.version),
      kind: kind.kind,
      metadata: metadata as DraftObject["metadata"],
    };
    fitNamespace(object, served, namespace);
    settleMeta(object, { metadata: fields });
    return object;
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    const why = error.message.replace(/struct field (\w+)\./, (_, struct: string) => {
      return `struct field ${struct === "ObjectMeta" ? kind.kind : struct}.ObjectMeta.`;
    });
    throw unreadable(body, why);
  }
}
