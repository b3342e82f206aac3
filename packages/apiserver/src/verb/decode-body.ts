import { CodedError } from "farwatch";
import { badRequest } from "../failure/api-error.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { builtInSchema } from "../registry/built-in-schema.ts";
import type { Subresource } from "../registry/kind.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";
import { typeNameOf } from "../registry/type-table.ts";
import { type FieldValidation, reportFields } from "../schema/built-in-body.ts";
import { duplicateFields } from "../schema/duplicate-field.ts";
import type { RequestBody, ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";

/** The object of a write's body in the version of the request; the namespace of the path is put in. */
export function decodeBody(core: ServerCore, request: ResourceRequest, validation: FieldValidation): DraftObject {
  return decodeValue(core, request, { body: request.body ?? { value: undefined }, validation });
}

/** The same for a body that was made here: what a patch has made of an object. */
export function decodeValue(
  core: ServerCore,
  request: ResourceRequest,
  { body, validation, problems = [] }: DecodeOptions,
): DraftObject {
  const { served, namespace, warn } = request;
  checkType(served, body);
  const { object, unknown } = core.codec.decode(served, body.value);
  const { kind, version } = served;
  reportFields(
    {
      duplicates: validation === "Ignore" || body.text === undefined ? [] : duplicateFields(body.text),
      unknown,
      problems,
    },
    { fieldValidation: validation, body: { kind: kind.kind, version: version.version }, warn },
  );
  fitNamespace(object, served, namespace);
  return object;
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

/** apiVersion and kind of a body must be those of the path. */
function checkType({ kind, version }: ServedKind, { value, text }: RequestBody): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest(
      "couldn't get version/kind; json parse error: json: cannot unmarshal " +
        `${jsonTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const given = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
  const apiVersion = apiVersionOf(kind.group, version.version);
  if (kind.custom) {
    if (given.kind === undefined || given.kind === "")
      throw badRequest(`Object 'Kind' is missing in '${text ?? JSON.stringify(value)}'`);
    if (given.apiVersion === undefined || given.apiVersion === "") {
      throw badRequest(`Object 'apiVersion' is missing in '${text ?? JSON.stringify(value)}'`);
    }
  }
  const kindGiven = given.kind ?? kind.kind;
  const versionGiven = given.apiVersion ?? apiVersion;
  if (versionGiven !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(versionGiven)}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (kindGiven !== kind.kind) {
    throw badRequest(
      `${String(kindGiven)} in version ${JSON.stringify(version.version)} cannot be handled as a ${kind.kind}: converting (v1.${String(kindGiven)}) to (core.${kind.kind}): unknown conversion`,
    );
  }
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null || value === undefined ? "null" : typeof value;
}

function fitNamespace({ metadata }: DraftObject, { kind }: ServedKind, namespace: string | undefined): void {
  if (!kind.namespaced) return;
  if (metadata.namespace === undefined || metadata.namespace === "") {
    if (namespace !== undefined) metadata.namespace = namespace;
  } else if (metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** The name in a body must be that of the path. */
export function fitName(object: DraftObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "") object.metadata.name = name;
  else if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}
