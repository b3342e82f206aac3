import type { JsonObject } from "farwatch";
import { ApiError, conflict, notFound } from "../failure/api-error.ts";
import { applyConfiguration } from "../patch/apply-configuration.ts";
import {
  applyPatch,
  type PatchedDocument,
  patchMediaTypes,
  strategicPatch,
  unsupportedPatch,
} from "../patch/apply-patch.ts";
import { recordUpdate } from "../patch/record-update.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { decodeMeta, withoutBadTimes } from "../registry/custom-body.ts";
import { apiVersionOf, kindText } from "../registry/registry.ts";
import { GoDecodeError } from "../schema/go-scalar.ts";
import { copyJson } from "../schema/plain-object.ts";
import { restoreFields } from "../schema/restore-fields.ts";
import { applyDefaults } from "../schema/schema-default.ts";
import { decodeValue, fitName, fitNamespace } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import { checkAppliedText, checkPatchText, repeatedFields } from "./patch-text.ts";
import { checkVersionText } from "./precondition.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { noteUnread } from "./unread-text.ts";
import { decodeUnversioned, isUnversioned } from "./unversioned-body.ts";
import { insert, replace, type WriteStep, type Written, writeStep } from "./write.ts";
import { readWriteOptions, type WriteOptions } from "./write-option.ts";

const applyTypes: ReadonlySet<string> = new Set(["application/apply-patch+yaml", "application/apply-patch+cbor"]);

/** PATCH of an object or of a subresource whose body is the object, by the media type of the body. */
export async function patchObject(core: ServerCore, request: ResourceRequest): Promise<Written> {
  const { contentType, served } = request;
  if (!patchMediaTypes(served.kind).includes(contentType)) throw unsupportedPatch(served.kind);
  const applying = applyTypes.has(contentType);
  const options = readWriteOptions(request.query, "PatchOptions", applying);
  const step = writeStep(core, request, options);
  return applying ? apply(step, options) : change(step, options);
}

async function change(step: WriteStep, options: WriteOptions): Promise<Written> {
  const { core, request } = step;
  const { served, contentType: mediaType, body } = request;
  const { fieldValidation } = options;
  const owner = fieldOwner(step, options.fieldManager);
  const done = await replace(step, async (before) => {
    checkPatchText(request, fieldValidation);
    const patched = applyPatch({
      ...served,
      mediaType,
      document: before,
      patch: body?.value,
      fieldValidation,
      duplicateFields: repeatedFields(request, fieldValidation),
    });
    const after = decodePatched(patched, (value, problems) => {
      const options = { validation: fieldValidation, problems };
      return mediaType !== strategicPatch && isUnversioned(served, value)
        ? decodeUnversioned(request, value, options)
        : decodeValue(core, request, { body: { value }, ...options });
    });
    fitName(after, request.name ?? "");
    await recordUpdate({ ...owner, before, after });
    return after;
  });
  if (done === undefined) throw notFound(subjectOf(request));
  return done;
}

/** Reads what a patch has made; what cannot be read is the patch's fault. */
export function decodePatched(
  { value, problems, refuse }: PatchedDocument,
  decode: (value: unknown, problems: readonly string[]) => DraftObject,
): DraftObject {
  try {
    return decode(copyJson(value), problems);
  } catch (error) {
    if (error instanceof ApiError && error.inner !== undefined) throw refuse(error.inner);
    throw error;
  }
}

async function apply(step: WriteStep, options: WriteOptions): Promise<Written> {
  const { request } = step;
  const { name = "", subresource } = request;
  const owner = fieldOwner(step, options.fieldManager);
  checkAppliedText(request, options.fieldValidation);
  const applied = request.body?.value ?? null;
  const merge = async (live: JsonObject | undefined): ReturnType<typeof applyConfiguration> => {
    const merged = await applyConfiguration({ ...owner, live, applied, force: options.force });
    return decodeMerged(step, merged);
  };
  const done = await replace(step, async (live) => {
    const draft = await merge(live);
    fitName(draft, name);
    return draft;
  });
  if (done !== undefined) return done;
  if (subresource !== undefined && step.written.strategy.allowCreateOnUpdate !== true)
    throw notFound(subjectOf(request));
  const draft = await merge(undefined);
  const { uid = "", resourceVersion } = draft.metadata;
  if (uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(subjectOf(request), why);
  }
  fitName(draft, name);
  checkVersionText(resourceVersion);
  return insert(step, draft);
}

/**
 * What an apply has made, with defaults. Nulls that it leaves in a custom object are judged by the schema, and not
 * dropped.
 */
function decodeMerged({ core, request }: WriteStep, merged: DraftObject): DraftObject {
  const { served, namespace } = request;
  const { kind, version } = served;
  if (!kind.custom) {
    try {
      restoreFields(version.schema, merged);
    } catch (error) {
      throw error instanceof GoDecodeError ? unconvertible(request, error.message) : error;
    }
    return decodeValue(core, request, { body: { value: merged }, validation: "Ignore" });
  }
  const written = merged.metadata;
  merged.metadata = decodeMeta(withoutBadTimes(written));
  noteUnread(merged, written);
  applyDefaults(version.schema, merged);
  fitNamespace(merged, served, namespace);
  return merged;
}

/** What is applied is no text when the real server reads it into its types. */
function unconvertible({ served: { kind, version }, body }: ResourceRequest, why: string): ApiError {
  const type = kindText(apiVersionOf(kind.group, version.version), kind.kind);
  const { metadata } = (body?.value ?? {}) as Partial<DraftObject>;
  const { namespace = "", name = "" } = metadata ?? {};
  return new ApiError({
    code: 500,
    reason: "",
    message: `failed to convert new object (${namespace}/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${why}`,
  });
}
