import type { Clock } from "farwatch";
import { aggregateRoles } from "./aggregate-roles.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { collectGarbage } from "./collect-garbage.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { emptyNamespaces } from "./empty-namespaces.ts";
import { finalizeDefinitions } from "./finalize-definitions.ts";
import { furnishNamespaces } from "./furnish-namespaces.ts";

export interface ControllersOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** PEM, published in each namespace as `kube-root-ca.crt`; default: empty, for a server without certificates. */
  readonly rootCertificate?: string | undefined;
  /**
   * Told of each failed try, which is repeated: the controller's name, what it was about (an object's or namespace's
   * name), and the error. Default: nobody.
   */
  readonly onFailure?: ((controller: string, key: string, error: unknown) => void) | undefined;
  /** Default false. */
  readonly serverOnly?: boolean | undefined;
}

/**
 * Starts the controllers of a controller manager that a server needs: garbage collection, namespaces, service accounts,
 * roles; with `serverOnly` only what the real API server does by itself, the deletion of a CustomResourceDefinition's
 * objects. They work in the ticks after each change, so that a virtual clock that settles has seen all of it.
 */
export function startControllers(options: ControllersOptions): Controller {
  const { access, clock, rootCertificate = "", onFailure, serverOnly = false } = options;
  const ports = (controller: string): ControllerPorts => ({
    access,
    clock,
    onFailure: (key, error) => onFailure?.(controller, key, error),
  });
  const started: Controller[] = [finalizeDefinitions(ports("customresourcedefinition"))];
  if (!serverOnly) {
    started.push(
      emptyNamespaces(ports("namespace")),
      collectGarbage(ports("garbage-collector")),
      furnishNamespaces({ ...ports("serviceaccount"), rootCertificate }),
      aggregateRoles(ports("clusterrole-aggregation")),
    );
  }
  return {
    readAll(): void {
      for (const controller of started) controller.readAll();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(started.map((controller) => controller[Symbol.asyncDispose]()));
    },
  };
}
