import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createScriptedTransport, type ScriptedAnswer } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { KubeObject } from "../wire/object.ts";
import { createClient } from "./create-client.ts";
import { staticConfig } from "./static-config.ts";
import { openWatch, type WatchEvent } from "./watch-stream.ts";

const added = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "ADDED",
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion: "1", ...more } },
});

/** Reads a watch that is answered with these chunks, batch by batch. */
async function read(
  answer: ScriptedAnswer | readonly Uint8Array[],
  options: { readonly maxLineBytes?: number } = {},
): Promise<readonly (readonly WatchEvent<KubeObject>[])[]> {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  async function* chunks(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* parts;
  }
  transport.on(
    { path: "/api/v1/configmaps" },
    Array.isArray(answer) ? { body: chunks(answer) } : (answer as ScriptedAnswer),
  );
  await using client = createClient({ transport, clock, config: staticConfig({ server: "https://api.test" }) });
  const batches: (readonly WatchEvent<KubeObject>[])[] = [];
  const { signal } = new AbortController();
  const watch = { path: "/api/v1/configmaps", query: { resourceVersion: "7" }, signal, doing: "watch configmaps" };
  for await (const batch of await openWatch(client.rest, { ...watch, ...options })) batches.push(batch);
  const [request] = transport.requests;
  assert.equal(request?.url, "https://api.test/api/v1/configmaps?resourceVersion=7&watch=true");
  assert.equal(request?.streaming, true);
  assert.equal(transport.open, 0);
  return batches;
}

function split(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const cuts = [...new Set(at.map((cut) => cut % (bytes.byteLength + 1)))].sort((a, b) => a - b);
  return [...cuts, bytes.byteLength].map((end, i) => bytes.subarray(cuts[i - 1] ?? 0, end));
}

const lines = (...events: readonly unknown[]): Buffer =>
  Buffer.from(events.map((each) => `${JSON.stringify(each)}\n`).join(""));

// B24
test("watch stream decodes characters that are split over chunks, and drops a last line that was cut off", async () => {
  const events = [
    added("a", { annotations: { text: "バケット🪣", line: "one\u2028two\u2029\\n" } }),
    added("b"),
    added("c"),
    added("d"),
  ];
  const whole = lines(...events);
  const cut = Buffer.concat([whole, Buffer.from(JSON.stringify(added("lost"))).subarray(0, 40)]);
  const singly = await read([...cut].map((byte) => Uint8Array.of(byte)));
  assert.deepEqual(singly.flat(), events);
  assert.ok(singly.every((batch) => batch.length <= 1));
  assert.deepEqual(await read([cut]), [events]);
});

test("watch stream decodes the same whatever the chunks are", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const event = fc
    .record({ name: text, key: text, value: fc.oneof(text, fc.constant('}\n"\\u2028 ]{')) })
    .map(({ name, key, value }) => added(name, { annotations: { [`k${key}`]: value } }));
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), async (events, cuts) => {
      const chunks = split(lines(...events), cuts);
      const batches = await read(chunks);
      assert.equal(batches.length, chunks.length);
      assert.deepEqual(batches.flat(), events);
    }),
  );
});

test("watch stream passes bookmarks and errors on, and skips empty lines", async () => {
  const events = [
    { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
    { type: "ERROR", object: { kind: "Status", code: 410 } },
  ];
  const [first, second] = events.map((each) => JSON.stringify(each));
  assert.deepEqual(await read({ body: `\n${first}\r\n \n${second}\n` }), [events]);
});

test("watch stream refuses what is no watch event, without quoting it", async () => {
  const list = { kind: "ConfigMapList", items: [], metadata: { resourceVersion: "1" } };
  for (const wrong of [
    list,
    7,
    null,
    [],
    { type: "ADDED", object: null },
    { type: "GROWN", object: added("a").object },
  ]) {
    await assert.rejects(read([lines(added("a"), wrong)]), {
      code: "ProtocolError",
      message:
        "Cannot watch configmaps: the server answers with something that is no watch event; does it support watch?",
    });
  }
  await assert.rejects(read({ body: '{"type":"ADDED","object":{"data":"secret\n' }), {
    code: "ProtocolError",
    message: "Cannot watch configmaps: a line of 40 characters is no JSON; is the server's URL right?",
  });
});

test("watch stream refuses a line that is longer than the limit, whole or not", async () => {
  const event = lines(added("a".repeat(5_000)));
  for (const chunks of [split(event, [1_000, 2_000, 3_000]), [event.subarray(0, event.byteLength - 1)]]) {
    await assert.rejects(read(chunks, { maxLineBytes: 4_000 }), {
      code: "ProtocolError",
      message: "Cannot watch configmaps: an event is longer than the 4000 bytes that are read at most",
    });
  }
});

test("watch stream rejects at once when the server refuses the watch", async () => {
  const status = { kind: "Status", reason: "Expired", code: 410, message: "too old" };
  await assert.rejects(read({ status: 410, body: status }), (error) => isCodedError(error, "Expired"));
});
