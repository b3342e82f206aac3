import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { addFinalizer, removeFinalizers } from "./finalizer.ts";
import { withFinalizer } from "./with-finalizer.ts";

function setUp() {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  transport.on({ method: "PATCH" }, () => ({ body: object([]) }));
  return { transport, client: createClient({ config: staticConfig({ server: "https://api" }), transport, clock }) };
}

function object(finalizers: readonly string[] | undefined): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "x",
      name: "a",
      uid: "u",
      resourceVersion: "5",
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  };
}

const versionTest = { op: "test", path: "/metadata/resourceVersion", value: "5" };

test("addFinalizer adds to the list that was read, and tests its version", async () => {
  const { transport, client } = setUp();
  await addFinalizer(client, object(undefined), "example.com/a");
  await addFinalizer(client, object(["example.com/b"]), "example.com/a");
  assert.deepEqual(
    transport.requests.map(({ json }) => json),
    [
      [versionTest, { op: "add", path: "/metadata/finalizers", value: ["example.com/a"] }],
      [versionTest, { op: "add", path: "/metadata/finalizers/-", value: "example.com/a" }],
    ],
  );
  assert.equal(transport.requests[0]?.headers?.["content-type"], "application/json-patch+json");
});

test("addFinalizer sends nothing when the object has it", async () => {
  const { transport, client } = setUp();
  await addFinalizer(client, object(["example.com/a"]), "example.com/a");
  assert.equal(transport.requests.length, 0);
});

test("removeFinalizers removes from the end, so that every index means what it meant", async () => {
  const { transport, client } = setUp();
  await removeFinalizers(client, object(["a/1", "b/2", "c/3"]), ["a/1", "c/3", "d/4"]);
  assert.deepEqual(transport.requests[0]?.json, [
    versionTest,
    { op: "remove", path: "/metadata/finalizers/2" },
    { op: "remove", path: "/metadata/finalizers/0" },
  ]);
  await removeFinalizers(client, object(["a/1"]), ["d/4"]);
  assert.equal(transport.requests.length, 1);
});

test("withFinalizer refuses a name that the server would not take", () => {
  assert.throws(() => withFinalizer(ConfigMap, { name: "cleanup", finalize: async () => {} }, async () => {}), {
    code: "InvalidOption",
    message: 'Cannot use finalizer "cleanup": give a qualified name such as example.com/cleanup',
  });
});
