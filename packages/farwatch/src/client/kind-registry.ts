import { CodedError } from "../error/coded-error.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { CustomResourceDefinition } from "../resource/kind/custom-resource-definition.ts";
import { Deployment } from "../resource/kind/deployment.ts";
import { Event } from "../resource/kind/event.ts";
import { Job } from "../resource/kind/job.ts";
import { Lease } from "../resource/kind/lease.ts";
import { Namespace } from "../resource/kind/namespace.ts";
import { Node } from "../resource/kind/node.ts";
import { Pod } from "../resource/kind/pod.ts";
import { Secret } from "../resource/kind/secret.ts";
import { Service } from "../resource/kind/service.ts";
import { ServiceAccount } from "../resource/kind/service-account.ts";
import type { AnyResource } from "../resource/resource.ts";
import { formatKey, type KubeObject, keyOf } from "../wire/object.ts";

const builtins: readonly AnyResource[] = [
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Event,
  Job,
  Lease,
  Namespace,
  Node,
  Pod,
  Secret,
  Service,
  ServiceAccount,
];

/**
 * How a write finds its path: an object says its apiVersion and kind, only a resource knows the plural and the scope.
 */
export interface KindRegistry {
  /** Makes a kind known; one known already is replaced. */
  join(resource: AnyResource): void;
  /** @throws CodedError `UnknownKind` for an object of a kind that no resource was given for. */
  resourceOf(object: KubeObject): AnyResource;
}

/** Knows the built-in kinds from the beginning. */
export function createKindRegistry(resources: readonly AnyResource[] = []): KindRegistry {
  const byKind = new Map<string, AnyResource>();
  /** The values of `byKind`: most calls are about one of them. */
  const known = new Set<AnyResource>();
  const join = (resource: AnyResource): void => {
    if (known.has(resource)) return;
    const id = `${resource.apiVersion}/${resource.kind}`;
    const before = byKind.get(id);
    if (before !== undefined) known.delete(before);
    byKind.set(id, resource);
    known.add(resource);
  };
  for (const resource of [...builtins, ...resources]) join(resource);
  return {
    join,
    resourceOf(object): AnyResource {
      const { apiVersion, kind } = object;
      const resource = byKind.get(`${apiVersion}/${kind}`);
      if (resource !== undefined) return resource;
      throw new CodedError(
        "UnknownKind",
        `Cannot write ${kind} ${formatKey(keyOf(object))}: the client knows no resource of ${apiVersion} ${kind}; give one to createClient({ resources }) or to any of its methods first, made by defineResource or defineBuiltin`,
      );
    },
  };
}
