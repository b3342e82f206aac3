import { type Area, defineArea } from "../area.ts";

export const area: Area = defineArea("get", (check) => {
  check("a missing object answers 404", async ({ send, namespace }) => {
    await send("GET", `/api/v1/namespaces/${namespace}/configmaps/missing`);
  });

  check("a created object is answered as it was created", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await send("POST", path, {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { key: "value" } },
    });
    await send("GET", `${path}/a`);
    await send("GET", path);
    const watch = await send("GET", path).then(({ body }) => body.metadata.resourceVersion as string);
    await send("GET", path, { query: { resourceVersion: watch, resourceVersionMatch: "Exact" } });
  });

  check("a custom object is answered with its status", async ({ send, crd, watch }) => {
    const kind = await crd();
    const events = await watch(kind.path);
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 }, status: { ready: true } }) });
    await send("PATCH", `${kind.path}/a/status`, { body: { status: { ready: true } } });
    await send("GET", `${kind.path}/a`);
    await send("DELETE", `${kind.path}/a`);
    await events.events(3);
  });
});
