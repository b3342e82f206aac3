import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const query = { dryRun: "All" };

export const area: Area = defineArea("dry-run", (check) => {
  check("a create answers as if it were done", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { data: { x: "1" } }), query });
    await send("GET", `${configMaps(namespace)}/a`);
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }), query });
    await send("GET", `${kind.path}/a`);
  });

  check("a create with generateName makes a name up", async ({ send, namespace }) => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
    await send("POST", configMaps(namespace), { body, query });
  });

  check("what would be refused is refused", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("POST", configMaps(namespace), { body: configMap("a"), query });
    await send("POST", configMaps(namespace), { body: configMap("Not_A_Name"), query });
    await send("PUT", `${configMaps(namespace)}/a`, { body: configMap("a", { resourceVersion: "1" }), query });
    await send("DELETE", `${configMaps(namespace)}/missing`, { query });
  });

  check("an update and a patch answer as if they were done", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    await send("POST", path, { body: configMap("a") });
    await send("PUT", `${path}/a`, { body: configMap("a", { data: { x: "1" } }), query });
    await send("PATCH", `${path}/a`, { body: { data: { y: "2" } }, query });
    await send("GET", `${path}/a`);
  });

  check("an update and a patch of a custom object answer as if they were done", async ({ send, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("PUT", `${kind.path}/a`, { body: { ...body, spec: { size: 2 } }, query });
    await send("PATCH", `${kind.path}/a`, { body: { spec: { size: 3 } }, query });
    await send("PATCH", `${kind.path}/a/status`, { body: { status: { ready: true } }, query });
    await send("GET", `${kind.path}/a`);
  });

  check("a deletion answers as if it were done", async ({ send, quietly, crd, namespace }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    const held = { name: "held", finalizers: ["example.com/held"] };
    await quietly("POST", kind.path, { body: kind.object("held", { metadata: held }) });
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("DELETE", `${kind.path}/a`, { query });
    await send("DELETE", `${kind.path}/held`, { body: { dryRun: ["All"] } });
    await send("DELETE", kind.path, { query });
    await send("GET", kind.path);
    await send("DELETE", `${configMaps(namespace)}/a`, { query });
    await send("DELETE", configMaps(namespace), { query });
    await send("GET", configMaps(namespace));
  });

  check("the last finalizer's removal is not done", async ({ send, quietly, crd }) => {
    const kind = await crd();
    const held = { name: "held", finalizers: ["example.com/held"] };
    await quietly("POST", kind.path, { body: kind.object("held", { metadata: held }) });
    await quietly("DELETE", `${kind.path}/held`);
    await send("PATCH", `${kind.path}/held`, { body: { metadata: { finalizers: [] } }, query });
    await send("GET", `${kind.path}/held`);
  });

  check("no watch sees it", async ({ quietly, send, watch, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await quietly("POST", path, { body: configMap("a") });
    const stream = await watch(path, { query: { resourceVersion: body.metadata.resourceVersion } });
    await send("PATCH", `${path}/a`, { body: { data: { dry: "yes" } }, query });
    await send("POST", path, { body: configMap("dry"), query });
    await send("DELETE", `${path}/a`, { query });
    await send("PATCH", `${path}/a`, { body: { data: { dry: "no" } } });
    await stream.events(1);
  });

  check("only All is a dry run", async ({ send, namespace, crd }) => {
    for (const dryRun of ["Some", "all", "true", ""]) {
      await send("POST", configMaps(namespace), { body: configMap("a"), query: { dryRun } });
      await send("PUT", `${configMaps(namespace)}/a`, { body: configMap("a"), query: { dryRun } });
      await send("PATCH", `${configMaps(namespace)}/a`, { body: {}, query: { dryRun } });
    }
    const kind = await crd();
    await send("POST", `${kind.path}?dryRun=All&dryRun=Some`, { body: kind.object("a") });
  });
});
