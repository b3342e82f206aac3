import type { JsonObject } from "farwatch";
import type { Kind, KindVerb, KindVersion, Subresource } from "../registry/kind.ts";

/** How schemas of bodies are referred to. */
export interface BodySchemas {
  readonly object: JsonObject;
  readonly list: JsonObject | undefined;
  /** A type of the table: `meta.v1.Status`. */
  reference(type: string): JsonObject;
  /** The body of a subresource that has a kind of its own. */
  body(subresource: NonNullable<Subresource["body"]>): JsonObject;
}

/** One of the parameters that an operation, or all of a path, takes. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: true;
  readonly schema: JsonObject;
}

type Method = "delete" | "get" | "patch" | "post" | "put";

/** What can be asked for at a path with one method. */
export interface Operation {
  readonly method: Method;
  readonly action: string;
  /** Before the group, and after it: `read` … `NamespacedDeploymentStatus`. */
  readonly id: readonly [before: string, after: string];
  readonly parameters: readonly Parameter[];
  readonly request?: JsonObject;
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly kind: JsonObject;
}

function query(type: "boolean" | "integer" | "string", ...names: readonly string[]): readonly Parameter[] {
  return names.map((name) => ({ name, in: "query", schema: { type, uniqueItems: true } }));
}

export function inPath(name: string): Parameter {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
}

export const pretty: readonly Parameter[] = query("string", "pretty");
const readParameters = query("string", "resourceVersion");
const writeParameters = query("string", "dryRun", "fieldManager", "fieldValidation");
const forceParameter = query("boolean", "force");
const deleteParameters = [
  ...query("string", "dryRun", "propagationPolicy"),
  ...query("integer", "gracePeriodSeconds"),
  ...query("boolean", "ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents"),
];
const selectParameters = [
  ...query("string", "continue", "fieldSelector", "labelSelector", "resourceVersion", "resourceVersionMatch"),
  ...query("integer", "limit", "timeoutSeconds"),
  ...query("boolean", "sendInitialEvents"),
];
const watchParameters = query("boolean", "allowWatchBookmarks", "watch");

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A body in the two media types that are published. */
export function contentOf(schema: JsonObject): JsonObject {
  return { "application/json": { schema }, "application/yaml": { schema } };
}

function gvkOf({ group, kind }: Kind, { version }: KindVersion): JsonObject {
  return { group, version, kind };
}

function scoped({ namespaced, kind }: Kind): string {
  return `${namespaced ? "Namespaced" : ""}${kind}`;
}

function bodyOf(schema: JsonObject, kind: Kind, required = true): JsonObject {
  const content = kind.custom ? contentOf(schema) : { "*/*": { schema } };
  return { content, ...(required ? { required: true } : {}) };
}

function patchBody(schemas: BodySchemas, { custom }: Kind): JsonObject {
  const schema = schemas.reference("meta.v1.Patch");
  const types = [
    "apply-patch+yaml",
    "json-patch+json",
    "merge-patch+json",
    ...(custom ? [] : ["strategic-merge-patch+json"]),
  ];
  return { content: Object.fromEntries(types.map((type) => [`application/${type}`, { schema }])), required: true };
}

/** A list of the collection in a namespace, or with `all` in every one. */
export function listOperation(
  kind: Kind,
  version: KindVersion,
  { schemas, all }: { readonly schemas: BodySchemas; readonly all: boolean },
): Operation {
  return {
    method: "get",
    action: "list",
    id: ["list", all ? `${kind.kind}ForAllNamespaces` : scoped(kind)],
    parameters: [...selectParameters, ...watchParameters],
    answers: { 200: schemas.list ?? {} },
    kind: gvkOf(kind, version),
  };
}

