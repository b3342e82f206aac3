import { formatTime } from "farwatch";
import { nextDefinitionStatus } from "../admit/definition/accept-names.ts";
import type { DefinitionNames } from "../admit/definition/definition.ts";
import { specOf, statusOf } from "../admit/definition/definition.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { isOf } from "./cluster-access.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { createKeyWorker } from "./key-worker.ts";

const definitions: GroupResource = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };

/** Accepts the names of CustomResourceDefinitions, or tells whose names are in use, and establishes those that are accepted. */
export function establishDefinitions({ access, clock, onFailure }: ControllerPorts): Controller {
  const worker = createKeyWorker({ clock, onFailure, work: (name) => settle(name) });

  const settle = async (name: string): Promise<void> => {
    const definition = access.find(definitions, { name });
    if (definition === undefined) return;
    const next = nextDefinitionStatus(definition, access.list(definitions), formatTime(clock.now()));
    if (next === undefined) return;
    const { acceptedNames = {}, conditions } = next;
    const status = { acceptedNames: patchOf(acceptedNames, statusOf(definition).acceptedNames ?? {}), conditions };
    await access.patch(definitions, { name }, { status }, { subresource: "status" });
  };

  /** A name that one definition gives up may be what another waits for. */
  const addGroup = (definition: StoredObject): void => {
    const { group } = specOf(definition);
    for (const other of access.list(definitions)) if (specOf(other).group === group) worker.add(other.metadata.name);
  };

  const readAll = (): void => {
    for (const { metadata } of access.list(definitions)) worker.add(metadata.name);
  };
  readAll();
  const watching = access.watchAll((change) => {
    if (!isOf(change, definitions)) return;
    if (change.type === "ADDED") worker.add(change.object.metadata.name);
    else addGroup(change.object);
  });
  return {
    readAll,
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await worker[Symbol.asyncDispose]();
    },
  };
}

/** The merge patch of names: those that are gone are null. */
function patchOf(names: DefinitionNames, old: DefinitionNames): Readonly<Record<string, unknown>> {
  const gone = Object.keys(old).filter((field) => !Object.hasOwn(names, field));
  return { ...Object.fromEntries(gone.map((field) => [field, null])), ...names };
}
