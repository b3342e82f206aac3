import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

export const area: Area = defineArea("get", (check) => {
  check("a created object is answered as it was created", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { data: { key: "value" } }) });
    await send("GET", `${configMaps(namespace)}/a`);
  });

  check("a created custom object is answered as it was created", async ({ send, crd }) => {
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("GET", `${kind.path}/a`);
  });

  check("a missing object answers 404", async ({ send, namespace, crd }) => {
    await send("GET", `${configMaps(namespace)}/missing`);
    const kind = await crd();
    await send("GET", `${kind.path}/missing`);
    await send("GET", `${kind.path}/missing/status`);
    await send("GET", "/api/v1/namespaces/missing-namespace");
  });

  check("an object of a missing namespace answers 404", async ({ send }) => {
    await send("GET", "/api/v1/namespaces/nowhere-at-all/configmaps/a");
  });

  check("an unknown resource, version, group or path answers 404", async ({ send, namespace }) => {
    for (const path of [
      `/api/v1/namespaces/${namespace}/nothings`,
      `/api/v1/namespaces/${namespace}/nothings/a`,
      `/api/v2/namespaces/${namespace}/configmaps`,
      "/apis/nothing.example.org/v1/things",
      "/apis/apps/v9/deployments",
      "/apis/apps/v1/nothings",
      "/apis/nothing.example.org",
      "/nowhere",
      "/api/v1/nowhere/at/all/here",
    ]) {
      await send("GET", path);
    }
  });

  check("an unknown subresource answers 404", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: configMap("a") });
    await send("GET", `${configMaps(namespace)}/a/status`);
    await send("GET", `${configMaps(namespace)}/a/nothing`);
    const kind = await crd({ subresources: {} });
    await send("POST", kind.path, { body: kind.object("a") });
    for (const subresource of ["status", "scale", "nothing"]) await send("GET", `${kind.path}/a/${subresource}`);
    await send("GET", `${kind.path}/a/status/deeper`);
  });

  check("a resourceVersion is a lower bound", async ({ send, quietly, namespace }) => {
    const { body } = await send("POST", configMaps(namespace), { body: configMap("a") });
    await quietly("GET", configMaps(namespace));
    await send("GET", `${configMaps(namespace)}/a`, { query: { resourceVersion: 0 } });
    await send("GET", `${configMaps(namespace)}/a`, { query: { resourceVersion: body.metadata.resourceVersion } });
    await send("GET", `${configMaps(namespace)}/missing`, { query: { resourceVersion: 0 } });
  });

  check("a resourceVersion that is none is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: configMap("a") });
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a") });
    for (const resourceVersion of ["text", "-1", "1.5", "99999999999999999999"]) {
      await send("GET", `${configMaps(namespace)}/a`, { query: { resourceVersion } });
      await send("GET", `${kind.path}/a`, { query: { resourceVersion } });
    }
  });

  check("a resourceVersion from the future is not waited for for long", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a") });
    await send("GET", `${configMaps(namespace)}/a`, { query: { resourceVersion: 999999999 } });
  });

  check("an unknown query parameter is ignored", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a") });
    await send("GET", `${configMaps(namespace)}/a`, { query: { nothing: "1", pretty: "false" } });
  });

  check("a trailing slash is another path", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a") });
    await send("GET", `${configMaps(namespace)}/`);
    await send("GET", `${configMaps(namespace)}/a/`);
  });

  check("an escaped name is the same name", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a.b") });
    await send("GET", `${configMaps(namespace)}/a%2Eb`);
    await send("GET", `${configMaps(namespace)}/a%2Fb`);
  });

  check("a name that no object can have answers 404", async ({ send, namespace }) => {
    for (const name of ["UPPER", "with%20space", "%25", "..."]) await send("GET", `${configMaps(namespace)}/${name}`);
  });
});
