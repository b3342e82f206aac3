import { CodedError } from "farwatch";
import { type ApiError, badRequest } from "../failure/api-error.ts";
import { jsonKindText } from "../patch/go-text.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { builtInSchema } from "../registry/built-in-schema.ts";
import type { Subresource } from "../registry/kind.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";
import { typeNameOf } from "../registry/type-table.ts";
import { type FieldValidation, reportFields, unreadable } from "../schema/built-in-body.ts";
import { duplicateFields } from "../schema/duplicate-field.ts";
import { decodeGo } from "../schema/go-decode.ts";
import { GoDecodeError } from "../schema/go-scalar.ts";
import { readMerged } from "../schema/merged-json.ts";
import type { RequestBody, ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { settleMeta } from "./settle-meta.ts";
import { noteNullBytes } from "./unread-text.ts";

/** The object of a write's body in the version of the request; the namespace of the path is put in. */
export function decodeBody(core: ServerCore, request: ResourceRequest, validation: FieldValidation): DraftObject {
  const draft = decodeValue(core, request, { body: request.body ?? { value: undefined }, validation });
  checkCustomVersion(request.served, draft);
  return draft;
}

/** The same for a body that was made here: what a patch has made of an object. */
export function decodeValue(
  core: ServerCore,
  request: ResourceRequest,
  { body, validation, problems = [] }: DecodeOptions,
): DraftObject {
  const { served, namespace, warn } = request;
  checkType(core, served, { body, validation });
  const { kind, version } = served;
  const { text, duplicates: keys } = body;
  const duplicates = keys !== undefined || text === undefined ? [] : duplicateFields(text, body.value);
  const value = duplicates.length > 0 && text !== undefined && !kind.custom ? readMerged(text) : body.value;
  const { object, unknown } = core.codec.decode(served, value ?? {});
  reportFields(
    { unknown, duplicates, problems: [...problems, ...keyProblems(keys ?? [], validation)] },
    { fieldValidation: validation, body: { kind: kind.kind, version: version.version }, warn },
  );
  fitNamespace(object, served, namespace);
  settleMeta(object, body.value);
  if (!kind.custom) noteNullBytes(object, version.schema, value);
  return object;
}

/** Keys that stand twice in YAML: its own reader tells of them, and of all at once where it refuses them. */
function keyProblems(keys: readonly string[], validation: FieldValidation): readonly string[] {
  const isOneText = validation === "Strict" && keys.length > 0;
  return isOneText ? [`yaml: unmarshal errors:\n  ${keys.join("\n  ")}`] : keys;
}

/** The same for a subresource whose body is of another kind: a Scale, a TokenRequest, an Eviction. */
export function decodeAs(
  core: ServerCore,
  request: ResourceRequest,
  options: DecodeOptions & { readonly type: BodyType },
): DraftObject {
  return decodeValue(core, { ...request, served: servedBody(options.type) }, options);
}

/** A kind that is only ever a body. */
export type BodyType = NonNullable<Subresource["body"]>;

/** A body's kind as though it were served. */
export function servedBody({ group, version, kind }: BodyType): ServedKind {
  const name = typeNameOf({ group, version, kind });
  if (name === undefined) throw new CodedError("Internal", `Cannot read a body: the table has no ${kind}`);
  const plural = `${kind.toLowerCase()}s`;
  return {
    kind: {
      group,
      kind,
      listKind: `${kind}List`,
      plural,
      singular: kind.toLowerCase(),
      shortNames: [],
      categories: [],
      namespaced: true,
      verbs: [],
      versions: [],
      storageVersion: version,
      custom: false,
    },
    version: {
      version,
      served: true,
      subresources: [],
      schema: builtInSchema(name),
      printerColumns: [],
      selectableFields: [],
    },
  };
}

interface DecodeOptions {
  readonly body: RequestBody;
  readonly validation: FieldValidation;
  /** What strict decoding has found before, in a patch itself. */
  readonly problems?: readonly string[];
}

interface TypeMeta {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

/** apiVersion and kind of a body must be those of the path. */
function checkType(
  { registry }: ServerCore,
  { kind, version }: ServedKind,
  { body, validation }: Pick<DecodeOptions, "body" | "validation">,
): void {
  const { value, problem } = body;
  if (problem !== undefined) throw unrecognized(kind.kind, body, problem);
  if (value === null && !kind.custom) return;
  const fault = typeMetaProblem(value);
  if (fault !== undefined) throw unrecognized(kind.kind, body, `couldn't get version/kind; json parse error: ${fault}`);
  const given = (value ?? {}) as TypeMeta;
  if (isMalformed(given.apiVersion)) {
    throw unrecognized(kind.kind, body, `unexpected GroupVersion string: ${String(given.apiVersion)}`);
  }
  if (kind.custom) {
    const text = body.text ?? JSON.stringify(value);
    if ((given.kind ?? "") !== "") {
      if (given.apiVersion !== null) return;
      const why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
      throw unreadable({ kind: kind.kind, version: "" }, why);
    }
    const why = `Object 'Kind' is missing in '${text}'`;
    // The real server's strict decoder looks for the kind at another place than the one that ignores what is unknown.
    throw validation === "Ignore"
      ? unreadable({ kind: kind.kind, version: version.version }, why)
      : unrecognized(kind.kind, body, why);
  }
  checkBuiltInType(registry, { kind, version }, body);
}

/** What is left out is as the path says: a version also where its group is given. */
function checkBuiltInType(
  registry: ServerCore["registry"],
  { kind, version }: ServedKind,
  { text, value }: RequestBody,
): void {
  const given = (value ?? {}) as TypeMeta;
  const kindGiven = String(given.kind || kind.kind);
  const [group, versionGiven] = splitVersion(String(given.apiVersion ?? ""));
  const isOfPath = group === kind.group || (given.apiVersion ?? "") === "";
  if (isOfPath && kindGiven === kind.kind && (versionGiven === "" || versionGiven === version.version)) return;
  const other = versionGiven === "" && isOfPath ? version.version : versionGiven;
  const refused = (why: string): ApiError =>
    badRequest(`${kindGiven} in version ${JSON.stringify(other)} cannot be handled as a ${kind.kind}: ${why}`, why);
  if (other === "") throw refused(`Object 'apiVersion' is missing in '${text ?? JSON.stringify(value)}'`);
  const type: BodyType = { group: isOfPath ? kind.group : group, version: other, kind: kindGiven };
  const isKnown = registry.findKind(type.group, kindGiven)?.versions.some((one) => one.version === other) ?? false;
  if (!isKnown) throw refused(unregistered(kindGiven, apiVersionOf(type.group, other)));
  const conversion = `converting (${other}.${kindGiven}) to (${packageOf(kind.group)}.${kind.kind}): unknown conversion`;
  throw refused(decodingFault(type, value) ?? conversion);
}

/** Why a body is no object of the kind that it says it is, which is asked before whether that kind is wanted. */
function decodingFault(type: BodyType, value: unknown): string | undefined {
  const name = typeNameOf(type);
  if (name === undefined) return undefined;
  try {
    decodeGo(builtInSchema(name), value);
    return undefined;
  } catch (error) {
    if (error instanceof GoDecodeError) return error.message;
    throw error;
  }
}

function isMalformed(apiVersion: unknown): boolean {
  return typeof apiVersion === "string" && apiVersion.split("/").length > 2;
}

/** What the real server says of a kind that none of its types is. */
export function unregistered(kind: unknown, apiVersion: unknown): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The apiVersion of a custom object's body must be that of its path; its kind is judged with the rest of it. */
function checkCustomVersion({ kind, version }: ServedKind, { apiVersion: given }: DraftObject): void {
  const apiVersion = apiVersionOf(kind.group, version.version);
  if (!kind.custom || given === apiVersion) return;
  throw badRequest(
    `the API version in the data (${String(given ?? "")}) does not match the expected API version (${apiVersion})`,
  );
}

function splitVersion(apiVersion: string): readonly [group: string, version: string] {
  const at = apiVersion.lastIndexOf("/");
  return at === -1 ? ["", apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
}

/** The Go package of a group's internal types. */
export function packageOf(group: string): string {
  return group === "" ? "core" : (group.split(".", 1)[0] ?? "");
}

const typeMetaType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What Go says of a body in which it cannot find apiVersion and kind; undefined where it can. */
export function typeMetaProblem(value: unknown): string | undefined {
  if (value === undefined) return "unexpected end of JSON input";
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) {
    return `json: cannot unmarshal ${jsonKindText(value)} into Go value of type ${typeMetaType}`;
  }
  for (const [name, field] of Object.entries(value)) {
    if ((name !== "apiVersion" && name !== "kind") || field === null || typeof field === "string") continue;
    return `json: cannot unmarshal ${jsonKindText(field)} into Go struct field .${name} of type string`;
  }
  return undefined;
}

/** 400 for a body that names no kind, with the beginning of it. */
function unrecognized(kind: string, { text = "" }: RequestBody, why: string): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(text)})`, why);
}

const summaryBytes = 30;

function summary(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return "<empty>";
  const start = bytes.subarray(0, summaryBytes).toString(text.startsWith("{") ? "utf8" : "hex");
  return bytes.length > summaryBytes ? `${start} ...` : start;
}

export function fitNamespace({ metadata }: DraftObject, { kind }: ServedKind, namespace: string | undefined): void {
  if (!kind.namespaced) {
    if (kind.custom || metadata.namespace === "") Reflect.deleteProperty(metadata, "namespace");
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === "") {
    if (namespace !== undefined) metadata.namespace = namespace;
  } else if (metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** The name in a body must be that of the path; `fill` puts it in where there is none. */
export function fitName(object: DraftObject, name: string, { fill = false }: { readonly fill?: boolean } = {}): void {
  const given = object.metadata.name ?? "";
  if (given === "" && fill) object.metadata.name = name;
  else if (given !== name) {
    throw badRequest(
      given === ""
        ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
}
