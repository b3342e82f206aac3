import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const omit = ["metadata.managedFields"];
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

export const area: Area = defineArea("metadata", (check) => {
  check("a name is a DNS subdomain", async ({ send, namespace }) => {
    for (const name of ["A_b", "a..b", "-a", "x".repeat(254)]) {
      await send("POST", configMaps(namespace), { body: configMap(name) });
    }
  });

  check("an object needs a name", async ({ send, crd, namespace }) => {
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "ConfigMap" } });
    const widgets = await crd();
    await send("POST", widgets.path, { body: { apiVersion: widgets.apiVersion, kind: widgets.kind, metadata: {} } });
  });

  check("a generateName is the beginning of a name", async ({ send, namespace }) => {
    for (const generateName of ["A_b-", "-"]) {
      await send("POST", configMaps(namespace), { body: { metadata: { generateName } } });
    }
  });

  check("a custom object's name is a DNS subdomain too", async ({ send, crd }) => {
    const widgets = await crd();
    for (const name of ["A", "a/b", "%", ".."]) {
      await send("POST", widgets.path, { body: widgets.object(name) });
    }
  });

  check(
    "a namespace and a service have the names of DNS labels, a role any that fit a path",
    async ({ send, namespace }) => {
      await send("POST", "/api/v1/namespaces", { body: { metadata: { name: "a.b" } } });
      await send("POST", `/api/v1/namespaces/${namespace}/services`, { body: { metadata: { name: "1a" } } });
      const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
      for (const name of ["..", "a/b", "a%b"]) await send("POST", role, { body: { metadata: { name } } });
      const query = { dryRun: "All" };
      await send("POST", role, { body: { metadata: { name: "A:b c" } }, query, omit });
    },
  );

  check("labels have qualified names and short values", async ({ send, namespace }) => {
    const bad = [{ "a/b/c": "x y" }, { "/q": "1" }, { "x/": "é" }, { ["k".repeat(64)]: "v".repeat(64) }, { "": "" }];
    for (const labels of bad) await send("POST", configMaps(namespace), { body: configMap("a", { labels }) });
  });

  check("annotations have qualified names, whatever their case", async ({ send, namespace }) => {
    for (const name of ["é/b", "a b", ""]) {
      await send("POST", configMaps(namespace), { body: configMap("a", { annotations: { [name]: "1" } }) });
    }
    const annotations = { "Example.COM/Name": "x y\nz" };
    await send("POST", configMaps(namespace), { body: configMap("a", { annotations }), omit });
  });

  // B20
  check("annotations together are 256 KiB at the most", async ({ send, namespace }) => {
    const of = (size: number): object => configMap("a", { annotations: { a: "x".repeat(size - 1) } });
    await send("POST", configMaps(namespace), { body: of(256 * 1024 + 1) });
    await send("POST", configMaps(namespace), { body: of(256 * 1024), only: ["kind"] });
  });

  check("an owner is named whole, and only one controls", async ({ send, namespace }) => {
    const refused = [
      { apiVersion: "", kind: "", name: "", uid: "" },
      { ...owner, apiVersion: "a/b/c" },
      { ...owner, controller: true },
      { ...owner, uid: "v", controller: true },
      { apiVersion: "v1", kind: "Event", name: "e", uid: "u" },
    ];
    await send("POST", configMaps(namespace), { body: configMap("a", { ownerReferences: refused }) });
  });

  check("an owner that is named twice is warned of", async ({ send, namespace }) => {
    const ownerReferences = [owner, owner, { ...owner, uid: "v" }];
    await send("POST", configMaps(namespace), { body: configMap("a", { ownerReferences }), omit });
  });

  check("finalizers of built-in kinds have a domain or a known name", async ({ send, namespace }) => {
    const finalizers = ["a b", "foo", "kubernetes", "orphan", "foregroundDeletion"];
    await send("POST", configMaps(namespace), { body: configMap("a", { finalizers }) });
    await send("POST", configMaps(namespace), {
      body: configMap("b", { finalizers: ["orphan", "foregroundDeletion"] }),
    });
  });

  check("finalizers of custom kinds are warned of where they have no domain", async ({ send, crd }) => {
    const widgets = await crd();
    const object = { ...widgets.object("a"), metadata: { name: "a", finalizers: ["foo", "a/b"] } };
    await send("POST", widgets.path, { body: object, omit });
    const bad = { ...widgets.object("b"), metadata: { name: "b", finalizers: ["a b"] } };
    await send("POST", widgets.path, { body: bad });
  });

  // B55
  check("an object that is being deleted takes no new finalizers", async ({ send, quietly, crd, namespace }) => {
    const widgets = await crd();
    for (const [path, body] of [
      [configMaps(namespace), configMap("a", { finalizers: ["a/b", "a/c"] })],
      [widgets.path, { ...widgets.object("a"), metadata: { name: "a", finalizers: ["a/b", "a/c"] } }],
    ] as const) {
      await quietly("POST", path, { body });
      await quietly("DELETE", `${path}/a`);
      for (const finalizers of [["a/b", "a/c", "a/d", "a/e"], ["a/d"], ["a/c"], []]) {
        await send("PATCH", `${path}/a`, { body: { metadata: { finalizers } }, omit });
      }
    }
  });

  check("managed fields are checked", async ({ send, namespace }) => {
    const managedFields = [
      {
        operation: "X",
        fieldsType: "Y",
        manager: "a\u0001",
        subresource: "s".repeat(300),
        apiVersion: "v1",
        fieldsV1: {},
      },
      { operation: "Update", fieldsType: "FieldsV1", manager: "m".repeat(200), apiVersion: "v1", fieldsV1: {} },
    ];
    await send("POST", configMaps(namespace), { body: configMap("a", { managedFields }) });
  });

  check("what only the server says is dropped from a new object", async ({ send, namespace }) => {
    const given = {
      uid: "u",
      generation: 5,
      creationTimestamp: "2020-01-01T00:00:00Z",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 3,
    };
    await send("POST", configMaps(namespace), { body: configMap("a", given), omit });
    await send("POST", configMaps(namespace), { body: configMap("b", { generation: -1 }), omit });
  });

  check("name, namespace and uid stay", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    for (const metadata of [{ name: "b" }, { namespace: "other" }, { uid: "y" }]) {
      await send("PATCH", path, { body: { metadata } });
      await send("PUT", path, { body: configMap("a", metadata) });
    }
  });

  check("times of the server that a client sends are left out", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const times = {
      creationTimestamp: "2020-01-01T00:00:00Z",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 4,
      generation: 7,
    };
    await send("PUT", path, { body: configMap("a", times), omit });
  });

  check("an update is checked as a new object is", async ({ send, quietly, namespace, crd }) => {
    const widgets = await crd();
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await quietly("POST", widgets.path, { body: widgets.object("a") });
    const metadata = { labels: { "a/b/c": "x" }, annotations: { "a b": "x" }, finalizers: ["z z"] };
    await send("PATCH", `${configMaps(namespace)}/a`, { body: { metadata } });
    await send("PATCH", `${widgets.path}/a`, { body: { metadata } });
  });
});
