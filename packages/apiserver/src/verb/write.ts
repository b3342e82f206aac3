import { formatTime } from "farwatch";
import type { AdmissionAttributes } from "../admit/attributes.ts";
import { beforeCreate, beforeUpdate, type WrittenKind, wipeSystemMeta } from "../admit/before-write.ts";
import type { StrategyContext } from "../admit/strategy.ts";
import { writtenKind } from "../admit/written-kind.ts";
import { alreadyExists, conflict, type Subject, staleVersion } from "../failure/api-error.ts";
import { keepTimesOfNoChange } from "../patch/apply-configuration.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { sameContent } from "./same-content.ts";
import type { ServerCore } from "./server-core.ts";
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

/** Whom refusals name. */
export function subjectOf({ served: { kind }, name }: Pick<ResourceRequest, "name" | "served">): Subject {
  return { group: kind.group, resource: kind.plural, name };
}

function attributesOf(
  step: WriteStep,
  object: DraftObject,
  old: StoredObject | undefined,
): AdmissionAttributes & { readonly object: DraftObject } {
  const { request, options } = step;
  return {
    operation: old === undefined ? "CREATE" : "UPDATE",
    served: request.served,
    namespace: request.namespace,
    name: object.metadata.name ?? request.name ?? "",
    subresource: request.subresource,
    object,
    old,
    user: request.user,
    dryRun: options.dryRun,
    options: {},
    warn: request.warn,
    signal: request.signal,
  };
}

const generatedNameTries = 8;

/** Stores a new object: admission, strategy, validation, and the store. The draft is in the version of the request. */
export async function insert(step: WriteStep, draft: DraftObject): Promise<Written> {
  const { core, request, written, context, options } = step;
  const { served } = request;
  const mutated = await core.admission.mutate(attributesOf(step, draft, undefined));
  const { metadata } = mutated;
  const generated = (metadata.name ?? "") === "" && (metadata.generateName ?? "") !== "";
  wipeSystemMeta(mutated);
  metadata.uid = core.uuid();
  metadata.creationTimestamp = context.now;
  const resource = resourceId(served.kind);
  for (let tries = 1; generated && tries <= generatedNameTries; tries += 1) {
    metadata.name = generateName(core, metadata.generateName ?? "");
    if (core.store.get(resource, objectKey({ ...metadata, name: metadata.name })) === undefined) break;
  }
  for (const warning of beforeCreate(mutated, written, context)) request.warn(warning);
  await core.admission.validate(attributesOf(step, mutated, undefined));
  const stored = await core.codec.toStorage(served, mutated);
  const key = objectKey({ namespace: metadata.namespace, name: metadata.name ?? "" });
  if (core.store.get(resource, key) !== undefined) {
    throw alreadyExists({ ...subjectOf(request), name: metadata.name });
  }
  const object = options.dryRun ? (stored as StoredObject) : core.store.create(resource, key, stored);
  return { code: 201, object: await shown(step, object) };
}

/** The object in the version of the request. */
async function shown({ core, request }: WriteStep, object: StoredObject): Promise<StoredObject> {
  const [one = object] = await core.codec.present(request.served, [object]);
  return one;
}

/** Five letters and digits without vowels, as the real server appends them; the whole is cut to 63 characters. */
function generateName({ random }: ServerCore, base: string): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  const suffix = Array.from({ length: 5 }, () => letters[Math.floor(random() * letters.length)]).join("");
  return `${base.slice(0, 63 - suffix.length)}${suffix}`;
}

/** What makes the next object of the current one, both in the version of the request; called again when somebody else was faster. */
export type Change = (current: StoredObject) => Promise<DraftObject>;

const maxTries = 5;

/**
 * Changes an object that is there: versions are compared, then admission, strategy and validation. A change that changes nothing
 * writes nothing; one that takes the last finalizer of an object that is being deleted deletes it.
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
  const old = await shown(step, stored);
  const draft = await change(old);
  checkPreconditions(step, draft, old);
  const mutated = await core.admission.mutate(attributesOf(step, draft, old));
  for (const warning of beforeUpdate(mutated, old, { written, context })) request.warn(warning);
  await core.admission.validate(attributesOf(step, mutated, old));
  keepTimesOfNoChange(old, mutated);
  if (sameContent(old, mutated)) return { code: 200, object: old };
  const next = await core.codec.toStorage(served, mutated);
  if (core.store.get(resource, key) !== stored) return "again";
  if (options.dryRun) return { code: 200, object: await shown(step, next as StoredObject) };
  const object = core.store.replace(resource, key, next);
  const result = { code: 200, object: await shown(step, object) } as const;
  if (isDeleted(object) && core.store.get(resource, key) === object) core.store.remove(resource, key);
  return result;
}

/** Whether nothing holds an object any more whose deletion was asked for. */
export function isDeleted({ metadata }: StoredObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}

function checkPreconditions({ request, written }: WriteStep, draft: DraftObject, old: StoredObject): void {
  const { metadata } = draft;
  const subject = subjectOf(request);
  if (metadata.uid !== undefined && metadata.uid !== "" && metadata.uid !== old.metadata.uid) {
    throw conflict(
      subject,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  const version = metadata.resourceVersion ?? "";
  if (version === "" && written.strategy.allowUnconditionalUpdate === true)
    metadata.resourceVersion = old.metadata.resourceVersion;
  else if (version !== "" && version !== old.metadata.resourceVersion) throw conflict(subject, staleVersion);
}
