import type { Choice } from "./random-choice.ts";
import {
  collectionOf,
  type RandomKind,
  randomKinds,
  randomMetadata,
  randomName,
  randomObject,
  randomWord,
  withWrongValue,
} from "./random-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A request of a random sequence. What only a server can know stands in it as a reference, looked up in what that server has
 * answered so far: `{ "@last": "widgets/a", patch }` is the object as last seen, with a merge patch; strings `@version:widgets/a`,
 * `@first:widgets/a`, `@uid:widgets/a`, `@continue:widgets` are its parts; `@namespace` is the sequence's namespace.
 */
export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
}

const selectors = [
  "color=red",
  "color!=red",
  "color",
  "!color",
  "color in (red,blue)",
  "tier=web,color=blue",
  "color=",
  "bad selector!",
  "color in (",
  "size>1",
];
const fieldSelectors = [
  "metadata.name=a",
  "metadata.name!=a",
  "spec.color=red",
  "metadata.namespace=@namespace",
  "nothing=1",
  "metadata.name",
];
const accepts = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/yaml",
  "text/html",
  "*/*",
];

function writeQuery(choice: Choice): Record<string, string> {
  return {
    ...(choice.chance(0.1) && { dryRun: choice.of(["All", "All", "All", "Some", ""]) }),
    ...(choice.chance(0.3) && { fieldManager: choice.of(["one", "two", "three"]) }),
    ...(choice.chance(0.3) && { fieldValidation: choice.of(["Strict", "Warn", "Ignore", "Nothing"]) }),
  };
}

function reference(
  choice: Choice,
  { plural }: RandomKind,
  name: string,
  what = choice.of(["version", "first", "uid"]),
): string {
  return `@${what}:${plural}/${name}`;
}

function create(choice: Choice, kind: RandomKind, index: number): RandomRequest {
  const object = randomObject(choice, kind, randomName(choice));
  const { name: _name, ...unnamed } = object.metadata as Fields;
  // A prefix of its own, so that the order of a list does not hang on the random end.
  const body = choice.chance(0.05) ? { ...object, metadata: { ...unnamed, generateName: `made-${index}-` } } : object;
  return { method: "POST", path: collectionOf(kind), query: writeQuery(choice), body };
}

function update(choice: Choice, kind: RandomKind): RandomRequest {
  const name = randomName(choice);
  const part = choice.chance(0.3) && kind.subresources.length > 0 ? choice.of(kind.subresources) : undefined;
  const path = `${collectionOf(kind)}/${name}${part === undefined ? "" : `/${part}`}`;
  const last = (patch: Fields): Fields => ({
    "@last": `${part === "scale" ? "scale/" : ""}${kind.plural}/${name}`,
    patch,
  });
  const status = kind.status?.(choice) ?? {};
  const body = choice.weighed<() => unknown>([
    [5, () => last({ ...kind.fields(choice), ...(part === "status" && { status }) })],
    [2, () => last({})],
    [2, () => last({ metadata: randomMetadata(choice) })],
    [1, () => last(withWrongValue(choice, { ...kind.fields(choice), status }))],
    [1, () => last({ metadata: { resourceVersion: reference(choice, kind, name, "first") } })],
    [1, () => last({ metadata: { resourceVersion: null } })],
    [0.5, () => last({ metadata: { uid: "00000000-0000-4000-8000-000000000000" } })],
    [1, () => last({ spec: { replicas: choice.of([0, 1, 4, -1]) } })],
    [3, () => randomObject(choice, kind, name)],
    [0.5, () => randomObject(choice, kind, randomName(choice))],
  ])();
  return { method: "PUT", path, query: writeQuery(choice), body };
}

