import type { Kind, KindVersion } from "../registry/kind.ts";
import { below, emptySet, type FieldSet, isMember, nodeOf, setOfPath, unionOf, withoutTrees } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/**
 * Leaves of a set what a path of the API lets a client write: whatever else it sends is set back, so nobody comes to
 * own it.
 */
export type FieldFilter = (fields: FieldSet) => FieldSet;

const keepAll: FieldFilter = (fields) => fields;

function without(...paths: readonly (readonly string[])[]): FieldFilter {
  const trees = paths.map((path) => setOfPath(path.map(fieldElement))).reduce(unionOf, emptySet);
  return (fields) => withoutTrees(fields, trees);
}

/** Only what is below one of the paths; `*` is any step. */
function only(...paths: readonly (readonly string[])[]): FieldFilter {
  return (fields) => below(within(fields, paths));
}

function within(fields: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  if (paths.some((path) => path.length === 0)) return fields;
  const result: Record<string, FieldSet> = {};
  for (const [element, node] of Object.entries(fields)) {
    const on = paths.filter(([step]) => step === "*" || step === element || `f:${step}` === element);
    if (element === "." || on.length === 0) continue;
    const kept = nodeOf(
      isMember(node),
      within(
        below(node),
        on.map((path) => path.slice(1)),
      ),
    );
    if (kept !== undefined) result[element] = kept;
  }
  return result;
}

const noStatus = without(["status"]);
const noSpec = without(["spec"]);
const noSpecNoMetadata = without(["spec"], ["metadata"]);

/** Where a built-in kind differs from the rule: by `group/Kind`, then by subresource, `` for the object itself. */
const exceptions: Readonly<Record<string, Readonly<Record<string, FieldFilter>>>> = {
  "/Namespace": { finalize: noStatus },
  "/Pod": {
    status: without(["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]),
    ephemeralcontainers: only(["spec", "ephemeralContainers"]),
    resize: only(
      ["spec", "containers", "*", "resources"],
      ["spec", "containers", "*", "resizePolicy"],
      ["spec", "initContainers", "*", "resources"],
      ["spec", "initContainers", "*", "resizePolicy"],
    ),
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": { status: noSpecNoMetadata },
  "apiextensions.k8s.io/CustomResourceDefinition": { status: noSpecNoMetadata },
  "apiregistration.k8s.io/APIService": { status: noSpecNoMetadata },
  "apps/Deployment": { status: without(["spec"], ["metadata", "labels"]) },
  // The real server names another group here by mistake, so that nothing is set back.
  "networking.k8s.io/ServiceCIDR": { "": keepAll, status: keepAll },
  "storage.k8s.io/VolumeAttachment": { status: noSpecNoMetadata },
};

/** The rule: a kind with a status has it written by `/status` alone, and the spec by the object's own path alone. */
export function ownableThrough(kind: Kind, version: KindVersion, subresource = ""): FieldFilter {
  const exception = kind.custom ? undefined : exceptions[`${kind.group}/${kind.kind}`]?.[subresource];
  if (exception !== undefined) return exception;
  if (subresource === "status") return noSpec;
  return subresource === "" && version.subresources.some(({ name }) => name === "status") ? noStatus : keepAll;
}
