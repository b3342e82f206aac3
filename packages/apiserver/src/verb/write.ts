import { formatTime } from "farwatch";
import type { AdmissionAttributes } from "../admit/attributes.ts";
import { beforeCreate, beforeUpdate, type WrittenKind } from "../admit/before-write.ts";
import { isLetGo } from "../admit/deletion.ts";
import { dropRepeatedOwners } from "../admit/repeated-owner.ts";
import type { StrategyContext } from "../admit/strategy.ts";
import { writtenKind } from "../admit/written-kind.ts";
import { accessRefused } from "../authorize/access-refused.ts";
import { alreadyExists, conflict, forbidden, invalid, staleVersion, storageError } from "../failure/api-error.ts";
import { type FieldError, invalidValue } from "../failure/field-error.ts";
import { keepTimesOfNoChange } from "../patch/apply-configuration.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import { fitNamespace } from "./decode-body.ts";
import { checkPreconditions } from "./precondition.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";
import { sameContent } from "./same-content.ts";
import type { ServerCore } from "./server-core.ts";
import { readObject, shownObject } from "./shown-object.ts";
import { isUnread, keepUnread } from "./unread-text.ts";
import type { WriteOptions } from "./write-option.ts";

/** What a write has done. */
export interface Written {
  readonly code: 200 | 201;
  /** In the version of the request. */
  readonly object: StoredObject;
}

/** One write request on its way: what all of its steps need. */
export interface WriteStep {
  readonly core: ServerCore;
  readonly request: ResourceRequest;
  readonly options: Pick<WriteOptions, "dryRun">;
  readonly written: WrittenKind;
  readonly context: StrategyContext;
  /** Of a subresource with a body of its own. */
  readonly body?: BodyView;
}

/** What admission is shown in place of the object, and may change. */
export interface BodyView {
  show(object: DraftObject | StoredObject): DraftObject;
  /** Writes the body's part into the object. */
  take(object: DraftObject, body: DraftObject): void;
}

export function writeStep(
  core: ServerCore,
  request: ResourceRequest,
  options: Pick<WriteOptions, "dryRun">,
): WriteStep {
  const now = formatTime(core.clock.now());
  return {
    core,
    request,
    options,
    written: writtenKind(request.served),
    context: { subresource: request.subresource, now, uuid: () => core.uuid() },
  };
}

function attributesOf(
  step: WriteStep,
  object: DraftObject,
  old: StoredObject | undefined,
): AdmissionAttributes & { readonly object: DraftObject } {
  const { request, options, body } = step;
  return {
    operation: old === undefined ? "CREATE" : "UPDATE",
    served: request.served,
    namespace: request.namespace,
    name: object.metadata.name ?? request.name ?? "",
    subresource: request.subresource,
    object: body?.show(object) ?? object,
    old: old === undefined ? undefined : ((body?.show(old) as StoredObject | undefined) ?? old),
    user: request.user,
    dryRun: options.dryRun,
    options: givenOptions(request, options),
    warn: request.warn,
    signal: request.signal,
  };
}

/** The object as mutating admission leaves it, in its own namespace, with every owner named once. */
async function mutate(step: WriteStep, draft: DraftObject, old: StoredObject | undefined): Promise<DraftObject> {
  const { core, request, body } = step;
  const mutated = await core.admission.mutate(attributesOf(step, draft, old));
  if (body !== undefined) {
    body.take(draft, mutated);
    return draft;
  }
  fitNamespace(mutated, request.served, request.namespace);
  const warning = dropRepeatedOwners(mutated, "after admission");
  if (warning !== undefined) request.warn(warning);
  return mutated;
}

/** metav1.CreateOptions or UpdateOptions with what was asked for, and no more. */
function givenOptions(
  { query }: ResourceRequest,
  { dryRun }: Pick<WriteOptions, "dryRun">,
): AdmissionAttributes["options"] {
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  return {
    ...(dryRun && { dryRun: ["All"] }),
    ...(fieldManager !== "" && { fieldManager }),
    ...(fieldValidation !== "" && { fieldValidation }),
  };
}

const generatedNameTries = 8;

/** An update or an apply that creates needs the right to create as well. */
function mayCreate({ core, request }: WriteStep, { metadata }: DraftObject): void {
  const { user, namespace, served } = request;
  const { group, plural: resource } = served.kind;
  const access = {
    user,
    verb: "create",
    group,
    version: served.version.version,
    resource,
    namespace,
    name: metadata.name,
  };
  const decision = core.authorizer.authorize(access);
  if (!decision.allowed) throw accessRefused(access, decision);
}

