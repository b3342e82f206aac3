import { type ErrorCode, isCodedError, messageOf } from "../error/coded-error.ts";
import { type AnyResource, groupResource } from "../resource/resource.ts";
import type { SyncProblem, SyncState } from "./cache.ts";
import type { Selection } from "./selection.ts";

/** Failures that end when the server is there again. */
const unreachable: ReadonlySet<ErrorCode> = new Set([
  "ConnectionFailed",
  "ServerUnavailable",
  "Timeout",
  "TooManyRequests",
  "WatchSilent",
]);

/** True for a cache that has seen a whole list and, as far as it knows, misses nothing; while it lists anew too. */
export function isInStep({ synced, phase }: SyncState): boolean {
  return synced && (phase === "watching" || phase === "syncing");
}

/** Says what keeps a selection from being in step with the server, and what to do about it. */
export function syncProblem(error: unknown, selection: Selection, attempts: number): SyncProblem {
  const { resource, name } = selection;
  const said = messageOf(error);
  const cannot = `Cannot list and watch ${name}`;
  if (isCodedError(error, "NotFound")) {
    return {
      reason: "CrdMissing",
      message: `${cannot}: the server does not have this kind; ${howToInstall(resource)}`,
      attempts,
    };
  }
  if (isCodedError(error, "Forbidden")) {
    // The authorizer names the user; an admission plugin or a proxy forbids in words of its own.
    const user = /\bUser "[^"]+"/.exec(said)?.[0];
    const forbidden = user === undefined ? `forbidden (${said})` : `forbidden for ${user}`;
    return { reason: "Forbidden", message: `${cannot}: ${forbidden}; to allow it, add ${rule(selection)}`, attempts };
  }
  if (isCodedError(error, "Unauthorized") || isCodedError(error, "CredentialFailed")) {
    return {
      reason: "Unauthorized",
      message: `${cannot}: the server does not let this user in; renew its credentials (${said})`,
      attempts,
    };
  }
  if (isCodedError(error) && unreachable.has(error.code)) {
    return {
      reason: "Unreachable",
      message: `${cannot}: the server does not answer, trying again (${said})`,
      attempts,
    };
  }
  return { reason: "Other", message: `${cannot}, trying again: ${said}`, attempts };
}

function howToInstall(resource: AnyResource): string {
  const { group, version } = resource;
  if (!group.includes(".") || group.endsWith(".k8s.io"))
    return `it serves no ${resource.apiVersion} ${resource.kind}: is it too old?`;
  return `install the CustomResourceDefinition ${groupResource(resource)}, with version ${version} served`;
}

function rule({ resource, namespace }: Selection): string {
  const where =
    namespace === undefined
      ? "a ClusterRole of this user"
      : `a Role of this user in namespace ${JSON.stringify(namespace)}`;
  const { group, plural } = resource;
  return `{ apiGroups: [${JSON.stringify(group)}], resources: [${JSON.stringify(plural)}], verbs: ["list", "watch"] } to ${where}`;
}
