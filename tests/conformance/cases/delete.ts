import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { bothKinds } from "../both-kinds.ts";
import { configMap, configMaps } from "../config-map.ts";

const finalizers = ["example.com/held"];
const apply = { contentType: "application/apply-patch+yaml", query: { fieldManager: "m" } };

export const area: Area = defineArea("delete", (check) => {
  check("an object is gone at once", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("DELETE", `${path}/a`);
    await send("GET", `${path}/a`);
    await send("DELETE", `${path}/a`);
  });

  check("a custom object is gone at once", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await send("DELETE", `${kind.path}/a`);
    await send("GET", `${kind.path}/a`);
    await send("DELETE", `${kind.path}/a`);
  });

  check("a deletion may be bound to a uid and a version", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await send("POST", path, { body: configMap("a") });
    const { uid, resourceVersion } = body.metadata;
    const other = "00000000-0000-4000-8000-000000000000";
    for (const preconditions of [
      { uid: other },
      { resourceVersion: "1" },
      { uid, resourceVersion: "1" },
      { uid, resourceVersion },
    ])
      await send("DELETE", `${path}/a`, { body: { preconditions } });
  });

  check("the deletion of a custom object may be bound to a uid and a version", async ({ send, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, { body: kind.object("a") });
    const { uid, resourceVersion } = body.metadata;
    const other = "00000000-0000-4000-8000-000000000000";
    for (const preconditions of [{ uid: other }, { resourceVersion: "1" }, { uid, resourceVersion }])
      await send("DELETE", `${kind.path}/a`, { body: { preconditions } });
  });

  check("options of every form of body are read", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    const options = [
      { body: { kind: "DeleteOptions", apiVersion: "v1" } },
      { body: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" } },
      { body: {} },
      { body: "" },
      { body: "kind: DeleteOptions\napiVersion: v1\n", contentType: "application/yaml" },
      { query: { gracePeriodSeconds: 0, propagationPolicy: "Background" } },
    ];
    for (const option of options) {
      await quietly("POST", path, { body: configMap("a") });
      await send("DELETE", `${path}/a`, option);
    }
  });

  check("options that are none are refused", async ({ send, quietly, namespace, crd }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    for (const collection of [path, kind.path]) {
      for (const body of [
        "nonsense",
        "[]",
        { kind: "ConfigMap", apiVersion: "v1" },
        { kind: "DeleteOptions", apiVersion: "v2" },
        { propagationPolicy: "Sideways" },
        { propagationPolicy: "Orphan", orphanDependents: true },
        { gracePeriodSeconds: "ten" },
        { dryRun: ["Some"] },
        { preconditions: { uid: 5 } },
      ])
        await send("DELETE", `${collection}/a`, { body });
      for (const query of [
        { propagationPolicy: "Sideways" },
        { gracePeriodSeconds: "ten" },
        { dryRun: "Some" },
        { orphanDependents: "perhaps" },
      ])
        await send("DELETE", `${collection}/a`, { query });
    }
  });

  check("a negative grace period is the shortest", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("DELETE", `${path}/a`, { body: { gracePeriodSeconds: -5 } });
    await quietly("POST", path, { body: configMap("b") });
    await send("DELETE", `${path}/b`, { body: { gracePeriodSeconds: 60 } });
  });

  // B55
  check("an object with a finalizer is marked and stays until it is removed", async ({ send, watch, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, {
      body: kind.object("a", { metadata: { name: "a", finalizers }, spec: {} }),
    });
    const stream = await watch(kind.path, { query: { resourceVersion: body.metadata.resourceVersion } });
    const marked = await send("DELETE", `${kind.path}/a`);
    assert.equal(marked.body.metadata.generation, 2);
    await send("PATCH", `${kind.path}/a`, { body: { metadata: { finalizers: null } } });
    await send("GET", `${kind.path}/a`);
    const events = await stream.events(2);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["MODIFIED", "DELETED"],
    );
    assert.ok(Number(events[1]?.object.metadata.resourceVersion) > Number(marked.body.metadata.resourceVersion));
  });

  // B55
  check("an object that is being deleted takes no new finalizer", async ({ send, quietly, namespace, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", finalizers } }) });
    await quietly("POST", configMaps(namespace), { body: configMap("a", { finalizers }) });
    for (const collection of [kind.path, configMaps(namespace)]) {
      await send("DELETE", `${collection}/a`, { only: ["kind", "status", "details", "metadata.finalizers"] });
      await send("PATCH", `${collection}/a`, {
        body: { metadata: { finalizers: [...finalizers, "example.com/new"] } },
      });
      await send("PATCH", `${collection}/a`, { body: { metadata: { finalizers: ["example.com/new"] } } });
      await send("PATCH", `${collection}/a`, { body: { metadata: { finalizers: [] } } });
    }
  });

  // B55
  check("deletionTimestamp cannot be written by hand", async ({ send, quietly, namespace, crd }) => {
    const deletionTimestamp = "2001-01-01T00:00:00Z";
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", deletionTimestamp } }) });
    const { body } = await quietly("GET", `${kind.path}/a`);
    await send("PUT", `${kind.path}/a`, { body: { ...body, metadata: { ...body.metadata, deletionTimestamp } } });
    await send("PATCH", `${kind.path}/a`, { body: { metadata: { deletionTimestamp } } });
    const path = configMaps(namespace);
    await send("POST", path, { body: configMap("a", { deletionTimestamp }) });
    await send("PUT", `${path}/a`, { body: configMap("a", { deletionTimestamp }) });
    await send("PATCH", `${path}/a`, { body: { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 5 } } });
  });

  check("deletionTimestamp cannot be taken back", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", finalizers } }) });
    await quietly("DELETE", `${kind.path}/a`);
    await send("PATCH", `${kind.path}/a`, {
      body: { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } },
    });
    await send("PATCH", `${kind.path}/a`, { body: { metadata: { deletionTimestamp: "2001-01-01T00:00:00Z" } } });
  });

  check(
    "what nothing holds any more goes with the next write, one that changes nothing included",
    async (conversation) => {
      const { send, watch } = conversation;
      for (const { path, object } of await bothKinds(conversation)) {
        const events = await watch(path);
        const body = object({ name: "a", deletionTimestamp: "2001-01-01T00:00:00Z" });
        await send("PATCH", `${path}/a`, { body, ...apply });
        await send("PATCH", `${path}/a`, { body: {}, query: { dryRun: "All" } });
        await send("PATCH", `${path}/a`, { body: {} });
        await send("GET", `${path}/a`);
        await events.events(2);
      }
    },
  );

  check(
    "an object that was made as one that is being deleted is marked by its first deletion",
    async (conversation) => {
      const { send, quietly } = conversation;
      for (const { path, object } of await bothKinds(conversation))
        for (const [name, deletionTimestamp] of [
          ["past", "2001-01-01T00:00:00Z"],
          ["future", "2101-01-01T00:00:00Z"],
        ] as const) {
          const body = object({ name, deletionTimestamp, finalizers: ["example.com/hold"] });
          await send("PATCH", `${path}/${name}`, { body, ...apply });
          await send("DELETE", `${path}/${name}`, { body: { dryRun: ["All"] } });
          await send("DELETE", `${path}/${name}`);
          await send("DELETE", `${path}/${name}`);
          await quietly("PATCH", `${path}/${name}`, { body: { metadata: { finalizers: null } } });
        }
    },
  );

  check("a second deletion of a held object changes nothing", async ({ send, quietly, namespace, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", finalizers } }) });
    await send("DELETE", `${kind.path}/a`);
    await send("DELETE", `${kind.path}/a`);
    await quietly("POST", configMaps(namespace), { body: configMap("a", { finalizers }) });
    await send("DELETE", `${configMaps(namespace)}/a`);
    await send("DELETE", `${configMaps(namespace)}/a`, { body: { gracePeriodSeconds: 0 } });
  });

  check("a held object can still be changed, and one of several finalizers removed", async ({ send, quietly, crd }) => {
    const kind = await crd();
    const metadata = { name: "a", finalizers: ["example.com/one", "example.com/two"] };
    await quietly("POST", kind.path, { body: kind.object("a", { metadata, spec: { size: 1 } }) });
    await quietly("DELETE", `${kind.path}/a`);
    await send("PATCH", `${kind.path}/a`, { body: { spec: { size: 2 } } });
    await send("PATCH", `${kind.path}/a`, { body: { metadata: { finalizers: ["example.com/two"] } } });
    await send("PATCH", `${kind.path}/a/status`, { body: { status: { ready: false } } });
  });

  check("a name is free again only when the held object is gone", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", finalizers } }) });
    await quietly("DELETE", `${kind.path}/a`);
    await send("POST", kind.path, { body: kind.object("a") });
    await quietly("PATCH", `${kind.path}/a`, { body: { metadata: { finalizers: [] } } });
    await send("POST", kind.path, { body: kind.object("a") });
  });

  check("propagation adds the collector's finalizers", async ({ send, quietly, crd }) => {
    const kind = await crd();
    for (const [name, propagationPolicy] of [
      ["fore", "Foreground"],
      ["orphan", "Orphan"],
      ["back", "Background"],
    ] as const) {
      await quietly("POST", kind.path, { body: kind.object(name, { metadata: { name, finalizers } }) });
      await send("DELETE", `${kind.path}/${name}`, { body: { propagationPolicy } });
    }
  });

  check("a dry run that would take the last finalizer answers an empty object", async (conversation) => {
    const { send, quietly } = conversation;
    for (const { path, object } of await bothKinds(conversation)) {
      await quietly("POST", path, { body: object({ name: "a" }) });
      await quietly("DELETE", `${path}/a`, { body: { propagationPolicy: "Foreground" } });
      for (const propagationPolicy of ["Background", "Orphan", "Foreground", undefined])
        await send("DELETE", `${path}/a`, { body: { propagationPolicy, dryRun: ["All"] } });
      await send("DELETE", `${path}/a`, { body: { propagationPolicy: "Background" } });
      await quietly("POST", path, { body: object({ name: "b", finalizers: ["orphan"] }) });
      await send("DELETE", `${path}/b`, { body: { propagationPolicy: "Background", dryRun: ["All"] } });
      await send("DELETE", `${path}/b`, { body: { propagationPolicy: "Background" } });
    }
  });

  check("propagation alone holds an object for the collector", async ({ send, quietly, crd, namespace }) => {
    const kind = await crd();
    for (const propagationPolicy of ["Foreground", "Orphan"]) {
      const name = propagationPolicy.toLowerCase();
      await quietly("POST", kind.path, { body: kind.object(name) });
      await send("DELETE", `${kind.path}/${name}`, { query: { propagationPolicy } });
      await quietly("POST", configMaps(namespace), { body: configMap(name) });
      await send("DELETE", `${configMaps(namespace)}/${name}`, { body: { propagationPolicy } });
    }
  });

  check("orphanDependents is the older word for propagation", async ({ send, quietly, crd }) => {
    const kind = await crd();
    for (const orphanDependents of [true, false]) {
      await quietly("POST", kind.path, { body: kind.object("a") });
      await send("DELETE", `${kind.path}/a`, { body: { orphanDependents } });
    }
  });

  check("a collection is deleted", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    for (const name of ["a", "b"]) await quietly("POST", path, { body: configMap(name) });
    await send("DELETE", path);
    await send("GET", path, { only: ["items"] });
  });

  check("a collection of custom objects is deleted", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("POST", kind.path, { body: kind.object("b", { metadata: { name: "b", finalizers } }) });
    await send("DELETE", kind.path);
    await send("GET", kind.path);
  });

  check("a part of a collection is deleted", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    for (const name of ["a", "b", "c"])
      await quietly("POST", path, { body: configMap(name, { labels: { even: String(name === "b") } }) });
    await send("DELETE", path, { query: { labelSelector: "even=true" }, only: ["kind", "items.*.metadata.name"] });
    await send("DELETE", path, {
      query: { fieldSelector: "metadata.name=c" },
      only: ["kind", "items.*.metadata.name"],
    });
    await send("DELETE", path, { query: { labelSelector: "even in (" } });
    await send("GET", path, { only: ["items.*.metadata.name"] });
  });

  check("a collection of nothing is deleted", async ({ send, namespace }) => {
    await send("DELETE", configMaps(namespace));
    await send("DELETE", configMaps("nowhere-at-all"));
  });

  check("a collection over all namespaces cannot be deleted", async ({ send, crd, group }) => {
    await send("DELETE", "/api/v1/configmaps");
    await crd();
    await send("DELETE", `/apis/${group}/v1/widgets`);
  });

  check("a deletion may ask for the object's version in its events", async ({ quietly, watch, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await quietly("POST", path, { body: configMap("a", { data: { last: "state" } }) });
    const stream = await watch(path, { query: { resourceVersion: body.metadata.resourceVersion } });
    await quietly("DELETE", `${path}/a`);
    const [event] = await stream.events(1);
    assert.ok(Number(event?.object.metadata.resourceVersion) > Number(body.metadata.resourceVersion));
  });

  check("a namespace is marked and waits for its finalizer", async ({ send, quietly, namespace, cleanup }) => {
    const name = `to-go-${namespace}`.slice(0, 60);
    const path = `/api/v1/namespaces/${name}`;
    await quietly("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    cleanup(() => quietly("PUT", `${path}/finalize`, { body: { metadata: { name }, spec: { finalizers: [] } } }));
    await send("DELETE", path);
    await send("POST", configMaps(name), { body: configMap("late") });
    await send("DELETE", path);
    await send("PUT", `${path}/finalize`, {
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } },
    });
    await send("GET", path);
  });
});
