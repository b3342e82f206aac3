import type { AdmissionAttributes } from "../admit/attributes.ts";
import { changesFinalizers, keptAfterDeletion } from "../admit/deletion.ts";
import { conflict, notFound } from "../failure/api-error.ts";
import { objectBeforeCreate } from "../patch/zero-object.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import { type DeleteOptions, readDeleteOptions } from "./delete-option.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { readObject, shownObject } from "./shown-object.ts";
import { writeStep } from "./write.ts";

/** What a deletion has done. */
export interface Deleted {
  /** False: it is kept, with its deletionTimestamp, until its finalizers are gone or its grace has passed. */
  readonly gone: boolean;
  /** In the version of the request: its last state. */
  readonly object: StoredObject;
}

/** DELETE of one object. */
export function deleteObject(core: ServerCore, request: ResourceRequest): Promise<Deleted> {
  return removeObject(core, request, readDeleteOptions(request.query, request.body));
}

export async function removeObject(
  core: ServerCore,
  request: ResourceRequest,
  options: DeleteOptions,
): Promise<Deleted> {
  const { served, namespace, name = "" } = request;
  const resource = resourceId(served.kind);
  const key = objectKey({ namespace, name });
  const step = writeStep(core, request, options);
  for (;;) {
    const stored = core.store.get(resource, key);
    if (stored === undefined) throw notFound(subjectOf(request));
    const old = await readObject(core, request, stored);
    checkPreconditions(request, options, old);
    await core.admission.validate({
      operation: "DELETE",
      served,
      namespace,
      // The real server does not say which of a collection it is about to delete.
      name: request.verb === "deletecollection" ? "" : name,
      subresource: undefined,
      object: undefined,
      old,
      user: request.user,
      dryRun: options.dryRun,
      options: givenOptions(options),
      warn: request.warn,
      signal: request.signal,
    });
    if (core.store.get(resource, key) !== stored) continue;
    const kept = keptAfterDeletion(stored, { kind: served.kind, options, now: step.context.now });
    if (kept === undefined) {
      // A dry run ends at the write that would take finalizers, which has made nothing: the real server answers an
      // empty object.
      if (options.dryRun && changesFinalizers(stored, options)) {
        return { gone: false, object: objectBeforeCreate(served.kind, served.version) as StoredObject };
      }
      const last = options.dryRun ? stored : core.store.remove(resource, key);
      if (!options.dryRun) removeCompanion(core, resource, key);
      return { gone: true, object: await shownObject(core, request, last) };
    }
    // Nothing new: it is being deleted already.
    const isWritten = !options.dryRun && kept !== stored;
    const next = isWritten ? core.store.replace(resource, key, kept as DraftObject) : (kept as StoredObject);
    // What stays is answered as it stands in store.
    return { gone: false, object: await readObject(core, request, next) };
  }
}

/** metav1.DeleteOptions with what was asked for, and no more. */
function givenOptions(options: DeleteOptions): AdmissionAttributes["options"] {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = options;
  const fields = {
    gracePeriodSeconds,
    preconditions: Object.values(preconditions).some((one) => one !== undefined) ? preconditions : undefined,
    orphanDependents,
    propagationPolicy,
    dryRun: dryRun ? ["All"] : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const services = resourceId({ group: "", plural: "services" });
const endpoints = resourceId({ group: "", plural: "endpoints" });

/** The Endpoints of a Service go with it, whoever has made them. */
function removeCompanion({ store }: ServerCore, resource: string, key: string): void {
  if (resource === services && store.get(endpoints, key) !== undefined) store.remove(endpoints, key);
}

function checkPreconditions(
  request: ResourceRequest,
  { preconditions }: DeleteOptions,
  { metadata }: StoredObject,
): void {
  const { uid, resourceVersion } = preconditions;
  const { group, kind } = request.served.kind;
  const subject = { group, resource: kind, name: metadata.name };
  const differs = (what: string, asked: string, has: string, why: string): never => {
    throw conflict(
      subject,
      `the ${what} in the precondition (${asked}) does not match the ${what} in record (${has}). The object might have been ${why}`,
    );
  };
  if (uid !== undefined && uid !== metadata.uid) differs("UID", uid, metadata.uid, "deleted and then recreated");
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    differs("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
  }
}
