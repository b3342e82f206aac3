import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const contentType = "application/strategic-merge-patch+json";
const omit = ["metadata.managedFields"];
const finalizer = (name: string): string => `${name}.example.com/x`;

/** Patches of a ConfigMap. */
const plain: Readonly<Record<string, unknown>> = {
  "a null removes, a new field is added": { data: { a: null, c: "3" } },
  "$patch: delete empties a map": { data: { $patch: "delete" } },
  "$patch: replace replaces a map": { data: { $patch: "replace", only: "1" } },
  "$patch: merge is none for a map": { data: { $patch: "merge", more: "1" } },
  "an unknown $patch fails": { data: { $patch: "shuffle" } },
  "a $patch that is no text fails": { data: { $patch: 5 } },
  "$retainKeys drops all other keys": { data: { $retainKeys: ["b", "c"], c: "3" } },
  "$retainKeys must name what the patch sets": { data: { $retainKeys: ["b"], c: "3" } },
  "$retainKeys must be a list": { data: { $retainKeys: "b" } },
  "a list of scalars is merged as a set": { metadata: { finalizers: [finalizer("c"), finalizer("a")] } },
  "$deleteFromPrimitiveList deletes from a list": {
    metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer("a"), finalizer("nothing")] },
  },
  "$deleteFromPrimitiveList must name a list": { metadata: { $deleteFromPrimitiveList: [finalizer("a")] } },
  "$deleteFromPrimitiveList that is no list does nothing": { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } },
  "$setElementOrder orders a list of scalars": {
    metadata: { "$setElementOrder/finalizers": [finalizer("b"), finalizer("a")] },
  },
  "$setElementOrder orders what is added": {
    metadata: {
      finalizers: [finalizer("c")],
      "$setElementOrder/finalizers": [finalizer("c"), finalizer("b"), finalizer("a")],
    },
  },
  "$setElementOrder must name what is added": {
    metadata: { finalizers: [finalizer("c")], "$setElementOrder/finalizers": [finalizer("b")] },
  },
  "$setElementOrder must name a list": { metadata: { $setElementOrder: [finalizer("b")] } },
  "$setElementOrder must be a list": { metadata: { "$setElementOrder/finalizers": "b" } },
  "$setElementOrder must name a field": { metadata: { "$setElementOrder/fruits": ["b"] } },
  "lists of lists are refused": { metadata: { finalizers: [["a"]] } },
  "a list of several types fails": { metadata: { finalizers: ["a", 5] } },
  // One wrong value: of several the real server names any.
  "a value of the wrong type is refused with the patch": {
    data: { a: 5 },
    fruit: { list: [1.5, true, { z: null, y: "x" }] },
  },
  "a map that is a scalar is refused": { data: 5 },
  "unknown fields are warned of": { fruit: "apple", basket: { pear: 1 } },
  "a patch that is a list is refused": [],
  "null is a patch of nothing": null,
  "$patch: delete of the whole object leaves no name": { $patch: "delete" },
  "$patch: replace of the whole object keeps what the server gives": {
    $patch: "replace",
    metadata: { name: "a" },
    data: { only: "1" },
  },
};

const container = (name: string, rest: object = {}): object => ({ name, image: "i", ...rest });
const inPod = (spec: object): object => ({ spec: { template: { spec } } });