/** Stores a new object: admission, strategy, validation, and the store. The draft is in the version of the request. */
export async function insert(step: WriteStep, draft: DraftObject): Promise<Written> {
  const { core, request, written, context, options } = step;
  const { served } = request;
  if (served.kind.terminating) {
    const subject = { ...subjectOf(request), name: draft.metadata.name };
    throw forbidden(subject, "create not allowed while custom resource definition is terminating");
  }
  if (request.verb !== "create") mayCreate(step, draft);
  const mutated = await mutate(step, draft, undefined);
  const { metadata } = mutated;
  const generated = (metadata.name ?? "") === "" && (metadata.generateName ?? "") !== "";
  metadata.uid = core.uuid();
  metadata.creationTimestamp = context.now;
  const resource = resourceId(served.kind);
  for (let tries = 1; generated && tries <= generatedNameTries; tries += 1) {
    metadata.name = generateName(core, metadata.generateName ?? "");
    if (core.store.get(resource, objectKey({ ...metadata, name: metadata.name })) === undefined) break;
  }
  checkTypeMeta(served, mutated);
  const { dryRun } = options;
  core.admission.allocate({ served, subresource: request.subresource, object: mutated, old: undefined, dryRun });
  for (const warning of beforeCreate(mutated, written, context)) request.warn(warning);
  await core.admission.validate(attributesOf(step, mutated, undefined));
  // What is no number passes, as the real server's store ignores it; a dry run does not come so far, and an update that
  // creates comes another way.
  const isCreate = request.verb === "create" && !dryRun;
  if (isCreate && /^\d+$/.test(metadata.resourceVersion ?? "") && Number(metadata.resourceVersion) !== 0) {
    throw storageError("resourceVersion should not be set on objects to be created");
  }
  core.codec.settle(served, mutated);
  const stored = await core.codec.toStorage(served, mutated);
  const key = objectKey({ namespace: metadata.namespace, name: metadata.name ?? "" });
  const taken = core.store.get(resource, key);
  if (taken !== undefined) {
    const isDeleting = taken.metadata.deletionTimestamp !== undefined;
    throw alreadyExists({ ...subjectOf(request), name: metadata.name }, isDeleting ? "object is being deleted: " : "");
  }
  const object = dryRun ? (stored as StoredObject) : core.store.create(resource, key, stored);
  keepUnread(object, draft);
  return { code: 201, object: await shownObject(core, request, object) };
}

/** Five letters and digits without vowels, as the real server appends them; the whole is cut to 63 characters. */
function generateName({ random }: ServerCore, base: string): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  const suffix = Array.from({ length: 5 }, () => letters[Math.floor(random() * letters.length)]).join("");
  return `${base.slice(0, 63 - suffix.length)}${suffix}`;
}

/**
 * What makes the next object of the current one, both in the version of the request; called again when somebody else
 * was faster.
 */
export type Change = (current: StoredObject) => Promise<DraftObject>;

const maxTries = 5;

/**
 * Changes an object that is there: versions are compared, then admission, strategy and validation. A change that
 * changes nothing writes nothing; one that takes the last finalizer of an object that is being deleted deletes it.
 */
export async function replace(step: WriteStep, change: Change): Promise<Written | undefined> {
  for (let tries = 1; ; tries += 1) {
    const done = await tryReplace(step, change);
    if (done !== "again") return done;
    if (tries === maxTries) throw conflict(subjectOf(step.request), staleVersion);
  }
}

async function tryReplace(step: WriteStep, change: Change): Promise<Written | "again" | undefined> {
  const { core, request, written, context, options } = step;
  const { served, namespace, name = "" } = request;
  const resource = resourceId(served.kind);
  const key = objectKey({ namespace, name });
  const stored = core.store.get(resource, key);
  if (stored === undefined) return undefined;
  const old = await readObject(core, request, stored);
  const draft = await change(old);
  checkPreconditions(step, draft, old);
  checkTypeMeta(served, draft);
  const mutated = await mutate(step, draft, old);
  const { dryRun } = options;
  core.admission.allocate({ served, subresource: request.subresource, object: mutated, old, dryRun });
  for (const warning of beforeUpdate(mutated, old, { written, context })) request.warn(warning);
  await core.admission.validate(attributesOf(step, mutated, old));
  core.codec.settle(served, mutated);
  keepTimesOfNoChange(old, mutated);
  const letsGo = isLetGo(mutated, served.kind);
  if (!letsGo && !isUnread(stored) && !isUnread(draft) && sameContent(old, mutated)) {
    return { code: 200, object: await shownObject(core, request, stored) };
  }
  const next = await core.codec.toStorage(served, mutated, { whole: step.body === undefined });
  if (core.store.get(resource, key) !== stored) return "again";
  if (dryRun) return { code: 200, object: await shownObject(core, request, next as StoredObject) };
  if (letsGo) {
    // The write that takes the last finalizer is never seen by itself: the object goes, as it was stored. So it does
    // with a write that changes nothing, where nothing holds it: an apply can make an object that is being deleted.
    core.store.remove(resource, key);
    return { code: 200, object: await readObject(core, request, next as StoredObject) };
  }
  const object = keepUnread(core.store.replace(resource, key, next), draft);
  return { code: 200, object: await shownObject(core, request, object) };
}

/** Kind and apiVersion of a custom object are fields of it like any other, until they are checked. */
function checkTypeMeta({ kind, version }: ServedKind, object: DraftObject): void {
  if (!kind.custom) return;
  const apiVersion = apiVersionOf(kind.group, version.version);
  const errors: FieldError[] = [];
  if (object.kind !== kind.kind) errors.push(invalidValue("kind", object.kind, `must be ${kind.kind}`));
  if (object.apiVersion !== apiVersion)
    errors.push(invalidValue("apiVersion", object.apiVersion, `must be ${apiVersion}`));
  if (errors.length > 0)
    throw invalid({ group: kind.group, kind: object.kind, name: object.metadata.name ?? "" }, errors);
}
