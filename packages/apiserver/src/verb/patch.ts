import type { JsonObject } from "farwatch";
import { ApiError, invalid, notFound } from "../failure/api-error.ts";
import { invalidValue } from "../failure/field-error.ts";
import { applyConfiguration } from "../patch/apply-configuration.ts";
import { applyPatch, patchMediaTypes, unsupportedPatch } from "../patch/apply-patch.ts";
import { recordUpdate } from "../patch/record-update.ts";
import { decodeValue, fitName } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { insert, replace, subjectOf, type WriteStep, type Written, writeStep } from "./write.ts";
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
  const { served, name = "" } = request;
  const validation = options.fieldValidation;
  const owner = fieldOwner(step, options.fieldManager);
  const done = await replace(step, async (before) => {
    const patched = applyPatch({
      ...served,
      mediaType: request.contentType,
      document: before,
      patch: request.body?.value,
      fieldValidation: validation,
    });
    const body = { value: structuredClone(patched.value) };
    const after = decodePatched(core, request, { body, validation, problems: patched.problems });
    fitName(after, name);
    await recordUpdate({ ...owner, before, after });
    return after;
  });
  if (done === undefined) throw notFound(subjectOf(request));
  return done;
}

/** A result that cannot be read is the patch's fault. */
function decodePatched(...[core, request, options]: Parameters<typeof decodeValue>): ReturnType<typeof decodeValue> {
  try {
    return decodeValue(core, request, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.inner === undefined) throw error;
    throw invalid({ group: "", kind: "", name: "" }, [
      invalidValue("patch", JSON.stringify(options.body.value), error.inner),
    ]);
  }
}

async function apply(step: WriteStep, options: WriteOptions): Promise<Written> {
  const { core, request } = step;
  const { name = "", subresource } = request;
  const validation = options.fieldValidation;
  const owner = fieldOwner(step, options.fieldManager);
  // What the body itself holds is judged once, whatever it is merged into.
  const applied = decodeApplied(step, validation);
  const merge = async (live: JsonObject | undefined): ReturnType<typeof applyConfiguration> => {
    const merged = await applyConfiguration({ ...owner, live, applied, force: options.force });
    const draft = decodeValue(core, request, { body: { value: merged }, validation: "Ignore" });
    fitName(draft, name);
    return draft;
  };
  const done = await replace(step, merge);
  if (done !== undefined) return done;
  if (subresource !== undefined) throw notFound(subjectOf(request));
  return insert(step, await merge(undefined));
}

/** The applied body, checked as any other; what it leaves out stays out, since every field in it becomes the manager's. */
function decodeApplied({ core, request }: WriteStep, validation: WriteOptions["fieldValidation"]): unknown {
  const body = request.body ?? { value: undefined };
  decodeValue(core, request, { body: { ...body, value: structuredClone(body.value) }, validation });
  return body.value;
}