function jsonPatch(choice: Choice, kind: RandomKind, name: string): unknown {
  const paths = [
    "/metadata/labels",
    "/metadata/labels/color",
    "/metadata/annotations",
    "/data",
    "/data/a",
    "/spec/replicas",
    "/spec/color",
    "/spec/tags/-",
    "/spec/tags/0",
    "/spec/parts/0",
    "/spec/list/1",
    "/spec/nothing/deep",
    "/metadata/finalizers",
    "/status/ready",
    "",
    "no-slash",
    "/spec/template/spec/containers/0/image",
  ];
  const values: readonly unknown[] = [{}, "red", 1, true, ["x"], { a: "1" }, null, { name: "one", count: 3 }];
  const operation = (): unknown =>
    choice.weighed<() => unknown>([
      [4, () => ({ op: "add", path: choice.of(paths), value: choice.of(values) })],
      [3, () => ({ op: "replace", path: choice.of(paths), value: choice.of(values) })],
      [2, () => ({ op: "remove", path: choice.of(paths) })],
      [1, () => ({ op: "test", path: "/metadata/name", value: choice.of([name, "other"]) })],
      [
        1,
        () => ({
          op: "test",
          path: "/metadata/resourceVersion",
          value: reference(choice, kind, name, choice.of(["version", "first"])),
        }),
      ],
      [0.5, () => ({ op: "copy", from: choice.of(paths), path: choice.of(paths) })],
      [0.5, () => ({ op: "move", from: choice.of(paths), path: choice.of(paths) })],
      [0.3, () => ({ op: choice.of(["nothing", "", 5]), path: "/data", value: 1 })],
      [0.3, () => ({ op: "add", value: 1 })],
    ])();
  return Array.from({ length: 1 + choice.below(2) }, operation);
}

/**
 * The real server stores `labels: {}` of a custom object as it is applied, but shows none. Whether the next write finds
 * something to write is then a matter of whether its cache has the object yet.
 */
function withoutEmptyMetadata({ custom }: RandomKind, object: Fields): Fields {
  const { metadata } = object;
  if (!custom || metadata === null || typeof metadata !== "object") return object;
  const isEmpty = (value: unknown): boolean => typeof value === "object" && Object.keys(value ?? {}).length === 0;
  return { ...object, metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value))) };
}

function patch(choice: Choice, kind: RandomKind): RandomRequest {
  const name = randomName(choice);
  const part = choice.chance(0.3) && kind.subresources.length > 0 ? choice.of(kind.subresources) : undefined;
  const path = `${collectionOf(kind)}/${name}${part === undefined ? "" : `/${part}`}`;
  const query = writeQuery(choice);
  const status = kind.status?.(choice) ?? {};
  const document = choice.weighed<() => unknown>([
    [5, () => kind.fields(choice)],
    [3, () => ({ metadata: randomMetadata(choice) })],
    [3, () => ({ status })],
    [2, () => ({ spec: { replicas: choice.of([0, 1, 4, -1, "two", null]) } })],
    [2, () => withWrongValue(choice, kind.fields(choice))],
    [1, () => ({})],
    [1, () => ({ metadata: { labels: { color: choice.of([null, "red", randomWord(choice)]) } } })],
    [1, () => ({ metadata: { finalizers: choice.of<unknown>([null, [], ["example.com/hold"]]) } })],
    [1, () => ({ metadata: { resourceVersion: reference(choice, kind, name, choice.of(["version", "first"])) } })],
    [0.5, () => choice.of<unknown>([[], "text", null, 5])],
  ])();
  return choice.weighed<() => RandomRequest>([
    [5, () => ({ method: "PATCH", path, query, contentType: "application/merge-patch+json", body: document })],
    [
      2,
      () => ({ method: "PATCH", path, query, contentType: "application/strategic-merge-patch+json", body: document }),
    ],
    [
      3,
      () => ({
        method: "PATCH",
        path,
        query,
        contentType: "application/json-patch+json",
        body: jsonPatch(choice, kind, name),
      }),
    ],
    [
      4,
      () => ({
        method: "PATCH",
        path,
        query: {
          ...query,
          ...(choice.chance(0.95) && { fieldManager: choice.of(["one", "two"]) }),
          ...(choice.chance(0.3) && { force: choice.of(["true", "false"]) }),
        },
        contentType: "application/apply-patch+yaml",
        body: withoutEmptyMetadata(kind, randomObject(choice, kind, choice.chance(0.95) ? name : "other")),
      }),
    ],
    [
      0.5,
      () => ({
        method: "PATCH",
        path,
        query,
        contentType: choice.of(["application/json", "text/plain", "nonsense"]),
        body: document,
      }),
    ],
    [
      0.3,
      () => ({
        method: "PATCH",
        path,
        query,
        contentType: choice.of(["application/merge-patch+json", "application/json-patch+json"]),
        body: choice.of(["{", "", "nonsense", "[1]", '{"a":1}{}']),
      }),
    ],
  ])();
}

