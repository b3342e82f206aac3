import { formatTime } from "farwatch";
import { ApiError } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { isOf, keyOfStored, type ObservedChange } from "./cluster-access.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { createKeyWorker } from "./key-worker.ts";

interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

const definitions: GroupResource = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
/** Of a CustomResourceDefinition whose objects must be deleted before it; its deletion sets it. */
const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Deletes the objects of a CustomResourceDefinition that is being deleted, and lets it go when none is left. */
export function finalizeDefinitions({ access, clock, onFailure }: ControllerPorts): Controller {
  /** Definitions that wait, by `GROUP/PLURAL` of what they define. */
  const waiting = new Map<string, string>();
  const worker = createKeyWorker({ clock, onFailure, work: (name) => finalize(name) });

  const observe = (change: ObservedChange): void => {
    const { type, object, resource } = change;
    const { name } = object.metadata;
    if (isOf(change, definitions)) {
      const { group, resource: plural } = definedBy(object);
      if (type === "DELETED") waiting.delete(`${group}/${plural}`);
      else if (isWaiting(object)) {
        waiting.set(`${group}/${plural}`, name);
        worker.add(name);
      }
    } else if (waiting.size > 0) {
      const definition = waiting.get(`${resource.group}/${resource.resource}`);
      if (definition !== undefined && type === "DELETED") worker.add(definition);
    }
  };

  const finalize = async (name: string): Promise<void> => {
    const definition = access.find(definitions, { name });
    if (definition === undefined || !isWaiting(definition)) return;
    await tell(definition);
    const resource = definedBy(definition);
    for (const object of access.list(resource)) await remove(resource, object);
    if (access.list(resource).length === 0) await release(name);
  };

  const remove = async (resource: GroupResource, object: StoredObject): Promise<void> => {
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) return;
    try {
      await access.remove(resource, keyOfStored(object), { uid, propagationPolicy: "Background" });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  };

  const tell = async ({ metadata, status }: StoredObject): Promise<void> => {
    const { conditions } = (status ?? {}) as { readonly conditions?: readonly DefinitionCondition[] | null };
    const old = conditions ?? [];
    const before = old.find(({ type }) => type === "Terminating");
    const reason = "InstanceDeletionInProgress";
    if (before?.reason === reason) return;
    const terminating: DefinitionCondition = {
      type: "Terminating",
      status: "True",
      lastTransitionTime: before?.status === "True" ? before.lastTransitionTime : formatTime(clock.now()),
      reason,
      message: "CustomResource deletion is in progress",
    };
    const next = [...old.filter(({ type }) => type !== "Terminating"), terminating].map((one) => ({ ...one }));
    await access.patch(
      definitions,
      { name: metadata.name },
      { status: { conditions: next } },
      { subresource: "status" },
    );
  };

  const release = async (name: string): Promise<void> => {
    const definition = access.find(definitions, { name });
    if (definition === undefined || !isWaiting(definition)) return;
    const { resourceVersion, finalizers = [] } = definition.metadata;
    const left = finalizers.filter((one) => one !== cleanupFinalizer);
    await access.patch(
      definitions,
      { name },
      { metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } },
    );
  };

  const readAll = (): void => {
    waiting.clear();
    for (const object of access.list(definitions))
      observe({ resource: definitions, type: "ADDED", object, old: undefined });
  };
  readAll();
  const watching = access.watchAll(observe);
  return {
    readAll,
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await worker[Symbol.asyncDispose]();
    },
  };
}

function isWaiting({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(cleanupFinalizer);
}

function definedBy({ spec }: StoredObject): GroupResource {
  const { group = "", names } = (spec ?? {}) as {
    readonly group?: string;
    readonly names?: { readonly plural?: string };
  };
  return { group, resource: names?.plural ?? "" };
}