/** What the kind answers at the path of its collection. */
export function collectionOperations(kind: Kind, version: KindVersion, schemas: BodySchemas): readonly Operation[] {
  const gvk = gvkOf(kind, version);
  const has = (verb: KindVerb): boolean => kind.verbs.includes(verb);
  const operations: Operation[] = [];
  if (has("list")) operations.push(listOperation(kind, version, { schemas, all: false }));
  if (has("create")) {
    const { object } = schemas;
    operations.push({
      method: "post",
      action: "post",
      id: ["create", scoped(kind)],
      parameters: writeParameters,
      request: bodyOf(object, kind),
      answers: { 200: object, 201: object, 202: object },
      kind: gvk,
    });
  }
  if (has("deletecollection")) {
    operations.push({
      method: "delete",
      action: "deletecollection",
      id: ["delete", `Collection${scoped(kind)}`],
      parameters: [...selectParameters, ...(kind.custom ? watchParameters : deleteParameters)],
      ...(kind.custom ? {} : { request: bodyOf(schemas.reference("meta.v1.DeleteOptions"), kind, false) }),
      answers: { 200: schemas.reference("meta.v1.Status") },
      kind: gvk,
    });
  }
  return operations;
}

/** What it answers at the path of an object. */
export function objectOperations(kind: Kind, version: KindVersion, schemas: BodySchemas): readonly Operation[] {
  const verbs = kind.verbs.filter((verb) => verb === "get" || verb === "update" || verb === "patch");
  const operations = verbs.map((verb) =>
    writeOrRead(verb, { kind, version, schemas, schema: schemas.object, gvk: gvkOf(kind, version), suffix: "" }),
  );
  if (kind.verbs.includes("delete")) {
    const answer = kind.returnsDeleted === true ? schemas.object : schemas.reference("meta.v1.Status");
    operations.push({
      method: "delete",
      action: "delete",
      id: ["delete", scoped(kind)],
      parameters: deleteParameters,
      request: bodyOf(schemas.reference("meta.v1.DeleteOptions"), kind, false),
      answers: { 200: answer, 202: answer },
      kind: gvkOf(kind, version),
    });
  }
  return operations;
}

/** What it answers at the path of an object's subresource. */
export function subresourceOperations(
  kind: Kind,
  version: KindVersion,
  { schemas, subresource }: { readonly schemas: BodySchemas; readonly subresource: Subresource },
): readonly Operation[] {
  const { body, name, verbs } = subresource;
  const schema = body === undefined ? schemas.object : schemas.body(body);
  const gvk =
    body === undefined || kind.custom
      ? gvkOf(kind, version)
      : { group: body.group, version: body.version, kind: body.kind };
  const suffix = capitalized(name);
  return verbs.flatMap((verb): readonly Operation[] => {
    if (verb === "delete") return [];
    if (verb !== "create") return [writeOrRead(verb, { kind, version, schemas, schema, gvk, suffix })];
    return [
      {
        method: "post",
        action: "post",
        id: ["create", `${scoped(kind)}${suffix}`],
        parameters: writeParameters,
        request: bodyOf(schema, kind),
        answers: { 200: schema, 201: schema, 202: schema },
        kind: gvk,
      },
    ];
  });
}

interface WriteOrRead {
  readonly kind: Kind;
  readonly version: KindVersion;
  readonly schemas: BodySchemas;
  readonly schema: JsonObject;
  readonly gvk: JsonObject;
  readonly suffix: string;
}

function writeOrRead(verb: "get" | "patch" | "update", { kind, schemas, schema, gvk, suffix }: WriteOrRead): Operation {
  const after = `${scoped(kind)}${suffix}`;
  switch (verb) {
    case "get":
      return {
        method: "get",
        action: "get",
        id: ["read", after],
        parameters: kind.custom ? readParameters : [],
        answers: { 200: schema },
        kind: gvk,
      };
    case "update":
      return {
        method: "put",
        action: "put",
        id: ["replace", after],
        parameters: writeParameters,
        request: bodyOf(schema, kind),
        answers: { 200: schema, 201: schema },
        kind: gvk,
      };
    case "patch":
      return {
        method: "patch",
        action: "patch",
        id: ["patch", after],
        parameters: [...writeParameters, ...forceParameter],
        request: patchBody(schemas, kind),
        answers: kind.custom ? { 200: schema } : { 200: schema, 201: schema },
        kind: gvk,
      };
  }
}
