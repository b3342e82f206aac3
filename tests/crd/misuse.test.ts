/**
 * What the types of resources and clients refuse: each line below an expectation must not compile, or the type check of
 * this file fails. The code is never run.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import {
  type Client,
  ConfigMap,
  CustomResourceDefinition,
  defineResource,
  type InputOf,
  instantOf,
  type ObjectOf,
  Pod,
  parseTime,
  Secret,
  toCrd,
} from "farwatch";
import { z } from "zod";

const Bucket = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
  spec: z.object({
    bucket: z.string(),
    level: z.enum(["Head", "List"]).default("Head"),
    at: z
      .codec(z.iso.datetime(), z.date(), {
        decode: (text) => parseTime(text) ?? instantOf(0),
        encode: (at) => at.toISOString(),
      })
      .optional(),
  }),
  status: z.object({ available: z.boolean().optional(), lastProbeTime: z.string().optional() }),
  printerColumns: [{ name: "Available", path: ".status.available", type: "boolean" }],
});
type Bucket = ObjectOf<typeof Bucket>;

const Plain = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Plain",
  spec: type({ a: "string", b: "number = 3" }),
});

/** Compiles exactly when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

// What has a default is there in an object, and may be left out of an input; a codec is the text that it takes.
same<Bucket["spec"]["level"], "Head" | "List">(true);
same<InputOf<typeof Bucket>["spec"]["level"], "Head" | "List" | undefined>(true);
same<Bucket["spec"]["at"], string | undefined>(true);
same<NonNullable<Bucket["status"]>["available"], boolean | undefined>(true);
same<ObjectOf<typeof Plain>["spec"], { readonly a: string; readonly b: number }>(true);
same<ObjectOf<typeof Plain>["status"], undefined>(true);

export async function misuse(client: Client, bucket: Bucket): Promise<void> {
  await client.create(Bucket, { metadata: { name: "a" }, spec: { bucket: "photos" } });
  await client.create(Plain, { metadata: { name: "a" }, spec: { a: "x" } });
  await client.create(Secret, { metadata: { name: "a" }, stringData: { key: "value" } });
  await client.create(CustomResourceDefinition, toCrd(Bucket));

  // @ts-expect-error what the cache gives is frozen, so its parts are readonly
  bucket.spec.bucket = "videos";
  // @ts-expect-error unknown status field
  await client.patchStatus(bucket, { avialable: true });
  // @ts-expect-error wrong type of a status field
  await client.patchStatus(bucket, { available: "yes" });
  // @ts-expect-error missing spec.bucket
  await client.create(Bucket, { metadata: { name: "a" }, spec: {} });
  // @ts-expect-error unknown spec field
  await client.create(Bucket, { metadata: { name: "a" }, spec: { bucket: "photos", regoin: "eu" } });
  // @ts-expect-error not a value of the enum
  await client.create(Bucket, { metadata: { name: "a" }, spec: { bucket: "photos", level: "Write" } });
  // @ts-expect-error no name
  await client.create(Bucket, { metadata: {}, spec: { bucket: "photos" } });
  // @ts-expect-error a kind without a status schema has no status
  await client.patchStatus(await client.get(Plain, { name: "a" }), { available: true });
  // @ts-expect-error objects are read-only
  bucket.spec = { bucket: "other", level: "Head" };
  // @ts-expect-error data is text
  await client.create(ConfigMap, { metadata: { name: "a" }, data: { count: 3 } });
  // @ts-expect-error what is read has no stringData
  (await client.get(Secret, { name: "a" })).stringData;
  // @ts-expect-error a pod has containers
  await client.create(Pod, { metadata: { name: "a" }, spec: {} });
  // @ts-expect-error no such field
  (await client.get(Bucket, { name: "a" })).spec.region;
}

export function wrongDefinitions(): void {
  const names = { group: "example.farwatch.dev", version: "v1", kind: "Bucket" };
  // @ts-expect-error spec is missing
  defineResource({ ...names });
  // @ts-expect-error not a schema
  defineResource({ ...names, spec: { bucket: "string" } });
  // @ts-expect-error no such scope
  defineResource({ ...names, scope: "Global", spec: z.object({}) });
  // @ts-expect-error no such type of column
  defineResource({ ...names, spec: z.object({}), printerColumns: [{ name: "A", path: ".spec.a", type: "text" }] });
  // @ts-expect-error no such reason
  defineResource({ ...names, spec: z.object({}), rules: [{ path: "spec", rule: "true", reason: "Wrong" }] });
}

test("a resource that is defined with types is the same at run time", () => {
  assert.deepEqual([Bucket.kind, Plain.kind, Plain.subresources], ["Bucket", "Plain", []]);
});
