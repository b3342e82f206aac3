import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "farwatch";
import fc from "fast-check";
import { ApiError } from "../failure/api-error.ts";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import type { Kind, KindVersion } from "../registry/kind.ts";
import {
  applyPatch,
  type PatchedDocument,
  type PatchRequest,
  patchMediaTypes,
  unreadablePatch,
  unsupportedPatch,
} from "./apply-patch.ts";
import { thingKind } from "./patch-kind.fixture.ts";

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";

function builtIn(name: string): Kind {
  const kind = builtInKinds().find((one) => one.kind === name);
  assert.ok(kind);
  return kind;
}

const configMap = builtIn("ConfigMap");
const deployment = builtIn("Deployment");

function patched(
  mediaType: string,
  document: JsonObject,
  patch: unknown,
  { kind = configMap, ...more }: Partial<PatchRequest> = {},
): PatchedDocument {
  const [version] = kind.versions as [KindVersion];
  return applyPatch({ kind, version, mediaType, document, patch, fieldValidation: "Warn", ...more });
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return `${error.code} ${error.message}`;
  }
  return "none";
}

const inapplicable = "422 the server rejected our request due to an error in our request";

test("a JSON patch adds, removes, replaces, moves, copies and tests", () => {
  const document = { data: { a: "1", b: { c: 1 } }, list: [1, 2] };
  const { value } = patched(json, document, [
    { op: "add", path: "/data/d", value: "4" },
    { op: "remove", path: "/data/a" },
    { op: "replace", path: "/list/-1", value: 9 },
    { op: "copy", from: "/data/b", path: "/copy" },
    { op: "add", path: "/copy/c", value: 2 },
    { op: "move", from: "/data/d", path: "/moved" },
    { op: "add", path: "/list/0", value: 0 },
    { op: "add", path: "/list/-", value: 3 },
    { op: "test", path: "/list", value: [0, 1, 9, 3] },
  ]);
  assert.deepEqual(value, { copy: { c: 2 }, data: { b: { c: 1 } }, list: [0, 1, 9, 3], moved: "4" });
  assert.deepEqual(document, { data: { a: "1", b: { c: 1 } }, list: [1, 2] });
});

test("a JSON patch that does not fit is refused without a reason", () => {
  const document = { a: "1", list: ["x"] };
  const operations: readonly object[] = [
    { op: "test", path: "/a", value: "2" },
    { op: "test", path: "/a" },
    { op: "remove", path: "/b" },
    { op: "add", path: "/b/c", value: 1 },
    { op: "add", path: "/a/c", value: 1 },
    { op: "add", path: "", value: {} },
    { op: "add", path: "a", value: 1 },
    { op: "add", path: "/list/2", value: 1 },
    { op: "add", path: "/list/-3", value: 1 },
    { op: "add", path: "/list/x", value: 1 },
    { op: "replace", path: "/list/1", value: 1 },
    { op: "remove", path: "/list/-2" },
    { op: "move", from: "/b", path: "/c" },
    { op: "copy", from: "/b/c", path: "/c" },
    { op: "replace", path: "", value: 5 },
    { op: "shuffle", path: "/a" },
    { path: "/a" },
  ];
  for (const operation of operations) {
    assert.equal(
      refusal(() => patched(json, document, [operation])),
      inapplicable,
      JSON.stringify(operation),
    );
  }
});

