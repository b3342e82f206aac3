import type { WrittenKind } from "../admit/before-write.ts";
import { conflict, invalid, staleVersion, storageError } from "../failure/api-error.ts";
import { invalidValue } from "../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";

interface AskedWrite {
  readonly request: ResourceRequest;
  readonly options: { readonly dryRun: boolean };
}

/**
 * What a write says of the object that it expects, its version and for an update its uid, must be so. The draft gets
 * the version.
 */
export function checkPreconditions(
  step: AskedWrite & { readonly written: WrittenKind },
  draft: DraftObject,
  old: StoredObject,
): void {
  const { request, written } = step;
  const { metadata } = draft;
  const subject = subjectOf(request);
  const version = metadata.resourceVersion ?? "";
  if (request.verb === "update") checkUid(step, metadata.uid, old);
  checkVersionText(version);
  if (version !== "" && version !== "0") {
    if (version !== old.metadata.resourceVersion) throw conflict(subject, staleVersion);
    return;
  }
  if (written.strategy.allowUnconditionalUpdate !== true) {
    const { group, plural } = request.served.kind;
    throw invalid({ group, kind: plural, name: metadata.name ?? "" }, [
      invalidValue("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  metadata.resourceVersion = old.metadata.resourceVersion;
}

/** A version that a write names must be a number, even where there is nothing to compare it with. */
export function checkVersionText(version: string | undefined): void {
  if (version === undefined || version === "" || /^\d{1,20}$/.test(version)) return;
  throw storageError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}

/** A replacement of another object of that name, or of none, is a conflict; its text is the store's, keys included. */
export function checkUid(
  { request, options }: AskedWrite,
  uid: string | undefined,
  old: StoredObject | undefined,
): void {
  if (uid === undefined || uid === "" || uid === old?.metadata.uid) return;
  const { namespace, name, served } = request;
  const key = [storedUnder(served.kind), namespace, name].filter((part) => (part ?? "") !== "").join("/");
  // A dry run is refused before it is known where in etcd the object is.
  const place = options.dryRun ? "" : "/registry";
  throw conflict(
    subjectOf(request),
    `StorageError: invalid object, Code: 4, Key: ${place}/${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata.uid ?? ""}`,
  );
}

/** Where the real server keeps a kind whose place in etcd is older than its name. */
const oldPlaces: Readonly<Record<string, string>> = {
  customresourcedefinitions: "apiextensions.k8s.io/customresourcedefinitions",
  endpoints: "services/endpoints",
  ingresses: "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

function storedUnder({ custom, group, plural }: Kind): string {
  return custom ? `${group}/${plural}` : (oldPlaces[plural] ?? plural);
}
