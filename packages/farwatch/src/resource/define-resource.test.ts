import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { CodedError, type ErrorCode } from "../error/coded-error.ts";
import type { StructuralSchema } from "../wire/structural-schema.ts";
import { defineResource } from "./define-resource.ts";
import type { FieldOptions } from "./field-option.ts";
import type { Schema } from "./json-schema.ts";
import type { Resource } from "./resource.ts";

const names = { group: "example.farwatch.dev", version: "v1", kind: "Thing" };

function schemaOf(resource: Resource): StructuralSchema | undefined {
  return resource.definition?.version.schema.openAPIV3Schema;
}

function specOf(spec: Schema, options: FieldOptions = {}): StructuralSchema | undefined {
  return schemaOf(defineResource({ ...names, ...options, spec }))?.properties?.spec;
}

function refusal(define: () => unknown, code: ErrorCode): string {
  try {
    define();
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.code, code, error.message);
    return error.message;
  }
  return assert.fail("it was not refused");
}

test("defineResource makes a frozen token with defaulted names, and says that the kind is its own", () => {
  const Thing = defineResource({ ...names, spec: z.object({}), status: z.object({}) });
  assert.ok(Object.isFrozen(Thing));
  const { definition, ...token } = Thing;
  assert.deepEqual(token, {
    group: "example.farwatch.dev",
    version: "v1",
    apiVersion: "example.farwatch.dev/v1",
    kind: "Thing",
    plural: "things",
    singular: "thing",
    scope: "Namespaced",
    subresources: ["status"],
  });
  assert.deepEqual(definition?.names, { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" });
});

test("defineResource has a status subresource exactly when it is given a status schema", () => {
  assert.deepEqual(defineResource({ ...names, spec: z.object({}) }).subresources, []);
  assert.equal(defineResource({ ...names, spec: z.object({}) }).definition?.version.subresources, undefined);
  const scale = { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" };
  const scaled = defineResource({
    ...names,
    spec: z.object({ n: z.int() }),
    status: z.object({ n: z.int() }),
    scaleSubresource: scale,
  });
  assert.deepEqual(scaled.subresources, ["status", "scale"]);
  assert.deepEqual(scaled.definition?.version.subresources, { status: {}, scale });
});

test("defineResource puts what a schema says of itself in the order in which one reads it", () => {
  const spec = specOf(
    z.object({ level: z.enum(["a", "b"]).default("a").describe("How deep.").meta({ title: "Level" }) }),
  );
  assert.equal(
    JSON.stringify(spec),
    '{"type":"object","properties":{"level":{"title":"Level","description":"How deep.","type":"string","enum":["a","b"],"default":"a"}}}',
  );
});

test("defineResource gives an object's default the defaults of its fields, since the server checks it by rules as it stands", () => {
  const spec = specOf(
    z.object({
      p: z.object({ a: z.int().default(1), b: z.object({ c: z.int().default(2) }).prefault({}) }).prefault({}),
    }),
  );
  assert.deepEqual(spec?.properties?.p?.default, { a: 1, b: { c: 2 } });
});

test("defineResource makes status.conditions a list map by type unless it is told otherwise", () => {
  const status = z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional() });
  const conditionsOf = (options: FieldOptions): StructuralSchema | undefined =>
    schemaOf(defineResource({ ...names, ...options, spec: z.object({}), status }))?.properties?.status?.properties
      ?.conditions;
  assert.deepEqual(conditionsOf({})?.["x-kubernetes-list-map-keys"], ["type"]);
  assert.equal(conditionsOf({})?.["x-kubernetes-list-type"], "map");
  assert.equal(conditionsOf({ atomic: ["status.conditions"] })?.["x-kubernetes-list-type"], "atomic");
  assert.deepEqual(
    conditionsOf({ listMapKeys: { "status.conditions": ["type", "status"] } })?.["x-kubernetes-list-map-keys"],
    ["type", "status"],
  );
});

test("defineResource keeps a check of its own beside a format, and drops the format's own pattern alone", () => {
  const ofPattern = specOf(toStandardJsonSchema(v.object({ at: v.pipe(v.string(), v.isoTimestamp(), v.regex(/Z$/)) })));
  assert.deepEqual(ofPattern?.properties?.at, { type: "string", format: "date-time", pattern: "Z$" });
  const plain = specOf(z.object({ at: z.iso.datetime({ offset: true }), day: z.iso.date() }));
  assert.deepEqual(plain?.properties, {
    at: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
  });
  const precise = specOf(z.object({ at: z.iso.datetime({ precision: 3 }) }))?.properties?.at?.pattern;
  assert.match(precise ?? "", /\\d\{3\}/);
});

test("defineResource takes zod's json for anything, although it holds itself", () => {
  const anything = { "x-kubernetes-preserve-unknown-fields": true, nullable: true };
  const schema = specOf(z.object({ j: z.json().optional().describe("Any."), l: z.array(z.json()).optional() }));
  assert.deepEqual(schema?.properties, {
    j: { description: "Any.", ...anything },
    l: { type: "array", items: anything },
  });
});

const refusedSchemas: readonly {
  readonly of: string;
  readonly spec: Schema;
  readonly options?: FieldOptions;
  readonly says: string;
}[] = [
  {
    of: "two types in one field",
    spec: z.object({ rules: z.array(z.object({ port: z.union([z.string(), z.boolean()]) })) }),
    says: "spec.rules[].port takes string or boolean, and a CRD field has one type; write an object with an optional field for each, or keep it unchecked with unknown",
  },
  {
    of: "a scalar or an object",
    spec: z.object({ ref: z.union([z.string(), z.object({ name: z.string() })]) }),
    says: "spec.ref takes string or object, and a CRD field has one type; write an object with an optional field for each, or keep it unchecked with unknown",
  },
  {
    of: "a scalar or a list",
    spec: z.object({ hosts: z.union([z.string(), z.array(z.string())]) }),
    says: "spec.hosts takes string or array, and a CRD field has one type; write an object with an optional field for each, or keep it unchecked with unknown",
  },
  {
    of: "a number or a string",
    spec: z.object({ n: z.union([z.number(), z.string()]) }),
    says: "spec.n takes number or string, and a CRD field has one type; write an object with an optional field for each, or keep it unchecked with unknown",
  },
  {
    of: "lists of different items",
    spec: z.object({ l: z.union([z.array(z.string()), z.array(z.int())]) }),
    says: "spec.l takes lists of different items, and all items of a CRD's list have one schema; let the items take both",
  },
  {
    of: "a tuple",
    spec: z.object({ pairs: z.record(z.string(), z.tuple([z.string(), z.int()])) }),
    says: "spec.pairs{} is a tuple, and all items of a CRD's list have one schema; write an object with a field for each",
  },
  {
    of: "a schema in itself",
    spec: z.object({
      get tree(): z.ZodOptional<typeof Tree> {
        return Tree.optional();
      },
    }),
    says: 'spec.tree.children[] is recursive, and a CRD cannot say that; keep the rest unchecked with preserveUnknownFields: ["spec.tree.children[]"]',
  },
  {
    of: "a bigint, a Date, a Map, and whatever else JSON has not",
    spec: z.object({ a: z.array(z.object({ at: z.date() })) }),
    says: "spec.a[].at has no form in JSON (Date cannot be represented in JSON Schema); write the type that the object has in JSON",
  },
  {
    of: "null alone",
    spec: z.object({ n: z.null() }),
    says: "spec.n takes null alone; drop it or give it a type",
  },
  {
    of: "a required field without a value",
    spec: z.object({ n: z.never() }),
    says: "spec.n takes no value at all; drop it or give it a type",
  },
  {
    of: "look-ahead in a pattern",
    spec: z.object({ password: z.string().regex(/^(?=.*\d).+$/) }),
    says: "spec.password has the pattern ^(?=.*\\d).+$ with look-around (?=…), which RE2, the API server's regular expressions, does not have; write it without, or as a CEL rule",
  },
  {
    of: "a backreference in a pattern",
    spec: z.object({ s: z.string().regex(/^(a)\1$/) }),
    says: "spec.s has the pattern ^(a)\\1$ with a backreference, which RE2, the API server's regular expressions, does not have; write it without, or as a CEL rule",
  },
  {
    of: "a format that nobody checks",
    spec: z.object({ token: z.jwt() }),
    says: "spec.token has the format jwt, which the API server does not check; give a pattern instead",
  },
  {
    of: "steps that are no whole number",
    spec: z.object({ price: z.number().multipleOf(0.01) }),
    says: "spec.price goes by steps of 0.01, and the API server takes fractional steps for whole ones; write a CEL rule",
  },
  {
    of: "keys by pattern",
    spec: z.object({ m: z.record(z.string().regex(/^a/), z.int()) }),
    says: "spec.m checks its keys, which a CRD cannot; write a record of plain strings, and a CEL rule for the keys",
  },
  {
    of: "fields beside a schema for all others",
    spec: z.object({ o: z.object({ a: z.string() }).catchall(z.int()) }),
    says: "spec.o has both fields of its own and a schema for all others, and a CRD takes one of the two; put the others into a record in a field of their own",
  },
  {
    of: "a default in one branch of a union",
    spec: z.object({
      u: z.discriminatedUnion("t", [
        z.object({ t: z.literal("a"), n: z.int().default(1) }),
        z.object({ t: z.literal("b") }),
      ]),
    }),
    says: "spec.u.n has a default in one branch of the union, which the server would set in all; make it optional without a default",
  },
  {
    of: "one field as two objects in a union",
    spec: z.object({
      u: z.discriminatedUnion("t", [
        z.object({ t: z.literal("a"), c: z.object({ x: z.int() }) }),
        z.object({ t: z.literal("b"), c: z.object({ y: z.int() }) }),
      ]),
    }),
    says: "spec.u.c is another object or list in each branch of the union, and a CRD has one schema for a field; give it a name of its own in each",
  },
  {
    of: "a field that CEL cannot reach in one branch of a union",
    spec: z.object({
      u: z.discriminatedUnion("t", [z.object({ t: z.literal("a"), $x: z.int() }), z.object({ t: z.literal("b") })]),
    }),
    says: "spec.u.$x is in one branch of the union, and CEL cannot reach a field of that name; name it with letters, digits and _",
  },
  {
    of: "an unchecked field in one branch of a union",
    spec: z.object({
      u: z.union([z.object({ t: z.literal("a"), any: z.unknown() }), z.object({ t: z.literal("b") })]),
    }),
    says: "spec.u.any is in one branch of the union and takes anything, which CEL cannot reach; make it a record of unknown, or put it into an object",
  },
  {
    of: "a union with a record",
    spec: z.object({ u: z.union([z.object({ a: z.int() }), z.record(z.string(), z.string())]) }),
    says: "spec.u is a union with a record, whose keys nobody can tell apart; give the record a field of its own",
  },
  {
    of: "an intersection of two types",
    spec: z.object({ i: z.intersection(z.string(), z.int()) }),
    says: "spec.i is to be string and integer at once; write one schema",
  },
  {
    of: "a default below the schema's own bound",
    spec: z.object({ n: z.int().min(5).default(3) }),
    says: "spec.n has a default that it does not take: the default is 3, too small; change the default or the schema",
  },
  {
    of: "a default with a wrong value within",
    spec: z.object({ l: z.array(z.object({ s: z.string().max(2) })).default([{ s: "ab" }, { s: "abc" }]) }),
    says: "spec.l has a default that it does not take: in the default [1].s is 3 long; change the default or the schema",
  },
  {
    of: "a spec that is no object",
    spec: z.string(),
    says: "spec is no object; give an object schema",
  },
  {
    of: "a Date of arktype, with its path",
    spec: type({ a: { at: "Date" } }),
    says: "spec.a.at has no form in JSON (arktype: date); write the type that the object has in JSON",
  },
];

const Tree: z.ZodObject<{ readonly children: z.ZodArray<z.ZodType> }> = z.object({
  get children() {
    return z.array(Tree as z.ZodType);
  },
});

for (const { of, spec, options, says } of refusedSchemas) {
  test(`defineResource refuses ${of}, and says where and what to write instead`, () => {
    const message = refusal(() => defineResource({ ...names, ...options, spec }), "InvalidSchema");
    assert.equal(message, `Cannot define Thing: ${says}`);
  });
}

test("defineResource refuses what is no schema with Standard JSON Schema", () => {
  const expected =
    "Cannot define Thing.spec: it has no Standard JSON Schema, give a schema of zod 4.2 or later, of arktype 2.1.28 or later, or of valibot through toStandardJsonSchema";
  for (const spec of [v.object({}), {}, undefined]) {
    assert.equal(
      refusal(() => defineResource({ ...names, spec: spec as unknown as Schema }), "InvalidSchema"),
      expected,
    );
  }
});

test("defineResource passes on what a library cannot say, as the cause", () => {
  const spec = toStandardJsonSchema(v.object({ b: v.bigint() }));
  assert.throws(() => defineResource({ ...names, spec }), {
    code: "InvalidSchema",
    message: 'Cannot define Thing.spec: The "bigint" schema cannot be converted to JSON Schema.',
  });
});

const spec = z.object({
  name: z.string(),
  ratio: z.number().optional(),
  ports: z.array(z.object({ name: z.string().optional(), tags: z.array(z.string()) })).optional(),
});

const refusedOptions: readonly { readonly of: string; readonly options: object; readonly says: string }[] = [
  {
    of: "a kind in lower case",
    options: { kind: "thing" },
    says: 'kind is "thing", give letters and digits, at most 63, that begin with a capital',
  },
  {
    of: "a group without a dot",
    options: { group: "example" },
    says: 'group is "example", give a DNS name with a dot that you own, such as storage.example.com',
  },
  {
    of: "a group in capitals",
    options: { group: "Example.com" },
    says: 'group is "Example.com", give a DNS name in lower case, such as storage.example.com',
  },
  {
    of: "a group of the Kubernetes project",
    options: { group: "storage.k8s.io" },
    says: "group storage.k8s.io belongs to the Kubernetes project, and its API server refuses a CRD there without an approval; give a DNS name that you own",
  },
  {
    of: "a version that is no label",
    options: { version: "1.0" },
    says: 'version is "1.0", give a version such as v1 or v1alpha1: lower-case letters, digits and dashes, at most 63, that begin with a letter and end with a letter or a digit (DNS-1035)',
  },
  {
    of: "a plural in capitals",
    options: { plural: "Things" },
    says: 'plural is "Things", give lower-case letters, digits and dashes, at most 63, that begin with a letter and end with a letter or a digit (DNS-1035)',
  },
  {
    of: "a short name with a space",
    options: { shortNames: ["t h"] },
    says: 'a short name is "t h", give lower-case letters, digits and dashes, at most 63, that begin with a letter and end with a letter or a digit (DNS-1035)',
  },
  {
    of: "a short name that is given twice",
    options: { shortNames: ["t", "t"] },
    says: "the short name t is given twice, drop one",
  },
  {
    of: "a rule at a path that is not there",
    options: { rules: [{ path: "spec.nme", rule: "true" }] },
    says: 'rules names "spec.nme", which is not in the schema; write paths as spec.rules[].port',
  },
  {
    of: "list map keys of a list of scalars",
    options: { listMapKeys: { "spec.ports[].tags": ["a"] } },
    says: 'listMapKeys names "spec.ports[].tags", which is no list of objects',
  },
  {
    of: "a list map key that is optional",
    options: { listMapKeys: { "spec.ports": ["name"] } },
    says: 'listMapKeys names "spec.ports", but the key name of its items is optional; make it required or give it a default',
  },
  {
    of: "a list map key that is not there",
    options: { listMapKeys: { "spec.ports": ["port"] } },
    says: 'listMapKeys names "spec.ports", but its items have no scalar field port',
  },
  {
    of: "a set of objects",
    options: { listSets: ["spec.ports"] },
    says: 'listSets names "spec.ports", which is no list of scalars; write listMapKeys for lists of objects',
  },
  {
    of: "an atomic scalar",
    options: { atomic: ["spec.name"] },
    says: 'atomic names "spec.name", which is no list and no object',
  },
  {
    of: "preserved fields of a scalar",
    options: { preserveUnknownFields: ["spec.name"] },
    says: 'preserveUnknownFields names "spec.name", which is no object with fields',
  },
  {
    of: "a selectable field that is not there",
    options: { selectableFields: ["spec.x"] },
    says: "selectable field spec.x is not in the schema; give a path such as spec.region",
  },
  {
    of: "a selectable field that is a number",
    options: { selectableFields: ["spec.ratio"] },
    says: "selectable field spec.ratio is no string, integer or boolean, and the API server selects by no other",
  },
  {
    of: "a selectable field in a list",
    options: { selectableFields: ["spec.ports[].name"] },
    says: "selectable field spec.ports[].name is not in the schema; give a path such as spec.region",
  },
];

for (const { of, options, says } of refusedOptions) {
  test(`defineResource refuses ${of}`, () => {
    const merged = { ...names, ...options, spec };
    assert.equal(
      refusal(() => defineResource(merged), "InvalidResource"),
      `Cannot define ${merged.kind}: ${says}`,
    );
  });
}
