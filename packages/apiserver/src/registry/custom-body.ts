import { badRequest } from "../failure/api-error.ts";
import { type BodyKind, type DecodedBody, unreadable } from "../schema/built-in-body.ts";
import { coerceEmbedded, EmbeddedError } from "../schema/embedded-resource.ts";
import { decodeGo } from "../schema/go-decode.ts";
import { GoDecodeError } from "../schema/go-scalar.ts";
import { parseGoTime } from "../schema/go-time.ts";
import { isObject } from "../schema/plain-object.ts";
import { pruneFields } from "../schema/prune.ts";
import { applyDefaults, dropNulls } from "../schema/schema-default.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import type { DraftObject } from "./api-object.ts";
import { builtInSchema } from "./built-in-schema.ts";

/**
 * An object of a custom resource as the server reads it from a body: metadata as ObjectMeta has it, unknown fields and
 * nulls dropped, defaults set. The value itself is left alone.
 *
 * @throws ApiError 400 where metadata, or apiVersion and kind of an embedded resource, are of a wrong type.
 */
export function decodeCustom(schema: ServedSchema, value: unknown, body: BodyKind): DecodedBody<DraftObject> {
  if (!isObject(value)) throw badRequest("the object provided is no object");
  const objectMeta = builtInSchema("meta.v1.ObjectMeta");
  try {
    const metadata = Object.hasOwn(value, "metadata") ? decodeGo(objectMeta, value.metadata) : undefined;
    const { object, unknown } = pruneFields(schema, value);
    dropNulls(schema, object);
    const embedded = coerceEmbedded(schema, object, { objectMeta });
    object.metadata = metadata?.value ?? {};
    applyDefaults(schema, object);
    return {
      object: object as DraftObject,
      unknown: [...(metadata?.unknown ?? []).map((field) => `metadata.${field}`), ...unknown, ...embedded],
    };
  } catch (error) {
    if (error instanceof GoDecodeError || error instanceof EmbeddedError) throw unreadable(body, error.message);
    throw error;
  }
}

/** Metadata as ObjectMeta has it: empty maps and lists are gone. It has been checked before. */
export function decodeMeta(metadata: DraftObject["metadata"]): DraftObject["metadata"] {
  return decodeGo(builtInSchema("meta.v1.ObjectMeta"), metadata).value as DraftObject["metadata"];
}

/** Metadata as it is read where nobody decodes it: a time that is none is as good as not set. */
export function withoutBadTimes(metadata: DraftObject["metadata"]): DraftObject["metadata"] {
  const kept = { ...metadata };
  for (const name of ["creationTimestamp", "deletionTimestamp"] as const) {
    const value: unknown = kept[name];
    if (typeof value !== "string" || "error" in parseGoTime(value)) Reflect.deleteProperty(kept, name);
  }
  return kept;
}

/**
 * A stored object of a custom resource as it is read back: pruned and defaulted by the schema of now. The stored object
 * itself is left alone.
 */
export function readStored<T extends object>(schema: ServedSchema, object: T): T {
  const read = pruneFields(schema, object).object;
  dropNulls(schema, read);
  applyDefaults(schema, read);
  return read;
}
