import type { JsonObject } from "farwatch";
import type { Kind, KindVersion, Subresource } from "../registry/kind.ts";
import { apiVersionOf } from "../registry/registry.ts";
import {
  type BodySchemas,
  capitalized,
  collectionOperations,
  contentOf,
  inPath,
  listOperation,
  type Operation,
  objectOperations,
  type Parameter,
  pretty,
  subresourceOperations,
} from "./open-api-operation.ts";

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
