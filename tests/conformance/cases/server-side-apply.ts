import { type Area, defineArea } from "../area.ts";
import { bothKinds } from "../both-kinds.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";
import type { CustomKind } from "../custom-kind.ts";
import { ownedKind, ownedSchema } from "./managed-fields.ts";

const contentType = "application/apply-patch+yaml";
const by = (fieldManager: string, force?: true): { readonly fieldManager: string; readonly force?: true } =>
  force === undefined ? { fieldManager } : { fieldManager, force };
const only = ["spec", "status", "metadata.labels", "metadata.managedFields", "message", "reason", "details", "code"];

/** Applies to one object of a custom kind that has a field of each kind of ownership. */
interface Applier {
  readonly kind: CustomKind;
  apply(spec: unknown, manager: string, force?: true): Promise<unknown>;
}

async function applier({ send, crd }: Conversation): Promise<Applier> {
  const kind = await crd(ownedKind);
  return {
    kind,
    apply: (spec, manager, force) =>
      send("PATCH", `${kind.path}/a`, {
        body: kind.object("a", { spec }),
        contentType,
        query: by(manager, force),
        only,
      }),
  };
}

/** Bodies that cannot be applied to a custom object. */
const refused: Readonly<Record<string, object>> = {
  "a list that names an item twice": { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] },
  "a set that names an item twice": { set: ["a", "a"] },
  "a field that the schema does not have": { unknown: 1 },
  "a number for a text": { text: 5 },
  "a map for a text": { text: { a: 1 } },
  "a list for a text": { text: ["a"] },
  "a text for a number": { size: "big" },
  "a boolean for a number": { size: true },
  "a text for a map": { labels: "x" },
  "a text for a list": { set: "x" },
  "a map in a set": { set: [{ a: 1 }] },
  "a list in a set": { set: [["a"]] },
  "a null in a set": { set: [null] },
  "a text in a list of maps": { ports: ["x"] },
  "a null in a list of maps": { ports: [null] },
  "a text within an atomic list": { list: [{ x: "1" }] },
  "a text within an atomic map": { whole: { x: "1" } },
  "a fraction for an integer": { size: 1.5 },
};

