import type { KubeObject } from "../wire/object.ts";
import { StatusError } from "./status-error.ts";

/** True for a refusal because the object has another version than the write carried. */
export function isConflict(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === "Conflict";
}

/** A Conflict that the client found out itself; `cause` is the refusal that made it look. */
export function conflict(doing: string, state: string, cause: unknown): StatusError {
  return new StatusError("Conflict", `Cannot ${doing}: ${state}; read it again`, {
    httpStatus: 409,
    reason: "Conflict",
    cause,
  });
}

/** The object went away between the read and the write. */
export function gone(doing: string, cause: unknown): StatusError {
  return missing(`Cannot ${doing}: it has been deleted`, cause);
}

/**
 * A 404 to the write of a status: for a kind without that subresource kube-apiserver says the same as for a missing
 * object.
 */
export function goneOrStatusless(doing: string, cause: unknown): StatusError {
  return missing(`Cannot ${doing}: it has been deleted or, if it is there, its CRD has no status subresource`, cause);
}

function missing(message: string, cause: unknown): StatusError {
  return new StatusError("NotFound", message, { httpStatus: 404, reason: "NotFound", missing: true, cause });
}

/**
 * Why a status that was computed from `read` says nothing about `now`; undefined when it still does. A namesake with
 * another uid is another object, and kube-apiserver would take the status for it: /status of a custom resource does not
 * check the uid.
 */
export function whyStatusIsVoid(read: KubeObject, now: KubeObject): string | undefined {
  const { uid, generation } = read.metadata;
  if (now.metadata.uid !== uid) return `it was deleted and created again (uid ${uid}, now ${now.metadata.uid})`;
  if (now.metadata.generation !== generation)
    return `its spec has changed (generation ${generation}, now ${now.metadata.generation})`;
  return undefined;
}
