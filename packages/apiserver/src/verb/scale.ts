import type { JsonObject } from "farwatch";
import { metaErrors } from "../admit/built-in/object-kind.ts";
import { checkNonNegative } from "../admit/field-check.ts";
import { dnsSubdomain } from "../admit/name-rule.ts";
import { ApiError, badRequest, internalError, invalid, methodNotAllowed, notFound } from "../failure/api-error.ts";
import { applyConfiguration } from "../patch/apply-configuration.ts";
import { applyPatch, patchMediaTypes, unsupportedPatch } from "../patch/apply-patch.ts";
import { recordUpdate } from "../patch/record-update.ts";
import type { DraftManagedFields, DraftObject, StoredObject } from "../registry/api-object.ts";
import { namesOf, valueAt } from "../registry/field-path.ts";
import { type LabelSelector, selectorText } from "../registry/label-selector.ts";
import { copyJson, isObject, own, setOwn } from "../schema/plain-object.ts";
import { type BodyType, decodeAs, fitName, servedBody } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import { getObject } from "./get.ts";
import { decodePatched } from "./patch.ts";
import { checkAppliedText, checkPatchText, repeatedFields } from "./patch-text.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";
import { ownersOfScale, ownersOfScaled } from "./scale-owner.ts";
import type { ServerCore } from "./server-core.ts";
import { replace, type WriteStep, writeStep } from "./write.ts";
import { readWriteOptions, type WriteOptions } from "./write-option.ts";

/** The kind of the body. */
export const scaleType: BodyType = { group: "autoscaling", version: "v1", kind: "Scale" };

/** Stands in the Scale of a custom object that has none, so that a patch that says nothing of them is noticed. */
const noReplicas = -(2 ** 31);

/** GET, PUT and PATCH of the subresource `scale`. */
export async function answerScale(core: ServerCore, request: ResourceRequest): Promise<JsonObject> {
  if (request.verb === "get") {
    const object = await getObject(core, request);
    const { kind, version } = request.served;
    const path = version.scale?.specReplicasPath ?? "";
    if (kind.custom && valueAt(object, namesOf(path)) === undefined) {
      throw internalError(`the spec replicas field ${JSON.stringify(path)} does not exist`);
    }
    return scaleOf(object, request);
  }
  const patching = request.verb === "patch";
  if (!patching && request.verb !== "update") throw methodNotAllowed();
  const scaleKind = servedBody(scaleType);
  const applying = request.contentType.startsWith("application/apply-patch+");
  const { kind } = request.served;
  if (patching && !patchMediaTypes(kind).includes(request.contentType)) throw unsupportedPatch(kind);
  const options = readWriteOptions(request.query, patching ? "PatchOptions" : "UpdateOptions", applying);
  const step: WriteStep = {
    ...writeStep(core, request, options),
    body: {
      show: (object) => scaleOf(object as StoredObject, request) as DraftObject,
      take: (object, scale) => takeReplicas(object, request, scale),
    },
  };
  const owner = { ...fieldOwner(step, options.fieldManager), ...scaleKind, convert: undefined };
  const sent = patching ? undefined : sentScale(step, options);
  const scaled = async (before: JsonObject): Promise<DraftObject> => {
    if (applying) {
      checkAppliedText(request, options.fieldValidation);
      const applied = request.body?.value ?? null;
      return applyConfiguration({ ...owner, live: before, applied, force: options.force });
    }
    const after = sent === undefined ? patchedScale(step, options, before) : copyJson(sent);
    await recordUpdate({ ...owner, before, after });
    // Of a custom object the real server finds no owners by a body that does not say of which version it is.
    if (sent !== undefined && kind.custom && !saysItsVersion(request.body?.value)) {
      Reflect.deleteProperty(after.metadata, "managedFields");
    }
    return after;
  };
  const done = await replace(step, async (before) => {
    const document = scaleOf(before, request, ownersOfScale(before, request.served));
    const path = request.served.version.scale?.specReplicasPath ?? "";
    const isEmpty = kind.custom && valueAt(before, namesOf(path)) === undefined;
    const scale = await scaled(isEmpty ? { ...document, spec: { replicas: noReplicas } } : document);
    fitName(scale, request.name ?? "");
    const after = copyJson(before) as DraftObject;
    const { uid, resourceVersion } = scale.metadata;
    if (uid !== undefined) after.metadata.uid = uid;
    if (resourceVersion !== undefined) after.metadata.resourceVersion = resourceVersion;
    const owners = ownersOfScaled(before, request.served, scale.metadata.managedFields);
    if (owners === undefined) Reflect.deleteProperty(after.metadata, "managedFields");
    else after.metadata.managedFields = owners;
    takeReplicas(after, request, scale);
    return after;
  });
  if (done === undefined) throw notFound(subjectOf(request));
  return scaleOf(done.object, request);
}