export const area: Area = defineArea("server-side-apply", (check) => {
  check("an apply creates, and again does nothing", async ({ send, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    const body = configMap("a", { data: { a: "1" }, labels: { l: "1" } });
    await send("PATCH", path, { body, contentType, query: by("a") });
    await send("PATCH", path, { body, contentType, query: by("a") });
    await send("GET", path);
  });

  check("a YAML body is applied", async ({ send, namespace }) => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: '1'\n";
    await send("PATCH", `${configMaps(namespace)}/a`, { body, contentType, query: by("a") });
  });

  check("an apply needs a manager, and no other patch may be forced", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    await send("PATCH", path, { body: configMap("a"), contentType });
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("PATCH", path, { body: {}, query: by("a", true) });
  });

  check("an apply owns what it applies and leaves the rest", async (conversation) => {
    const { kind, apply } = await applier(conversation);
    await conversation.quietly("POST", kind.path, {
      body: kind.object("a", { spec: { text: "x", labels: { a: "1" }, set: ["x"], ports: [{ port: 80, name: "n" }] } }),
      query: by("a"),
    });
    await apply({ labels: { b: "2" }, set: ["y"], ports: [{ port: 81 }], free: { deep: { er: [1] } } }, "b");
  });

  check("an apply drops what it applied before", async (conversation) => {
    const { apply } = await applier(conversation);
    await apply(
      { text: "x", labels: { a: "1", b: "2" }, set: ["x", "y"], ports: [{ port: 80, name: "n" }, { port: 81 }] },
      "a",
    );
    await apply({ labels: { a: "1" }, set: ["y"], ports: [{ port: 80 }] }, "a");
    await apply({}, "a");
  });

  check("what others own is not dropped", async (conversation) => {
    const { kind, apply } = await applier(conversation);
    await apply({ text: "x", size: 1, labels: { a: "1", b: "2" }, free: { m: { a: 1 } } }, "a");
    await apply({ text: "x", labels: { b: "2" } }, "b");
    await conversation.quietly("PATCH", `${kind.path}/a`, {
      body: { spec: { free: { m: { c: 1 } } } },
      query: by("c"),
    });
    await apply({}, "a");
    await apply({}, "b");
  });

  check("a list that loses all its items goes", async (conversation) => {
    const { apply } = await applier(conversation);
    await apply({ size: 1, ports: [{ port: 80 }], list: [{ x: 1 }], whole: { x: 1 } }, "a");
    await apply({ size: 1 }, "a");
  });

  check("an item that someone else added to keeps what they own", async (conversation) => {
    const { kind, apply } = await applier(conversation);
    await apply({ ports: [{ port: 80 }, { port: 81 }] }, "a");
    await conversation.send("PATCH", `${kind.path}/a`, {
      body: [{ op: "add", path: "/spec/ports/0/name", value: "n" }],
      contentType: "application/json-patch+json",
      query: by("b"),
      only,
    });
    await apply({ size: 1 }, "a");
  });

  check("one field of another value conflicts", async (conversation) => {
    const { apply } = await applier(conversation);
    await apply({ text: "x", size: 1 }, "a");
    await apply({ text: "y", size: 1 }, "b");
    await apply({ text: "y", size: 1 }, "b", true);
    await apply({ text: "z" }, "a");
  });

  check("many fields of one owner conflict in their order", async (conversation) => {
    const { kind, apply } = await applier(conversation);
    const spec = {
      text: "x",
      labels: { b: "1", a: "1" },
      ports: [
        { port: 80, name: "n" },
        { port: 81, protocol: "UDP", name: "m" },
      ],
      list: [{ x: 1 }],
      whole: { x: 1 },
      free: { "dotted.name": 1, list: [1] },
      template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { l: "1" } } },
    };
    await conversation.quietly("POST", kind.path, { body: kind.object("a", { spec }), query: by("a") });
    await apply(
      {
        text: "y",
        labels: { b: "2", a: "2" },
        ports: [
          { port: 80, name: "o" },
          { port: 81, protocol: "UDP", name: "p" },
        ],
        list: [{ x: 2 }],
        whole: { x: 2 },
        free: { "dotted.name": 2, list: [2] },
        template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { l: "2" } } },
      },
      "b",
    );
  });

  check("a conflict names an updater's version, and the subresource", async (conversation) => {
    const { kind, apply } = await applier(conversation);
    await apply({ size: 1 }, "a");
    await conversation.quietly("PATCH", `${kind.path}/a/status`, {
      body: { metadata: { labels: { l: "1" } }, status: { phase: "x" } },
      query: by("b"),
    });
    await conversation.send("PATCH", `${kind.path}/a/status`, {
      body: kind.object("a", { status: { phase: "y" } }),
      contentType,
      query: by("c"),
      only,
    });
    await conversation.send("PATCH", `${kind.path}/a/status`, {
      body: kind.object("a", { spec: { size: 5 }, status: { phase: "y" } }),
      contentType,
      query: by("c", true),
      only,
    });
  });

  check("items keep their places, and new ones come where they are applied", async (conversation) => {
    const { kind, apply } = await applier(conversation);
    const ports = (...numbers: readonly number[]): object => ({ ports: numbers.map((port) => ({ port })) });
    await conversation.quietly("POST", kind.path, {
      body: kind.object("a", { spec: { ...ports(1, 2, 3, 4), set: ["a", "b", "c", "d"] } }),
      query: by("a"),
    });
    await apply({ ...ports(5, 2, 1), set: ["e", "b", "a"] }, "b");
    await apply({ ...ports(4, 6, 3), set: ["d", "f", "c"] }, "c");
    await apply(ports(7), "d");
  });

  check("a default of a key makes the same item", async (conversation) => {
    const { apply } = await applier(conversation);
    await apply({ ports: [{ port: 80, name: "n" }] }, "a");
    await apply({ ports: [{ port: 80, protocol: "TCP", name: "o" }] }, "b");
    await apply({ ports: [{ port: 80, protocol: "UDP", name: "o" }] }, "b");
  });

  check("a null in the body is owned", async (conversation) => {
    const { apply } = await applier(conversation);
    await apply({ text: "x", nothing: null, labels: null, free: { a: null } }, "a");
    await apply({ text: null }, "a");
  });

  for (const [name, spec] of Object.entries(refused)) {
    check(`${name} is refused`, async (conversation) => {
      const { apply } = await applier(conversation);
      await apply({ size: 1 }, "a");
      await apply(spec, "b");
    });
  }

  check("a body that is no object of the kind is refused", async ({ send, quietly, namespace, crd }) => {
    const kind = await crd(ownedKind);
    await quietly("POST", kind.path, { body: kind.object("a") });
    const refuse = (body: unknown): Promise<unknown> =>
      send("PATCH", `${kind.path}/a`, { body, contentType, query: by("b") });
    await refuse("[]");
    await refuse("text");
    await refuse("null");
    await refuse("5");
    await refuse("a: [");
    await refuse({ metadata: { name: "a" } });
    await refuse({ ...kind.object("a"), kind: "Gadget" });
    await refuse({ ...kind.object("a"), apiVersion: "v1" });
    await refuse({ ...kind.object("a"), metadata: { name: "a", managedFields: [] } });
    await refuse({ ...kind.object("a"), metadata: { name: "a", managedFields: [{ manager: "x" }] } });
    await refuse({ ...kind.object("a"), metadata: { name: "a", labels: { x: 5 } } });
    await refuse({ ...kind.object("a"), metadata: { name: "a", unknown: 5 } });
    await refuse({ ...kind.object("a"), metadata: { name: "b" } });
    await send("PATCH", `${configMaps(namespace)}/a`, {
      body: { apiVersion: "v1", kind: "Secret" },
      contentType,
      query: by("b"),
    });
  });

  check("an apply with a uid creates nothing, with a version it is compared", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    const uid = "00000000-0000-4000-8000-000000000001";
    await send("PATCH", path, { body: configMap("a", { uid }), contentType, query: by("a") });
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("PATCH", path, { body: configMap("a", { uid }), contentType, query: by("a") });
    await send("PATCH", path, { body: configMap("a", { resourceVersion: "1" }), contentType, query: by("a") });
  });

  check(
    "an update takes an applier's field, which it may not take back without force",
    async ({ send, quietly, namespace }) => {
      const path = `${configMaps(namespace)}/a`;
      const body = configMap("a", { data: { a: "1", b: "1" } });
      await quietly("PATCH", path, { body, contentType, query: by("a") });
      await send("PATCH", path, { body: { data: { a: "2" } }, query: by("b") });
      await send("PATCH", path, { body, contentType, query: by("a") });
      await send("PATCH", path, { body, contentType, query: by("a", true) });
    },
  );

  check("an update that removes takes the field from all", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    for (const name of ["a", "b"]) {
      await quietly("PATCH", path, {
        body: configMap("a", { data: { x: "1", [name]: "1" } }),
        contentType,
        query: by(name),
      });
    }
    await send("PATCH", path, {
      body: { data: { x: null } },
      query: by("c"),
      only: ["data", "metadata.managedFields"],
    });
  });

  check("one name owns as applier and as updater", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    await quietly("PATCH", path, { body: configMap("a", { data: { a: "1" } }), contentType, query: by("a") });
    await send("PATCH", path, {
      body: { data: { a: "2", b: "1" } },
      query: by("a"),
      only: ["data", "metadata.managedFields"],
    });
    await send("PATCH", path, { body: configMap("a", { data: { a: "3" } }), contentType, query: by("a") });
  });

  check("the same applier in another version is the same owner", async ({ send, crd }) => {
    const kind = await crd({
      versions: ["v1", "v2"].map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        subresources: { status: {} },
        schema: { openAPIV3Schema: ownedSchema },
      })),
    });
    const apply = (version: string, spec: object): Promise<unknown> =>
      send("PATCH", `${kind.pathIn(version)}/a`, {
        body: { ...kind.object("a", { spec }), apiVersion: `${kind.group}/${version}` },
        contentType,
        query: by("a"),
        only,
      });
    await apply("v1", { text: "x", size: 1 });
    await apply("v2", { text: "x", labels: { a: "1" } });
    await apply("v1", { labels: { a: "1" } });
  });

  check("kubectl takes over what client-side apply has set", async ({ send, quietly, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    const last = JSON.stringify(configMap("a", { annotations: {}, data: { a: "1", b: "1" } }));
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": `${last}\n` };
    await quietly("POST", configMaps(namespace), {
      body: configMap("a", { annotations, data: { a: "1", b: "1", c: "1" } }),
      query: by("kubectl-client-side-apply"),
    });
    await send("PATCH", path, { body: configMap("a", { data: { a: "2", b: "1" } }), contentType, query: by("other") });
    await send("PATCH", path, {
      body: configMap("a", { data: { a: "2", b: "1", c: "2" } }),
      contentType,
      query: by("kubectl"),
    });
    await send("PATCH", path, {
      body: configMap("a", { data: { a: "2", b: "1" }, labels: { h: "<" } }),
      contentType,
      query: by("kubectl"),
    });
    await send("PATCH", path, { body: configMap("a", { data: { b: "1" } }), contentType, query: by("kubectl") });
  });

  check("a dry run applies nothing", async ({ send, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    await send("PATCH", path, {
      body: configMap("a", { data: { a: "1" } }),
      contentType,
      query: { ...by("a"), dryRun: "All" },
    });
    await send("GET", path);
  });

  check("duplicate fields of a body are warned of or refused", async ({ send, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: '1'\n  a: '2'\n";
    await send("PATCH", path, { body, contentType, query: { ...by("a"), fieldValidation: "Strict" } });
    await send("PATCH", path, { body, contentType, query: { ...by("a"), fieldValidation: "Warn" }, only: ["data"] });
    await send("PATCH", path, { body, contentType, query: { ...by("a"), fieldValidation: "Ignore" }, only: ["data"] });
  });

  const labels = { app: "x" };
  const deployment = (spec: object, replicas = 1): object => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  const container = { name: "c", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "E", value: "1" }] };

  check("a Deployment is applied, conflicts, and is applied by force", async ({ send, namespace }) => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/a`;
    const apply = (body: object, manager: string, force?: true): Promise<unknown> =>
      send("PATCH", path, { body, contentType, query: by(manager, force), only });
    await apply(deployment({ containers: [container] }), "a");
    await apply(
      deployment({ containers: [{ ...container, image: "j", ports: [{ containerPort: 80, name: "web" }] }] }, 2),
      "b",
    );
    await apply(
      deployment({ containers: [{ ...container, image: "j", ports: [{ containerPort: 80, name: "web" }] }] }, 2),
      "b",
      true,
    );
    await apply(
      deployment(
        {
          containers: [
            { name: "c", image: "j" },
            { name: "d", image: "i" },
          ],
        },
        2,
      ),
      "b",
    );
    await apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } }, "b");
  });

  check("a Deployment that does not fit its schema is refused", async ({ send, quietly, namespace }) => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await quietly("POST", path, { body: deployment({ containers: [container] }) });
    for (const spec of [
      { fruit: 1 },
      { replicas: "many" },
      { template: { spec: { containers: [{ name: "x" }, { name: "x" }] } } },
      { selector: "x" },
    ]) {
      await send("PATCH", `${path}/a`, {
        body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec },
        contentType,
        query: by("b"),
      });
    }
  });

  check("quantities are applied in any form", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/resourcequotas/a`;
    const apply = (hard: object, manager: string): Promise<unknown> =>
      send("PATCH", path, {
        body: { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "a" }, spec: { hard } },
        contentType,
        query: by(manager),
        only,
        // The real server names several owners in any order, but for the message.
        omit: ["details.causes"],
      });
    await apply({ cpu: "1000m", pods: 5 }, "a");
    await apply({ cpu: "1", pods: "5" }, "b");
    await apply({ cpu: "1000m" }, "c");
  });

  check("ports of a Service are told apart by number and protocol", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/services/a`;
    const apply = (ports: readonly object[], manager: string): Promise<unknown> =>
      send("PATCH", path, {
        body: {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "a" },
          spec: { clusterIP: "None", selector: labels, ports },
        },
        contentType,
        query: by(manager),
        only: ["spec.ports", "metadata.managedFields", "message", "details"],
      });
    await apply(
      [
        { name: "t", port: 80 },
        { name: "u", port: 80, protocol: "UDP" },
      ],
      "a",
    );
    await apply([{ name: "x", port: 80 }], "b");
    await apply(
      [
        { name: "t", port: 80 },
        { name: "v", port: 80, protocol: "TCP" },
      ],
      "b",
    );
    await apply([{ name: "u", port: 80, protocol: "UDP" }], "a");
  });

  check("labels of another applier stay when an object is applied without them", async ({ send, namespace }) => {
    const path = `${configMaps(namespace)}/a`;
    const apply = (metadata: object, manager: string): Promise<unknown> =>
      send("PATCH", path, { body: configMap("a", { ...metadata }), contentType, query: by(manager), only });
    await apply({ labels: { a: "1" }, finalizers: ["x.example.com/a"] }, "a");
    await apply({ labels: { b: "1" }, finalizers: ["x.example.com/b"] }, "b");
    await apply({}, "a");
    await apply({}, "b");
  });

  check(
    "what does not fit a Go type that a schema does not tell is refused by its conversion",
    async ({ send, namespace }) => {
      const query = { fieldManager: "one" };
      const path = `/api/v1/namespaces/${namespace}`;
      const apply = (plural: string, body: Readonly<Record<string, unknown>>) =>
        send("PATCH", `${path}/${plural}/a`, {
          query,
          contentType: "application/apply-patch+yaml",
          body: { apiVersion: "v1", ...body },
        });
      const metadata = { name: "a" };
      await apply("configmaps", { kind: "ConfigMap", metadata: { name: "a", creationTimestamp: "yesterday" } });
      await apply("configmaps", { kind: "ConfigMap", metadata, binaryData: { key: "?" } });
      await apply("configmaps", { kind: "ConfigMap", metadata: { name: "a", namespace }, binaryData: { key: "?" } });
      const port = (targetPort: unknown) => ({
        kind: "Service",
        metadata,
        spec: { clusterIP: "None", ports: [{ port: 80, targetPort }] },
      });
      await apply("services", port(1.5));
      await apply("services", port(true));
      const claim = (storage: unknown) => ({
        kind: "PersistentVolumeClaim",
        metadata,
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });
      await apply("persistentvolumeclaims", claim("much"));
      await apply("persistentvolumeclaims", claim(true));
    },
  );

  check(
    "an apply that creates is held to its uid before its name, and to its name before its version",
    async (conversation) => {
      for (const { path, object } of await bothKinds(conversation))
        for (const metadata of [
          { name: "other", uid: "u", resourceVersion: "x" },
          { name: "a", uid: "u", resourceVersion: "x" },
          { name: "other", resourceVersion: "x" },
          { name: "a", resourceVersion: "x" },
        ])
          await conversation.send("PATCH", `${path}/a`, { body: object(metadata), contentType, query: by("m") });
    },
  );

  check("an object that no apply could have made takes none", async ({ send, quietly, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await quietly("POST", path, { body: { metadata: { name: "a" }, secrets: [{ name: "" }] } });
    const query = by("m");
    const body = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } };
    for (const rest of [
      {},
      { imagePullSecrets: true },
      { secrets: [{ name: "b" }] },
      { kind: "Secret" },
      { metadata: { name: "a", managedFields: [] } },
    ])
      await send("PATCH", `${path}/a`, { body: { ...body, ...rest }, contentType, query });
    await send("PATCH", `${path}/a`, { body: { secrets: [{ name: "b" }, { name: "b" }] } });
    await send("PATCH", `${path}/a`, { body, contentType, query });
    await send("PATCH", `${path}/a`, { body: { ...body, secrets: [{ name: "c" }] }, contentType, query });
  });

  check("numbers of an apply are made integers without a look at their size", async ({ send, namespace }) => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/a`;
    const container = { name: "a", image: "a" };
    for (const [replicas, terminationGracePeriodSeconds] of [
      [1.5, 30],
      [1, 1.5],
      [3e9, 30],
      [5e9, 30],
      [1e20, 30],
      [1, 1e20],
    ]) {
      await send("PATCH", path, {
        query: { fieldManager: "one", dryRun: "All" },
        contentType: "application/apply-patch+yaml",
        body: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "a" },
          spec: {
            replicas,
            selector: { matchLabels: { app: "a" } },
            template: {
              metadata: { labels: { app: "a" } },
              spec: { terminationGracePeriodSeconds, containers: [container] },
            },
          },
        },
      });
    }
  });

  check("an apply may name a version of an object that it creates", async ({ send, namespace }) => {
    await send("PATCH", `/api/v1/namespaces/${namespace}/configmaps/a`, {
      query: { fieldManager: "one" },
      contentType: "application/apply-patch+yaml",
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", resourceVersion: "1" } },
    });
    await send("PUT", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/a`, {
      body: { metadata: { name: "a", resourceVersion: "1" } },
    });
  });

  for (const metadata of [
    { labels: {} },
    { annotations: {} },
    { finalizers: [] },
    { ownerReferences: [] },
    { generateName: "" },
    { deletionTimestamp: "no time" },
    { labels: null },
    { creationTimestamp: "yesterday" },
    { creationTimestamp: 5 },
    { selfLink: "" },
  ]) {
    check(
      `metadata of a custom object is stored as it is applied: ${JSON.stringify(metadata)}`,
      async ({ send, crd, quietly, sleep }) => {
        const { path, object } = await crd();
        // The real server sees that there is nothing to write only as long as its cache does not have the object.
        const write = async (contentType: string, body: unknown): Promise<void> => {
          const { body: written } = await send("PATCH", `${path}/a`, {
            query: { fieldManager: "one" },
            contentType,
            body,
          });
          const cached = { query: { resourceVersion: 0 } };
          while (
            (await quietly("GET", `${path}/a`, cached)).body.metadata?.resourceVersion !==
            written.metadata.resourceVersion
          )
            await sleep("20ms");
        };
        const applied = { ...object("a"), metadata: { name: "a", ...metadata } };
        await write("application/apply-patch+yaml", applied);
        await write("application/apply-patch+yaml", applied);
        await write("application/merge-patch+json", {});
        await write("application/merge-patch+json", {});
      },
    );
  }
});
