import { readResourcePath, verbOf } from "@farwatch/apiserver/access";
import type { TransportRequest } from "farwatch";
import type { FaultMatcher } from "./fault-matcher.ts";

/** A request to an API server, in the words of its own authorisation. */
export interface KubeRequest {
  /** get, list, watch, create, update, patch, delete or deletecollection. */
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource: string | undefined;
  /** Of a namespace its own. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Which requests to an API server are meant; every given part must match. Paths that are no resource's never do. */
export interface KubeMatcher {
  readonly verb?: string | readonly string[];
  readonly group?: string;
  readonly resource?: string;
  /** Empty: only requests for the object itself. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Reads method and URL; undefined for a path that is no resource's, such as discovery. */
export function parseKubeRequest({ method, url }: Pick<TransportRequest, "method" | "url">): KubeRequest | undefined {
  const { pathname, searchParams } = new URL(url);
  const path = readResourcePath(pathname);
  if (path === undefined) return undefined;
  const { group, version, resource, subresource, namespace, name } = path;
  const verb = verbOf(method, path, searchParams) ?? method.toLowerCase();
  return { verb, group, version, resource, subresource, namespace, name };
}

/** A matcher of faults from one in Kubernetes' words. */
export function kubeRequests(matcher: KubeMatcher): FaultMatcher {
  return {
    when(request): boolean {
      const asked = parseKubeRequest(request);
      if (asked === undefined) return false;
      const { verb, group, resource, subresource, namespace, name } = matcher;
      if (verb !== undefined && ![verb].flat().includes(asked.verb)) return false;
      if (subresource !== undefined && subresource !== (asked.subresource ?? "")) return false;
      return (
        (group ?? asked.group) === asked.group &&
        (resource ?? asked.resource) === asked.resource &&
        (namespace ?? asked.namespace) === asked.namespace &&
        (name ?? asked.name) === asked.name
      );
    },
  };
}