function saysItsVersion(body: unknown): boolean {
  return Boolean(isObject(body) && body.apiVersion);
}

function sentScale({ core, request }: WriteStep, { fieldValidation: validation }: WriteOptions): DraftObject {
  try {
    const scale = decodeAs(core, request, {
      type: scaleType,
      body: request.body ?? { value: undefined },
      validation,
    });
    fitName(scale, request.name ?? "");
    return scale;
  } catch (error) {
    if (!request.served.kind.custom || !(error instanceof ApiError) || error.inner === undefined) throw error;
    // What the real server says of every such body, since it looks for the type among custom ones.
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  }
}

function patchedScale(step: WriteStep, options: WriteOptions, before: JsonObject): DraftObject {
  const { core, request } = step;
  const { fieldValidation } = options;
  checkPatchText(request, fieldValidation);
  const patched = applyPatch({
    ...servedBody(scaleType),
    mediaType: request.contentType,
    document: before,
    patch: request.body?.value,
    fieldValidation,
    duplicateFields: repeatedFields(request, fieldValidation),
  });
  return decodePatched(patched, (value, problems) =>
    decodeAs(core, request, { type: scaleType, body: { value }, validation: fieldValidation, problems }),
  );
}

function takeReplicas(object: DraftObject, request: ResourceRequest, scale: DraftObject): void {
  const { replicas = 0 } = (scale.spec ?? {}) as { readonly replicas?: number };
  if (replicas === noReplicas) {
    const path = request.served.version.scale?.specReplicasPath ?? "";
    throw badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`);
  }
  if (!request.served.kind.custom) checkScale(scale, replicas);
  setReplicas(object, request, replicas);
}

/** ValidateScale of autoscaling. Of a custom object the object that comes out of it is validated, and no Scale. */
function checkScale(scale: DraftObject, replicas: number): void {
  const errors = metaErrors(scale, { namespaced: true, nameRule: dnsSubdomain });
  checkNonNegative(errors, "spec.replicas", replicas);
  if (errors.length > 0) throw invalid({ ...scaleType, name: scale.metadata.name ?? "" }, errors);
}

/** autoscaling/v1 Scale of an object, by the paths of its kind. */
function scaleOf(
  object: StoredObject,
  { served }: ResourceRequest,
  managedFields?: readonly DraftManagedFields[],
): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const {
    specReplicasPath = ".spec.replicas",
    statusReplicasPath = ".status.replicas",
    labelSelectorPath,
  } = served.version.scale ?? {};
  const selector =
    labelSelectorPath === undefined ? undefined : selectorTextOf(valueAt(object, namesOf(labelSelectorPath)));
  const specReplicas = valueAt(object, namesOf(specReplicasPath));
  const statusReplicas = valueAt(object, namesOf(statusReplicasPath));
  return {
    kind: scaleType.kind,
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec: typeof specReplicas === "number" && specReplicas !== 0 ? { replicas: specReplicas } : {},
    status: {
      replicas: typeof statusReplicas === "number" ? statusReplicas : 0,
      ...(selector === undefined || selector === "" ? {} : { selector }),
    },
  };
}

function setReplicas(object: DraftObject, { served }: ResourceRequest, replicas: number): void {
  const names = namesOf(served.version.scale?.specReplicasPath ?? ".spec.replicas");
  let at: Record<string, unknown> = object;
  for (const name of names.slice(0, -1)) {
    const next = own(at, name);
    const child = typeof next === "object" && next !== null ? (next as Record<string, unknown>) : {};
    setOwn(at, name, child);
    at = child;
  }
  setOwn(at, names.at(-1) ?? "replicas", replicas);
}

/** A selector as text: the text itself, or the text form of a LabelSelector or of plain labels. */
function selectorTextOf(selector: unknown): string | undefined {
  if (typeof selector === "string") return selector;
  if (typeof selector !== "object" || selector === null) return undefined;
  const isMap = !("matchLabels" in selector || "matchExpressions" in selector);
  return selectorText(
    isMap ? { matchLabels: selector as Readonly<Record<string, string>> } : (selector as LabelSelector),
  );
}
