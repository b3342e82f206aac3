import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { createClient } from "./create-client.ts";
import { failure, Gauge, gauge, path } from "./scripted-gauge.fixture.ts";
import { staticConfig } from "./static-config.ts";

const token = "2030-01-01T00:00:00Z/abcdefgh";
const requested = { "farwatch.dev/requested-at": token };

const Lamp = defineResource({
  group: "x.dev",
  version: "v1",
  kind: "Lamp",
  spec: z.object({}),
  status: z.object({ lit: z.boolean().optional(), lastHandledRequest: z.string().optional() }),
});

function setUp() {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const log = createRecordingLogger();
  const config = staticConfig({ server: "https://api.test" });
  const client = createClient({ config, transport, clock, log, resources: [Gauge, Lamp] });
  const sent = () => transport.requests.map(({ method, path: at, json }) => [method, at, json]);
  const statuses = () => transport.requests.map(({ json }) => (json as { readonly status: unknown }).status);
  return { transport, log, sent, statuses, client: client.view({ notesRequests: true }) };
}

function lamp(annotations: Readonly<Record<string, string>>, status: object = { lit: true }) {
  const metadata = { namespace: "a", name: "b", uid: "u1", resourceVersion: "7", generation: 1, annotations };
  return { apiVersion: "x.dev/v1", kind: "Lamp", metadata, spec: {}, status };
}

const annotated = (annotations: Readonly<Record<string, string>>, version = "7") => {
  const plain = gauge({ version });
  return { ...plain, metadata: { ...plain.metadata, annotations } };
};

test("status writes put the token of a request into status.lastHandledRequest where the schema declares it", async () => {
  const { transport, sent, statuses, client } = setUp();
  transport.on({}, { body: lamp(requested) });
  const lampPath = "/apis/x.dev/v1/namespaces/a/lamps/b/status";
  const metadata = { resourceVersion: "7" };

  await client.patchStatus(lamp(requested), { lit: false });
  assert.deepEqual(sent().at(-1), ["PATCH", lampPath, { metadata, status: { lit: false, lastHandledRequest: token } }]);

  await client.patchStatus(lamp(requested), { lit: true });
  assert.equal(sent().length, 2, "the token alone is worth a write");
  await client.patchStatus(lamp(requested, { lit: true, lastHandledRequest: token }), { lit: true });
  assert.equal(sent().length, 2, "and only once");

  await client.applyStatus(lamp(requested, { lastHandledRequest: token }), { lit: true });
  assert.deepEqual(statuses().at(-1), { lit: true, lastHandledRequest: token });

  await client.updateStatus(lamp(requested, { lit: false }));
  assert.deepEqual(statuses().at(-1), { lit: false, lastHandledRequest: token });
  assert.equal(sent().length, 4);
});

test("status writes note a handled request in an annotation where the schema has no place for it", async () => {
  const { transport, sent, client } = setUp();
  transport.on({ path: `${path}/status` }, { body: annotated(requested, "8") });
  transport.on({ path }, { body: annotated({ ...requested, "farwatch.dev/handled-at": token }, "9") });
  const written = await client.patchStatus(annotated(requested), { value: "high" });
  assert.deepEqual(sent(), [
    ["PATCH", `${path}/status`, { metadata: { resourceVersion: "7" }, status: { value: "high" } }],
    ["PATCH", path, { metadata: { resourceVersion: "8", annotations: { "farwatch.dev/handled-at": token } } }],
  ]);
  assert.equal(written.metadata.resourceVersion, "9", "what follows carries the newest version");

  await client.patchStatus(written, { value: "low" }, { dryRun: true });
  assert.equal(sent().length, 3, "a dry run notes nothing");
});

test("status writes stand when the note of a handled request is refused", async () => {
  for (const [code, reason] of [
    [403, "Forbidden"],
    [404, "NotFound"],
    [409, "Conflict"],
  ] as const) {
    const { transport, log, client } = setUp();
    transport.on({ path: `${path}/status` }, { body: annotated(requested, "8") });
    transport.on({ path }, failure(code, reason, { kind: "gauges", name: "b" }));
    const written = await client.patchStatus(annotated(requested), { value: "high" });
    assert.equal(written.metadata.resourceVersion, "8");
    assert.deepEqual(
      log.lines.map(({ message }) => message),
      code === 403 ? ["Cannot note a handled request: the right to patch the object is missing"] : [],
    );
  }
});

test("status writes note nothing without a request, for an oversized one, and on a client that was not asked to", async () => {
  const { transport, statuses, client } = setUp();
  transport.on({}, { body: lamp({}) });
  await client.patchStatus(lamp({}), { lit: false });
  await client.patchStatus(lamp({ "farwatch.dev/requested-at": "x".repeat(254) }), { lit: false });
  assert.deepEqual(statuses(), [{ lit: false }, { lit: false }]);
  const plain = createClient({ config: staticConfig({ server: "https://api.test" }), transport, resources: [Lamp] });
  await plain.patchStatus(lamp(requested) as KubeObject & { status: { lit: boolean } }, { lit: false });
  assert.deepEqual(statuses().at(-1), { lit: false });
});