function remove(choice: Choice, kind: RandomKind): RandomRequest {
  const name = randomName(choice);
  const options = {
    ...(choice.chance(0.2) && { propagationPolicy: choice.of(["Background", "Foreground", "Orphan", "Nothing"]) }),
    ...(choice.chance(0.15) && { gracePeriodSeconds: choice.of<unknown>([0, 5, -1, "x"]) }),
    ...(choice.chance(0.2) && {
      preconditions: choice.of<unknown>([
        { uid: reference(choice, kind, name, "uid") },
        { resourceVersion: reference(choice, kind, name, choice.of(["version", "first"])) },
        { uid: "other" },
      ]),
    }),
    ...(choice.chance(0.1) && { dryRun: choice.of<unknown>([["All"], ["Some"], "All"]) }),
  };
  const path = choice.chance(0.9) ? `${collectionOf(kind)}/${name}` : collectionOf(kind);
  const query = path.endsWith(name) || choice.chance(0.3) ? {} : { labelSelector: choice.of(selectors) };
  return { method: "DELETE", path, query, ...(Object.keys(options).length > 0 && { body: options }) };
}

function read(choice: Choice, kind: RandomKind): RandomRequest {
  const part = choice.chance(0.2) && kind.subresources.length > 0 ? `/${choice.of(kind.subresources)}` : "";
  const headers = choice.chance(0.15) ? { accept: choice.of(accepts) } : {};
  return { method: "GET", path: `${collectionOf(kind)}/${randomName(choice)}${part}`, headers };
}

function list(choice: Choice, kind: RandomKind): RandomRequest {
  const query = {
    ...(choice.chance(0.3) && { labelSelector: choice.of(selectors) }),
    ...(choice.chance(0.2) && { fieldSelector: choice.of(fieldSelectors) }),
    ...(choice.chance(0.3) && { limit: choice.of<string | number>([1, 2, 500, 0, "x"]) }),
    ...(choice.chance(0.15) && {
      continue: choice.of([`@continue:${kind.plural}`, `@continue:${kind.plural}`, "nonsense"]),
    }),
    ...(choice.chance(0.15) && {
      resourceVersion: reference(choice, kind, randomName(choice), choice.of(["version", "first"])),
      ...(choice.chance(0.7) && { resourceVersionMatch: choice.of(["Exact", "Exact", "NotOlderThan", "Nothing"]) }),
    }),
  };
  const headers = choice.chance(0.25) ? { accept: choice.of(accepts) } : {};
  return { method: "GET", path: collectionOf(kind), query, headers };
}

function nonsense(choice: Choice, kind: RandomKind): RandomRequest {
  const path = collectionOf(kind);
  const body = randomObject(choice, kind, randomName(choice));
  return choice.of<() => RandomRequest>([
    () => ({ method: "POST", path, contentType: choice.of(["text/plain", "application/xml", "nonsense"]), body }),
    () => ({
      method: "POST",
      path,
      body: choice.of(["{", "", "[]", "null", "5", '"x"', '{"metadata":{"name":"a"},"metadata":{}}']),
    }),
    () => ({ method: "POST", path: `${path}/a`, body }),
    () => ({ method: choice.of(["PUT", "PATCH"]), path, body }),
    () => ({ method: "GET", path: `${path}/a/${choice.of(["status", "scale", "nothing"])}` }),
    () => ({ method: "GET", path: path.replace("/v1/", "/v9/") }),
    () => ({ method: "GET", path: path.replace(kind.plural, "nothings") }),
    () => ({ method: choice.of(["HEAD", "OPTIONS"]), path }),
    () => ({ method: "POST", path: collectionOf(kind, "nowhere-at-all"), body }),
    () => ({ method: "PUT", path: `${path}/${randomName(choice)}`, contentType: "text/plain", body }),
  ])();
}

/** Requests that mostly make sense after one another, since there are but three names. */
export function randomSequence(choice: Choice, length: number): readonly RandomRequest[] {
  return Array.from({ length }, (_, index) => {
    const kind = choice.weighed(randomKinds);
    return choice.weighed<() => RandomRequest>([
      [6, () => create(choice, kind, index)],
      [5, () => update(choice, kind)],
      [7, () => patch(choice, kind)],
      [3, () => remove(choice, kind)],
      [2, () => read(choice, kind)],
      [3, () => list(choice, kind)],
      [1, () => nonsense(choice, kind)],
    ])();
  });
}
