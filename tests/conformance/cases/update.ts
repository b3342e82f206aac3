import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import { deployment, deployments } from "../deployment.ts";

/** Versions of one server, as numbers. */
function versionOf({ body }: { readonly body: { readonly metadata: { readonly resourceVersion: string } } }): number {
  return Number(body.metadata.resourceVersion);
}

export const area: Area = defineArea("update", (check) => {
  check("a body of another kind or version is told with what it leaves out", async ({ send, quietly, namespace }) => {
    const [path, ofApps] = [configMaps(namespace), deployments(namespace)];
    await quietly("POST", path, { body: configMap("a") });
    await quietly("POST", ofApps, { body: deployment("a") });
    for (const type of [
      { apiVersion: "", kind: "Deployment" },
      { apiVersion: null, kind: "Deployment" },
      { kind: "Deployment" },
      { apiVersion: "", kind: "Secret" },
      { apiVersion: "apps/v1", kind: "" },
      { apiVersion: "v2", kind: "" },
      { apiVersion: "v2", kind: null },
      { apiVersion: "apps/", kind: "" },
      { apiVersion: "apps/", kind: "Deployment" },
      { apiVersion: "/v1", kind: "ConfigMap" },
      { apiVersion: "/v2", kind: "ConfigMap" },
    ])
      for (const each of [`${path}/a`, `${ofApps}/a`, `${ofApps}/a/scale`])
        await send("PUT", each, {
          body: { ...type, metadata: { name: "a" } },
          only: ["code", "message", "reason", "kind"],
        });
  });

  check("an object is replaced and its version grows", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    const created = await send("POST", path, { body: configMap("a", { data: { x: "1" }, labels: { old: "yes" } }) });
    const replaced = await send("PUT", `${path}/a`, { body: configMap("a", { data: { y: "2" } }) });
    assert.ok(versionOf(replaced) > versionOf(created));
    await send("GET", `${path}/a`);
  });

  check("the version that was read is accepted, an older one is refused", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await send("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: { ...body, data: { x: "1" } } });
    await send("PUT", `${path}/a`, { body: { ...body, data: { x: "2" } } });
  });

  check("a custom object needs the version that was read", async ({ send, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("PUT", `${kind.path}/a`, { body: kind.object("a", { spec: { size: 2 } }) });
    await send("PUT", `${kind.path}/a`, { body: { ...body, spec: { size: 3 } } });
    await send("PUT", `${kind.path}/a`, { body: { ...body, spec: { size: 4 } } });
  });

  check("a version that is none is refused", async ({ send, quietly, namespace, crd }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    for (const resourceVersion of ["text", "-1", "0", ""]) {
      await send("PUT", `${path}/a`, { body: configMap("a", { resourceVersion, data: { at: resourceVersion } }) });
      await send("PUT", `${kind.path}/a`, { body: kind.object("a", { metadata: { name: "a", resourceVersion } }) });
    }
  });

  check("a version from the future is refused", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: configMap("a", { resourceVersion: "999999999" }) });
  });

  check("another uid is refused", async ({ send, quietly, namespace, crd }) => {
    const uid = "00000000-0000-4000-8000-000000000000";
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: configMap("a", { uid }) });
    await send("PATCH", `${path}/a`, { body: { metadata: { uid } } });
    const kind = await crd();
    const { body } = await quietly("POST", kind.path, { body: kind.object("a") });
    await send("PUT", `${kind.path}/a`, { body: { ...body, metadata: { ...body.metadata, uid } } });
  });

  // B50
  check("a write that changes nothing makes no version and no event", async ({ send, watch, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await send("POST", path, { body: configMap("a", { data: { key: "value" } }) });
    const stream = await watch(path, { query: { resourceVersion: body.metadata.resourceVersion } });
    for (const patch of [{}, { data: { key: "value" } }, { data: { absent: null } }]) {
      const { body: same } = await send("PATCH", `${path}/a`, { body: patch });
      assert.equal(same.metadata.resourceVersion, body.metadata.resourceVersion);
    }
    await send("PUT", `${path}/a`, { body });
    await send("PATCH", `${path}/a`, { body: { data: { key: null } } });
    await stream.events(1);
  });

  // B50
  check(
    "a write that changes nothing of a custom object makes no version and no event",
    async ({ send, watch, crd }) => {
      const kind = await crd();
      const { body } = await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1, note: "x" } }) });
      const stream = await watch(kind.path, { query: { resourceVersion: body.metadata.resourceVersion } });
      for (const patch of [{}, { spec: { size: 1 } }, { spec: { absent: null } }, { absent: null }]) {
        const { body: same } = await send("PATCH", `${kind.path}/a`, { body: patch });
        assert.equal(same.metadata.resourceVersion, body.metadata.resourceVersion);
      }
      await send("PUT", `${kind.path}/a`, { body });
      await send("PATCH", `${kind.path}/a`, { body: { spec: { note: null } } });
      await stream.events(1);
    },
  );

  check("a name that does not exist answers 404 or is created", async ({ send, namespace, crd }) => {
    await send("PUT", `${configMaps(namespace)}/missing`, { body: configMap("missing") });
    const kind = await crd();
    await send("PUT", `${kind.path}/missing`, { body: kind.object("missing") });
    await send("PATCH", `${kind.path}/absent`, { body: { spec: {} } });
    await send("PATCH", `${configMaps(namespace)}/absent`, { body: { data: {} } });
  });

  check("a name that does not exist is not created from a version or uid", async ({ send, namespace, crd }) => {
    const uid = "00000000-0000-4000-8000-000000000000";
    const kind = await crd();
    for (const metadata of [{ resourceVersion: "5" }, { uid }]) {
      await send("PUT", `${configMaps(namespace)}/missing`, { body: configMap("missing", metadata) });
      await send("PUT", `${kind.path}/missing`, {
        body: kind.object("missing", { metadata: { name: "missing", ...metadata } }),
      });
    }
  });

  check("another name than the path's is refused", async ({ send, quietly, namespace, crd }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: configMap("b") });
    await send("PUT", `${path}/a`, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: {} } });
    await send("PATCH", `${path}/a`, { body: { metadata: { name: "b" } } });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await send("PUT", `${kind.path}/a`, { body: kind.object("b") });
    await send("PATCH", `${kind.path}/a`, { body: { metadata: { name: "b" } } });
  });

  check("another namespace than the path's is refused", async ({ send, quietly, namespace, crd }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: configMap("a", { namespace: "default" }) });
    await send("PATCH", `${path}/a`, { body: { metadata: { namespace: "default" } } });
    const kind = await crd();
    const { body } = await quietly("POST", kind.path, { body: kind.object("a") });
    await send("PUT", `${kind.path}/a`, { body: { ...body, metadata: { ...body.metadata, namespace: "default" } } });
  });

  check("another kind or apiVersion than the object's is refused", async ({ send, quietly, namespace, crd, group }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: { ...configMap("a"), kind: "Secret" } });
    await send("PUT", `${path}/a`, { body: { ...configMap("a"), apiVersion: "v2" } });
    await send("PATCH", `${path}/a`, { body: { kind: "Secret" } });
    await send("PATCH", `${path}/a`, { body: { apiVersion: "v2" } });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await send("PATCH", `${kind.path}/a`, { body: { kind: "Gadget" } });
    await send("PATCH", `${kind.path}/a`, { body: { apiVersion: `${group}/v2` } });
  });

  check("what only the server may say stays as it was", async ({ send, quietly, namespace, crd }) => {
    const metadata = { creationTimestamp: "2001-01-01T00:00:00Z", generation: 9, selfLink: "/nowhere" };
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: configMap("a", { ...metadata, data: { x: "1" } }) });
    const kind = await crd();
    const { body } = await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("PUT", `${kind.path}/a`, {
      body: { ...body, metadata: { ...body.metadata, ...metadata }, spec: { size: 2 } },
    });
  });

  check("a patch that names a version needs it", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await quietly("POST", path, { body: configMap("a") });
    const { resourceVersion } = body.metadata;
    await send("PATCH", `${path}/a`, { body: { metadata: { resourceVersion }, data: { x: "1" } } });
    await send("PATCH", `${path}/a`, { body: { metadata: { resourceVersion }, data: { x: "2" } } });
    await send("PATCH", `${path}/a`, { body: { metadata: { resourceVersion: "text" } } });
  });

  check("an immutable object cannot be changed", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: { ...configMap("a", { data: { x: "1" } }), immutable: true } });
    await send("PATCH", `${path}/a`, { body: { data: { x: "2" } } });
    await send("PATCH", `${path}/a`, { body: { immutable: false } });
    await send("PATCH", `${path}/a`, { body: { metadata: { labels: { color: "red" } } } });
  });
});
