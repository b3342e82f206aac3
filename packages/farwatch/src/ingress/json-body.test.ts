import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import type { BodyFormat } from "./body-format.ts";
import { jsonBody } from "./json-body.ts";
import { request } from "./scripted-sender.fixture.ts";

const ctx = { clock: createVirtualClock(), covers: "request" } as const;

async function read<B>(format: BodyFormat<B>, value: unknown): Promise<B | string> {
  const reading = await format.read(request({}), Buffer.from(JSON.stringify(value)), ctx);
  if (reading.type === "malformed") return reading.reason;
  assert.ok(reading.type === "events");
  assert.equal(reading.events.length, 1);
  return reading.events[0]?.body as B;
}

test("jsonBody gives what the schema makes of the body: defaults, transforms", async () => {
  const format = jsonBody(z.object({ name: z.string(), level: z.int().default(3) }));
  assert.deepEqual(await read(format, { name: "a" }), { name: "a", level: 3 });
});

test("jsonBody names the field that is wrong, and quotes no value", async () => {
  const schema = z.object({
    bucket: z.object({ name: z.string().min(3), tags: z.array(z.string()).optional() }).strict(),
  });
  const plain = {
    type: "object",
    required: ["bucket"],
    properties: {
      bucket: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: { name: { type: "string", minLength: 3 }, tags: { type: "array", items: { type: "string" } } },
      },
    },
  };
  for (const format of [jsonBody(schema), jsonBody(plain)]) {
    assert.match(String(await read(format, {})), /^body\.bucket is missing$/);
    assert.match(String(await read(format, { bucket: {} })), /^body\.bucket\.name is missing$/);
    assert.match(
      String(await read(format, { bucket: { name: "hunter2", tags: ["a", 1] } })),
      /^body\.bucket\.tags\.1 /,
    );
    assert.match(
      String(await read(format, { bucket: { name: "abc", extra: 1 } })),
      /^body\.bucket\.extra is not known$/,
    );
    const short = String(await read(format, { bucket: { name: "hu" } }));
    assert.match(short, /^body\.bucket\.name /);
    assert.doesNotMatch(short, /hu\b/);
  }
});

test("jsonBody checks by the library what JSON Schema cannot say", async () => {
  const format = jsonBody(
    z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to, "from is after to"),
  );
  assert.equal(await read(format, { from: 2, to: 1 }), "body from is after to");
});

test("jsonBody matches patterns against strings of at most 1 KiB, so that none can take long", async () => {
  const bad = "^(a+)+$";
  for (const format of [
    jsonBody({ type: "object", properties: { name: { type: "string", pattern: bad } } }),
    jsonBody(z.object({ name: z.string().regex(new RegExp(bad)) })),
  ]) {
    assert.deepEqual(await read(format, { name: "a".repeat(1_024) }), { name: "a".repeat(1_024) });
    assert.match(String(await read(format, { name: `${"a".repeat(1_000_000)}!` })), /^body\.name does not match/);
  }
});

test("jsonBody shows names of fields on one line, and short", async () => {
  const format = jsonBody({ type: "object", additionalProperties: false });
  const answer = String(await read(format, { ["\u001b[31mred\n\u202e".repeat(100)]: 1 }));
  assert.ok(answer.length <= 300);
  assert.doesNotMatch(answer, /[\p{Cc}\p{Cf}]/u);
});

test("jsonBody is JSON in UTF-8 and nothing else", () => {
  const accepts = (type: string) => jsonBody().accepts(type.split(";")[0] ?? "", new Map([["content-type", type]]));
  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    'application/json; x=1; charset = "UTF-8"; charset=utf-8',
    "application/vnd.github+json",
  ]) {
    assert.equal(accepts(type), true, type);
  }
  for (const type of [
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-16",
    "application/json; charset='utf-16'",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json; charset",
    "application/json; charset=",
  ]) {
    assert.equal(accepts(type), false, type);
  }
});

test("jsonBody refuses a schema that cannot be compiled when the first body comes", async () => {
  await assert.rejects(read(jsonBody({ type: "nothing" }), {}), { code: "InvalidSchema" });
});
