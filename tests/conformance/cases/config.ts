import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const omit = ["metadata.managedFields"];
const dryRun = { dryRun: "All" };
const text = (value: string): string => Buffer.from(value).toString("base64");

export const area: Area = defineArea("config", (check) => {
  check("keys of a ConfigMap are names of files", async ({ send, namespace }) => {
    for (const key of ["", "a b", "..", "..a", "k".repeat(254)]) {
      await send("POST", configMaps(namespace), { body: configMap("a", { data: { [key]: "" } }) });
    }
    await send("POST", configMaps(namespace), { body: configMap("b", { data: { "A-b_c.d": "1", ".a": "2" } }), omit });
  });

  check("a key is in data or in binaryData of a ConfigMap", async ({ send, namespace }) => {
    const body = { ...configMap("a", { data: { a: "1" } }), binaryData: { a: text("1"), b: text("2") } };
    await send("POST", configMaps(namespace), { body });
  });

  check("a ConfigMap holds a MiB", async ({ send, namespace }) => {
    const data = { a: "x".repeat(1024 * 1024) };
    await send("POST", configMaps(namespace), { body: configMap("a", { data }), only: ["kind"] });
    const more = { ...configMap("b", { data }), binaryData: { b: text("1") } };
    await send("POST", configMaps(namespace), { body: more });
  });

  check("an immutable ConfigMap stays as it is", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    const body = { ...configMap("a", { data: { a: "1" } }), immutable: true };
    await quietly("POST", configMaps(namespace), { body });
    await send("PATCH", path, { body: { data: { a: "2" }, binaryData: { b: text("1") } } });
    await send("PATCH", path, { body: { immutable: false } });
    await send("PATCH", path, { body: { immutable: null } });
    await send("PATCH", path, { body: { metadata: { labels: { a: "b" } } }, omit });
  });

  check("stringData of a Secret becomes data", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    const body = { metadata: { name: "a" }, data: { a: text("1"), b: text("2") }, stringData: { b: "3", c: "é" } };
    await send("POST", path, { body, omit });
    await send("PATCH", `${path}/a`, { body: { stringData: { a: "4" } }, omit });
  });

  check("a null among bytes is none, and is written when it is next", async ({ send, quietly, namespace }) => {
    for (const [path, field] of [
      [configMaps(namespace), "binaryData"],
      [`/api/v1/namespaces/${namespace}/secrets`, "data"],
    ] as const) {
      const body = { metadata: { name: "a" }, [field]: { d: null } };
      await send("POST", path, { body });
      await send("PATCH", `${path}/a`, { body: {} });
      await send("PATCH", `${path}/a`, { body: {} });
      await send("POST", path, { body: { ...body, metadata: { name: "b" } }, query: { dryRun: "All" } });
      await quietly("POST", path, { body: { ...body, metadata: { name: "c" } } });
      await send("PUT", `${path}/c`, { body: { metadata: { name: "c" }, [field]: { d: "" } } });
      await send("PATCH", `${path}/c`, {
        body: [{ op: "add", path: `/${field}/d`, value: null }],
        contentType: "application/json-patch+json",
      });
      await send("PATCH", `${path}/c`, { body: {} });
    }
  });

  check("a Secret's type stays", async ({ send, quietly, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await quietly("POST", path, { body: { metadata: { name: "a" } } });
    await send("PATCH", `${path}/a`, { body: { type: "example.com/x" } });
    await send("PUT", `${path}/a`, { body: { metadata: { name: "a" }, data: { a: "" } }, omit });
  });

  check("data of a Secret is base64", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await send("POST", path, { body: { metadata: { name: "a" }, data: { a: "%" } } });
    await send("POST", path, { body: { metadata: { name: "a" }, data: { a: 1 } } });
  });

  check("types of Secrets need their keys", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    for (const type of [
      "kubernetes.io/basic-auth",
      "kubernetes.io/dockercfg",
      "kubernetes.io/dockerconfigjson",
      "kubernetes.io/ssh-auth",
      "kubernetes.io/tls",
      "kubernetes.io/service-account-token",
    ]) {
      await send("POST", path, { body: { metadata: { name: "a" }, type } });
    }
  });

  check("a Secret of a registry is JSON", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    const type = "kubernetes.io/dockerconfigjson";
    for (const json of ["x", "[]", "{}"]) {
      const data = { ".dockerconfigjson": text(json) };
      await send("POST", path, { body: { metadata: { name: "a" }, type, data }, query: dryRun, omit });
    }
  });

  check("a Secret of a key pair may be empty", async ({ send, namespace }) => {
    const body = { metadata: { name: "a" }, type: "kubernetes.io/tls", stringData: { "tls.crt": "", "tls.key": "" } };
    await send("POST", `/api/v1/namespaces/${namespace}/secrets`, { body, query: dryRun, omit });
  });

  check("an immutable Secret stays as it is", async ({ send, quietly, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await quietly("POST", path, { body: { metadata: { name: "a" }, immutable: true, data: { a: text("1") } } });
    await send("PATCH", `${path}/a`, { body: { stringData: { a: "2" } } });
    await send("PATCH", `${path}/a`, { body: { immutable: false } });
    await send("PATCH", `${path}/a`, { body: { stringData: { a: "1" } }, omit });
  });

  check("keys of a Secret are names of files", async ({ send, namespace }) => {
    for (const rest of [{ data: { "a/b": "" } }, { stringData: { "..": "x" } }]) {
      await send("POST", `/api/v1/namespaces/${namespace}/secrets`, { body: { metadata: { name: "a" }, ...rest } });
    }
  });

  check("a service account names its secrets", async ({ send, namespace }) => {
    const body = {
      metadata: { name: "a" },
      secrets: [{ name: "x" }],
      imagePullSecrets: [{ name: "y" }],
      automountServiceAccountToken: false,
    };
    await send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body, omit });
    await send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "A" } } });
  });
});
