import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedTransport } from "../doubles/scripted-transport.ts";
import { failure, type Gauge, gauge, path, refused, setUp } from "./scripted-gauge.fixture.ts";
import { StatusError } from "./status-error.ts";

const sent = ({ requests }: ScriptedTransport) => requests.map(({ method, path: at }) => `${method} ${at}`);
const contentTypes = ({ requests }: ScriptedTransport) => requests.map(({ headers }) => headers?.["content-type"]);

// B12
test("client patchStatus of a deleted object is NotFound, and creates nothing", async () => {
  const { transport, client } = setUp();
  transport.on({ path: `${path}/status` }, failure(404, "NotFound", { name: "b" }));
  await refused(
    client.patchStatus(gauge(), { value: "x" }),
    "NotFound",
    "Cannot patch gauges/status a/b: it has been deleted or, if it is there, its CRD has no status subresource",
  );
  assert.deepEqual(sent(transport), [`PATCH ${path}/status`]);
  const other = setUp();
  other.transport.on({ method: "PATCH" }, failure(409, "Conflict"));
  other.transport.on({ method: "GET" }, failure(404, "NotFound", { name: "b" }));
  await refused(
    other.client.patchStatus(gauge(), { value: "x" }),
    "NotFound",
    "Cannot patch gauges/status a/b: it has been deleted",
  );
  assert.deepEqual(sent(other.transport), [`PATCH ${path}/status`, `GET ${path}`]);
});

// B12
test("client patchStatus does not write onto a recreated namesake, nor onto another spec", async () => {
  for (const [now, why] of [
    [gauge({ version: "9", uid: "u2" }), "it was deleted and created again (uid u1, now u2)"],
    [gauge({ version: "9", generation: 2 }), "its spec has changed (generation 1, now 2)"],
  ] as const) {
    for (const write of ["patchStatus", "applyStatus"] as const) {
      const { transport, client } = setUp();
      transport.on({ method: "PATCH" }, failure(409, "Conflict"));
      transport.on({ method: "GET" }, { body: now });
      await assert.rejects(client[write](gauge(), { value: "x" }), (error) => {
        assert.ok(error instanceof StatusError && error.code === "Conflict" && error.cause instanceof StatusError);
        assert.equal(error.message, `Cannot patch gauges/status a/b: ${why}; read it again`);
        return true;
      });
      assert.deepEqual(sent(transport), [`PATCH ${path}/status`, `GET ${path}`]);
    }
  }
});

// B12
test("client patchStatus sends the patch once more, with the new version, when nothing but the version changed", async () => {
  for (const write of ["patchStatus", "applyStatus"] as const) {
    const { transport, client } = setUp();
    transport.on({ method: "PATCH" }, failure(409, "Conflict"), { body: gauge({ version: "10" }) });
    transport.on({ method: "GET" }, { body: gauge({ version: "9" }) });
    assert.equal((await client[write](gauge(), { value: "x" })).metadata.resourceVersion, "10");
    const versions = transport.requests.map(({ json }) => (json as Gauge | undefined)?.metadata.resourceVersion);
    assert.deepEqual(versions, ["7", undefined, "9"]);
    const types = contentTypes(transport);
    assert.equal(types[0], types[2]);
  }
});

test("client patchStatus gives up after the second conflict", async () => {
  const { transport, client } = setUp();
  transport.on({ method: "PATCH" }, failure(409, "Conflict"));
  transport.on({ method: "GET" }, { body: gauge({ version: "9" }) });
  await refused(
    client.patchStatus(gauge(), { value: "x" }),
    "Conflict",
    "Cannot patch gauges/status a/b: server says Conflict",
  );
  assert.equal(transport.requests.length, 3);
});

// B49
test("client patchStatus has the content type of a merge patch on the first try and on the retry", async () => {
  const { clock, transport, client } = setUp();
  const busy = { ...failure(503, "ServiceUnavailable"), headers: { "retry-after": "1" } };
  transport.on({}, ({ headers }) =>
    headers?.["content-type"] === "application/merge-patch+json"
      ? transport.requests.length === 1
        ? busy
        : { body: gauge({ version: "8" }) }
      : failure(415, "UnsupportedMediaType"),
  );
  const patched = client.patchStatus(gauge(), { value: "x" });
  await clock.advance("2s");
  assert.equal((await patched).metadata.resourceVersion, "8");
  assert.deepEqual(sent(transport), [`PATCH ${path}/status`, `PATCH ${path}/status`]);
  assert.deepEqual(contentTypes(transport), ["application/merge-patch+json", "application/merge-patch+json"]);
});
