import type { JsonObject } from "farwatch";
import type { Kind, KindVerb, KindVersion, Subresource } from "../registry/kind.ts";
import { apiVersionOf } from "../registry/registry.ts";

/** How schemas of bodies are referred to. */
export interface BodySchemas {
  readonly object: JsonObject;
  readonly list: JsonObject | undefined;
  /** A type of the table: `meta.v1.Status`. */
  reference(type: string): JsonObject;
  /** The body of a subresource that has a kind of its own. */
  body(subresource: NonNullable<Subresource["body"]>): JsonObject;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: true;
  readonly schema: JsonObject;
}

type Method = "delete" | "get" | "patch" | "post" | "put";

interface Operation {
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

function inPath(name: string): Parameter {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
}

const pretty = query("string", "pretty");
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

const statusTexts: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

/** The operations of a kind in one version, by their paths. */
export function kindPaths(
  kind: Kind,
  version: KindVersion,
  schemas: BodySchemas,
): Readonly<Record<string, JsonObject>> {
  const { group, plural, namespaced } = kind;
  const base = group === "" ? `/api/${version.version}` : `/apis/${group}/${version.version}`;
  const collection = `${base}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const inNamespace = namespaced ? [inPath("namespace")] : [];
  const paths: Record<string, JsonObject> = {};
  const add = (path: string, operations: readonly Operation[], parameters: readonly Parameter[]): void => {
    if (operations.length > 0)
      paths[path] = pathItem(operations, { kind, version, parameters: [...parameters, ...pretty] });
  };
  add(collection, collectionOperations(kind, version, schemas), inNamespace);
  if (namespaced && kind.verbs.includes("list"))
    add(`${base}/${plural}`, [listOperation(kind, version, { schemas, all: true })], []);
  const one = [inPath("name"), ...inNamespace];
  add(`${collection}/{name}`, objectOperations(kind, version, schemas), one);
  for (const subresource of version.subresources) {
    if (isServed(subresource))
      add(
        `${collection}/{name}/${subresource.name}`,
        subresourceOperations(kind, version, { schemas, subresource }),
        one,
      );
  }
  return paths;
}

/** What connects to a kubelet is not served here. */
function isServed({ name, body }: Subresource): boolean {
  return name !== "log" && body?.kind.endsWith("Options") !== true;
}

/** What all operations of a path have in common stands at the path. */
function pathItem(
  operations: readonly Operation[],
  {
    kind,
    version,
    parameters,
  }: { readonly kind: Kind; readonly version: KindVersion; readonly parameters: readonly Parameter[] },
): JsonObject {
  const [first, ...others] = operations;
  const shared = (first?.parameters ?? []).filter(({ name }) =>
    others.every((one) => one.parameters.some((each) => each.name === name)),
  );
  const own = ({ parameters: all }: Operation): readonly Parameter[] =>
    all.filter((one) => shared.every(({ name }) => name !== one.name));
  return {
    ...Object.fromEntries(
      operations.map((operation) => [
        operation.method,
        operationObject(operation, { kind, version, parameters: own(operation) }),
      ]),
    ),
    parameters: byName([...parameters, ...shared]),
  };
}

function byName(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function operationObject(
  { action, id, request, answers, kind: gvk }: Operation,
  {
    kind,
    version,
    parameters,
  }: { readonly kind: Kind; readonly version: KindVersion; readonly parameters: readonly Parameter[] },
): JsonObject {
  const words = wordsOf(kind.group);
  const responses = Object.entries(answers).map(([status, schema]) => [
    status,
    { description: statusTexts[status], content: contentOf(schema) },
  ]);
  return {
    tags: [tagOf(words, version.version)],
    operationId: `${id[0]}${words.join("")}${capitalized(version.version)}${id[1]}`,
    ...(parameters.length === 0 ? {} : { parameters: byName(parameters) }),
    ...(request === undefined ? {} : { requestBody: request }),
    responses: { ...Object.fromEntries(responses), 401: { description: statusTexts[401] } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  };
}

function contentOf(schema: JsonObject): JsonObject {
  return { "application/json": { schema }, "application/yaml": { schema } };
}

/** `rbac.authorization.k8s.io` is RbacAuthorization, `my-app.dev` is MyAppDev. */
function wordsOf(group: string): readonly string[] {
  if (group === "") return ["Core"];
  return group
    .replace(/\.k8s\.io$/, "")
    .split(/[.-]/)
    .map(capitalized);
}

/** `rbacAuthorization_v1` */
function tagOf([first = "", ...others]: readonly string[], version: string): string {
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}${others.join("")}_${version}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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

function listOperation(
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

function collectionOperations(kind: Kind, version: KindVersion, schemas: BodySchemas): readonly Operation[] {
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

function objectOperations(kind: Kind, version: KindVersion, schemas: BodySchemas): readonly Operation[] {
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

function subresourceOperations(
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

/** `/apis/apps/v1/`: what the group's version has. */
export function resourceListPath(group: string, version: string, schema: JsonObject): readonly [string, JsonObject] {
  const words = wordsOf(group);
  const path = group === "" ? `/api/${version}/` : `/apis/${apiVersionOf(group, version)}/`;
  return [
    path,
    {
      get: {
        tags: [tagOf(words, version)],
        operationId: `get${words.join("")}${capitalized(version)}APIResources`,
        responses: {
          200: { description: statusTexts[200], content: contentOf(schema) },
          401: { description: statusTexts[401] },
        },
      },
    },
  ];
}