test("what is no JSON patch is refused in the words of the validation that reads it", () => {
  const ignore = { fieldValidation: "Ignore" } as const;
  assert.equal(
    refusal(() => patched(json, {}, {})),
    "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  );
  assert.equal(
    refusal(() => patched(json, {}, {}, ignore)),
    "400 json: cannot unmarshal object into Go value of type jsonpatch.Patch",
  );
  assert.equal(
    refusal(() => patched(json, {}, [5])),
    "400 error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
  );
  assert.equal(
    refusal(() => patched(json, {}, [5], ignore)),
    "400 json: cannot unmarshal number into Go value of type jsonpatch.Operation",
  );
  assert.equal(
    refusal(() => patched(json, {}, [{ op: true }])),
    "400 error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string",
  );
  assert.equal(
    refusal(() => patched(json, {}, [{ op: true }], ignore)),
    inapplicable,
  );
  const many = Array.from({ length: 10_001 }, () => ({}));
  assert.match(
    refusal(() => patched(json, {}, many)),
    /^413 Request entity too large: .* is 10000, got 10001$/,
  );
});

test("problems of a patch are told where somebody asks", () => {
  const patch = [{ op: "add", path: "/a", value: 1, why: "x" }];
  const duplicateFields = ["[0].op"];
  assert.deepEqual(patched(json, {}, patch, { duplicateFields }).problems, [
    'json patch duplicate field "[0].op"',
    'json patch unknown field "[0].why"',
  ]);
  assert.deepEqual(patched(json, {}, patch, { duplicateFields, fieldValidation: "Ignore" }).problems, []);
  assert.deepEqual(patched(merge, {}, {}, { duplicateFields: ["data.a"] }).problems, ['duplicate field "data.a"']);
});

test("a JSON patch copies three MiB at most", () => {
  const copies = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/${index}` }));
  assert.equal(
    refusal(() => patched(json, { data: { a: "1" } }, copies)),
    inapplicable,
  );
});

test("a JSON patch sets names of prototypes like others", () => {
  const { value } = patched(json, {}, [
    { op: "add", path: "/__proto__", value: { polluted: true } },
    { op: "add", path: "/__proto__/more", value: 1 },
  ]);
  assert.equal(JSON.stringify(value), '{"__proto__":{"more":1,"polluted":true}}');
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.equal(
    refusal(() => patched(json, {}, [{ op: "add", path: "/constructor/prototype", value: 1 }])),
    inapplicable,
  );
});

test("a move there and back leaves the document as it was", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true }), (document) => {
      const [name = ""] = Object.keys(document);
      const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const there = "/a place that is free";
      const { value } = patched(json, document, [
        { op: "move", from: path, path: there },
        { op: "move", from: there, path },
      ]);
      assert.deepEqual(JSON.parse(JSON.stringify(value)), JSON.parse(JSON.stringify(document)));
    }),
  );
});

test("a merge patch merges objects, removes by null, and leaves nulls out of what is new", () => {
  const document = { a: { b: 1, c: 2 }, list: [1], object: { x: 1 } };
  const patch = { a: { b: null, d: { e: null, f: 1 } }, list: [{ g: null, h: 1 }], object: [{ g: null }], gone: null };
  const { value } = patched(merge, document, patch);
  assert.deepEqual(value, { a: { c: 2, d: { f: 1 } }, list: [{ h: 1 }], object: [{ g: null }] });
  assert.deepEqual(document, { a: { b: 1, c: 2 }, list: [1], object: { x: 1 } });
});

test("what is no merge patch is refused", () => {
  const into = "into Go value of type map[string]interface {}";
  assert.equal(
    refusal(() => patched(merge, {}, [])),
    `400 error decoding patch: json: cannot unmarshal array ${into}`,
  );
  assert.equal(
    refusal(() => patched(merge, {}, null)),
    "400 Invalid JSON Patch",
  );
  assert.equal(
    refusal(() => patched(merge, {}, 5, { fieldValidation: "Ignore" })),
    "400 Invalid JSON Patch",
  );
  assert.deepEqual(patched(merge, {}, [{ a: null }], { fieldValidation: "Ignore" }).value, [{}]);
});

test("a merge patch without nulls applied twice is one applied once", () => {
  const objects = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(objects, objects, (document, patch) => {
      // Within lists a null may stay once and go twice, as on the real server.
      fc.pre(!JSON.stringify(patch).includes("null"));
      const once = patched(merge, document, patch).value as JsonObject;
      assert.deepEqual(patched(merge, once, patch).value, once);
    }),
  );
});

const containers = [
  {
    name: "a",
    image: "i",
    env: [
      { name: "X", value: "1" },
      { name: "Y", value: "2" },
    ],
  },
  { name: "b", image: "i" },
];

function pods(spec: unknown): JsonObject {
  return { spec: { template: { spec } } };
}

function mergedPods(spec: unknown): unknown {
  const { value } = patched(strategic, pods({ containers, volumes: [{ name: "v", emptyDir: {} }] }), pods(spec), {
    kind: deployment,
  });
  return (value as { readonly spec: { readonly template: { readonly spec: unknown } } }).spec.template.spec;
}

function names(spec: unknown): readonly string[] {
  return (spec as { readonly containers: readonly { readonly name: string }[] }).containers.map(({ name }) => name);
}

test("a strategic merge patch merges items by their key, at every depth", () => {
  const merged = mergedPods({
    containers: [
      {
        name: "a",
        image: "j",
        env: [
          { name: "Y", $patch: "delete" },
          { name: "Z", value: "3" },
        ],
      },
    ],
  });
  assert.deepEqual((merged as { readonly containers: unknown }).containers, [
    {
      name: "a",
      image: "j",
      env: [
        { name: "Z", value: "3" },
        { name: "X", value: "1" },
      ],
    },
    { name: "b", image: "i" },
  ]);
});

test("a strategic merge patch orders items, deletes them and replaces lists", () => {
  const ordered = {
    "$setElementOrder/containers": [{ name: "n" }, { name: "b" }, { name: "a" }],
    containers: [{ name: "n" }],
  };
  assert.deepEqual(names(mergedPods(ordered)), ["n", "b", "a"]);
  assert.deepEqual(names(mergedPods({ containers: [{ name: "a", $patch: "delete" }] })), ["b"]);
  assert.deepEqual(names(mergedPods({ containers: [{ $patch: "replace" }, { name: "only" }] })), ["only"]);
  assert.deepEqual(
    mergedPods({
      volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }],
      containers: null,
    }),
    {
      volumes: [{ name: "v", hostPath: { path: "/" } }],
    },
  );
});

test("a strategic merge patch of lists of scalars adds, deletes and replaces by their strategy", () => {
  const document = { metadata: { finalizers: ["a", "b"] } };
  const merged = (metadata: object): unknown => patched(strategic, document, { metadata }).value;
  assert.deepEqual(merged({ finalizers: ["c", "a"] }), { metadata: { finalizers: ["c", "a", "b"] } });
  assert.deepEqual(merged({ "$deleteFromPrimitiveList/finalizers": ["a"] }), { metadata: { finalizers: ["b"] } });
  assert.deepEqual(merged({ "$setElementOrder/finalizers": ["b", "a"] }), { metadata: { finalizers: ["b", "a"] } });
});

test("strategic merge patches of a wrong form are refused as on the real server", () => {
  const document = { metadata: { finalizers: ["a"] }, data: { a: "1" } };
  const refused = (patch: unknown): string => refusal(() => patched(strategic, document, patch));
  assert.equal(refused({ data: { $patch: "merge" } }), "500 unknown patch type: merge in map: map[$patch:merge]");
  assert.equal(refused({ data: { $retainKeys: ["b"], a: "2" } }), "400 invalid patch format of retainKeys");
  assert.equal(refused({ metadata: { $deleteFromPrimitiveList: [] } }), "400 invalid patch format of primitive list");
  assert.equal(refused({ metadata: { $setElementOrder: [] } }), "400 invalid patch format of setElementOrder list");
  assert.equal(
    refused({ metadata: { finalizers: ["b", 5] } }),
    "500 list element types are not identical: [[a] [b 5]]",
  );
  assert.equal(refused({ metadata: { finalizers: [[]] } }), "500 list element types are not identical: [[a] [[]]]");
  assert.equal(
    refused({ metadata: { "$setElementOrder/fruits": [] } }),
    '500 unable to find api field in struct ObjectMeta for the json field "fruits"',
  );
  assert.equal(refused([]), "400 json: cannot unmarshal array into Go value of type map[string]interface {}");
  assert.equal(
    refusal(() => mergedPods({ containers: [{ image: "x" }] })),
    "500 map: map[image:x] does not contain declared merge key: name",
  );
});

test("a value that cannot be decoded is refused with what was patched", () => {
  const document = { kind: "ConfigMap", data: { a: "1" }, apiVersion: "v1" };
  const text = (mediaType: string, patch: unknown): string => patched(mediaType, document, patch).refuse("why").message;
  assert.equal(
    text(json, [{ op: "add", path: "/data", value: { b: 1, a: "<" } }]),
    ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"b\\":1,\\"a\\":\\"\\\\u003c\\"},\\"kind\\":\\"ConfigMap\\"}": why',
  );
  assert.equal(
    text(merge, { data: 5 }),
    ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":5,\\"kind\\":\\"ConfigMap\\"}": why',
  );
  assert.throws(() => text(strategic, { data: { a: 5, n: null }, new: { z: null, y: [true] } }), {
    message:
      ' "" is invalid: patch: Invalid value: "map[data:map[a:5 n:<nil>] new:map[y:[true]]]": cannot convert int64 to string',
  });
  const { details } = patched(merge, document, { data: 5 }).refuse("why");
  assert.deepEqual(Object.keys(details ?? {}), ["causes"]);
});

test("a refused document has its names in the order in which Go writes them", () => {
  const metadata = { labels: { b: "1", a: "2" }, uid: "u", name: "n" };
  const text = (patch: unknown, more: Partial<PatchRequest> = {}): string =>
    patched(merge, { metadata, apiVersion: "v1" }, patch, more).refuse("why").message.replaceAll("\\", "");
  assert.match(text({ data: 5 }), /"data":5,"metadata":\{"name":"n","uid":"u","labels":\{"a":"2","b":"1"\}\}/);
  assert.match(text({ metadata: { name: "m" } }), /"metadata":\{"labels":\{"a":"2","b":"1"\},"name":"m","uid":"u"\}/);
  assert.match(
    text({ data: 5 }, { kind: thingKind() }),
    /"metadata":\{"labels":\{"a":"2","b":"1"\},"name":"n","uid":"u"\}/,
  );
});

test("custom kinds take no strategic merge patches", () => {
  assert.deepEqual(patchMediaTypes({ custom: true }), [json, merge, "application/apply-patch+yaml"]);
  assert.deepEqual(patchMediaTypes({ custom: false }), [json, merge, strategic, "application/apply-patch+yaml"]);
  assert.equal(
    unsupportedPatch({ custom: true }).message,
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
  );
  assert.equal(unsupportedPatch({ custom: false }).message, "415: Unsupported Media Type");
});

test("a patch that is no JSON is refused in the words of its kind", () => {
  const text = (mediaType: string, fieldValidation: "Ignore" | "Warn"): string =>
    unreadablePatch({ mediaType, fieldValidation }, "why").message;
  assert.equal(text(json, "Warn"), "error decoding patch: why");
  assert.equal(text(json, "Ignore"), "why");
  assert.equal(text(merge, "Ignore"), "Invalid JSON Patch");
  assert.equal(text(strategic, "Warn"), "why");
  assert.equal(text("application/apply-patch+yaml", "Warn"), "error decoding YAML: why");
});