/** Patches of the pods of a Deployment. */
const ofPods: Readonly<Record<string, unknown>> = {
  "a container of the same name is merged": inPod({ containers: [{ name: "a", image: "j" }] }),
  "a new container stands before those it does not name": inPod({ containers: [container("n")] }),
  "a container is deleted": inPod({ containers: [{ name: "a", $patch: "delete" }] }),
  "containers are replaced": inPod({ containers: [{ $patch: "replace" }, container("only")] }),
  "an item with $patch: merge fails": inPod({ containers: [{ name: "a", $patch: "merge" }] }),
  "an item with an unknown $patch fails": inPod({ containers: [{ name: "a", $patch: "shuffle" }] }),
  "an item without its key fails": inPod({ containers: [{ image: "j" }] }),
  "containers are ordered": inPod({ "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] }),
  "new and old containers are ordered": inPod({
    "$setElementOrder/containers": [{ name: "b" }, { name: "n" }],
    containers: [container("n"), { name: "b", $patch: "delete" }],
  }),
  "an order without the keys of its items fails": inPod({
    "$setElementOrder/containers": [{ image: "i" }],
    containers: [container("n")],
  }),
  "items of items are merged": inPod({
    containers: [
      {
        name: "a",
        env: [
          { name: "NEW", value: "3" },
          { name: "ONE", value: null, valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
      },
    ],
  }),
  "atomic lists are replaced": inPod({
    containers: [{ name: "a", args: ["z"] }],
    tolerations: [{ key: "k", operator: "Exists" }],
  }),
  "$retainKeys changes the kind of a volume": inPod({
    volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x", type: "" } }],
  }),
  "ports are merged by their number": inPod({
    containers: [
      {
        name: "a",
        ports: [
          { containerPort: 80, name: "web" },
          { containerPort: 81, protocol: "UDP" },
        ],
      },
    ],
  }),
  "a strategy that retains keys changes": { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  "directives of what is not there are left out": inPod({
    initContainers: [
      container("gone", { $patch: "delete" }),
      container("stays", { env: [{ name: "X", $patch: "delete" }] }),
    ],
  }),
};

export const area: Area = defineArea("strategic-patch", (check) => {
  for (const [name, body] of Object.entries(plain)) {
    check(name, async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      const metadata = { finalizers: [finalizer("a"), finalizer("b")] };
      await quietly("POST", path, { body: configMap("a", { ...metadata, data: { a: "1", b: "2" } }) });
      await send("PATCH", `${path}/a`, { body, contentType, omit });
      await quietly("PATCH", `${path}/a`, { body: { metadata: { finalizers: null } } });
    });
  }

  for (const [name, body] of Object.entries(ofPods)) {
    check(name, async ({ send, quietly, namespace }) => {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const labels = { app: "x" };
      const spec = {
        containers: [
          container("a", {
            args: ["x", "y"],
            ports: [{ containerPort: 80 }],
            env: [
              { name: "ONE", value: "1" },
              { name: "TWO", value: "2" },
            ],
          }),
          container("b"),
        ],
        volumes: [{ name: "v", emptyDir: {} }],
      };
      await quietly("POST", path, {
        body: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "a" },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
        },
      });
      await send("PATCH", `${path}/a`, { body, contentType, omit });
    });
  }

  check("what does not fit its type is told by its kind, since it is no text", async ({ send, quietly, namespace }) => {
    const [deployments, services] = ["/apis/apps/v1", "/api/v1"].map((root) => `${root}/namespaces/${namespace}`);
    const labels = { app: "x" };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container("a")] } },
    };
    await quietly("POST", `${deployments}/deployments`, { body: { metadata: { name: "a" }, spec } });
    await quietly("POST", `${services}/services`, { body: { metadata: { name: "a" }, spec: { clusterIP: "None" } } });
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const only = ["message", "spec.replicas", "spec.minReadySeconds", "binaryData"];
    for (const fields of [
      ...[1.5, 1e20, "x", [], true].map((template) => ({ template })),
      ...[1.5, 1e20, 3e9, 2.0, "x", {}, true].map((replicas) => ({ replicas })),
      ...[1, 1.5, "x", {}].map((paused) => ({ paused })),
      ...[1, 1e20, "x", {}].map((type) => ({ strategy: { type } })),
      ...[1.5, 1e20, {}, true].map((maxSurge) => ({ strategy: { rollingUpdate: { maxSurge } } })),
      { selector: 1.5 },
      { minReadySeconds: "x", replicas: "x" },
    ])
      await send("PATCH", `${deployments}/deployments/a`, { body: { spec: fields }, contentType, only });
    for (const type of [5, 1.5, true, {}])
      await send("PATCH", `${services}/services/a`, { body: { spec: { type } }, contentType, only });
    for (const data of [1.5, 1e20, [], "x", { a: 1 }, { a: 1e20 }, { a: [] }])
      await send("PATCH", `${configMaps(namespace)}/a`, { body: { data }, contentType, only });
    for (const d of [1.5, 1, "%", [1, 256, -1], [1.5], ["x"], [2.0], {}, true])
      await send("PATCH", `${configMaps(namespace)}/a`, { body: { binaryData: { d } }, contentType, only });
    for (const body of [
      { metadata: { labels: 1e20 } },
      { metadata: { annotations: { a: 1.5 } } },
      { metadata: { finalizers: 1.5 } },
      { metadata: { creationTimestamp: 5 } },
      { metadata: { creationTimestamp: "yesterday" } },
      { metadata: { generation: 1.5 } },
      { metadata: 1.5 },
      { kind: 5 },
      { apiVersion: 1.5 },
      { immutable: 1e20 },
    ])
      await send("PATCH", `${configMaps(namespace)}/a`, { body, contentType, only });
  });

  check("owner references are merged by uid", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    const owner = (uid: string, rest: object = {}): object => ({
      apiVersion: "v1",
      kind: "Pod",
      name: "p",
      uid,
      ...rest,
    });
    const patch = (ownerReferences: readonly object[]): Promise<unknown> =>
      send("PATCH", `${path}/a`, {
        body: { metadata: { ownerReferences } },
        contentType,
        only: ["metadata.ownerReferences", "message"],
      });
    const [one, two] = ["uid-of-one", "uid-of-two"];
    await patch([owner(one)]);
    await patch([{ uid: one, name: "q" }, owner(two)]);
    await patch([{ uid: one, $patch: "delete" }]);
    await patch([{ $patch: "delete" }]);
  });

  check("a port of a Service is merged by its number alone", async ({ send, quietly, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/services`;
    await quietly("POST", path, {
      body: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a" },
        spec: {
          clusterIP: "None",
          selector: { a: "b" },
          ports: [
            { name: "t", port: 80 },
            { name: "u", port: 80, protocol: "UDP" },
          ],
        },
      },
    });
    await send("PATCH", `${path}/a`, {
      body: {
        spec: {
          ports: [
            { port: 80, targetPort: 8080 },
            { port: 81, name: "n" },
          ],
          selector: { c: "d" },
        },
      },
      contentType,
      only: ["spec.ports", "spec.selector"],
    });
  });

  check("text that is no JSON, and strict validation", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PATCH", `${path}/a`, { body: "{", contentType });
    await send("PATCH", `${path}/a`, { body: "{", contentType, query: { fieldValidation: "Ignore" } });
    await send("PATCH", `${path}/a`, {
      body: { fruit: "apple", data: { a: "1" } },
      contentType,
      query: { fieldValidation: "Strict" },
    });
    await send("PATCH", `${path}/a`, {
      body: '{"data":{"a":"1","a":"2"}}',
      contentType,
      query: { fieldValidation: "Strict" },
    });
    await send("PATCH", `${path}/a`, { body: '{"data":{"a":"1","a":"2"}}', contentType, omit });
  });
});
