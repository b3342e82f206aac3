import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { CustomKindOptions } from "../custom-kind.ts";

/** What is recorded of an object: who owns what. */
const only = ["metadata.managedFields"];

/** One field of each kind of ownership. Managers write in the order of their names, so that times do not decide the order. */
export const ownedSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        text: { type: "string" },
        size: { type: "integer" },
        port: { "x-kubernetes-int-or-string": true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        numbers: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            required: ["port"],
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              name: { type: "string" },
            },
          },
        },
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        whole: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          properties: { x: { type: "integer" }, y: { type: "integer" } },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        nothing: { type: "string", nullable: true },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" }, phase: { type: "string" } } },
  },
};

export const ownedKind: CustomKindOptions = { schema: ownedSchema };

const twoVersions: CustomKindOptions = {
  versions: ["v1", "v2"].map((name) => ({
    name,
    served: true,
    storage: name === "v1",
    subresources: { status: {} },
    schema: { openAPIV3Schema: ownedSchema },
  })),
};

/** Created in a case of its own each: what whoever creates it owns. */
const specs: Readonly<Record<string, object>> = {
  scalars: { text: "x", size: 1, port: "80%" },
  "a map, key by key": { labels: { b: "1", a: "2" } },
  "an empty map as a leaf": { labels: {} },
  "a set, item by item": { set: ["b", "a", 'quoted "<&>"', ""] },
  "a set of numbers in their order": { numbers: [10, 9, -1] },
  "an empty set as a leaf": { set: [] },
  "a list of maps by its keys, defaults included": {
    ports: [{ port: 443, name: "b" }, { port: 80, protocol: "UDP" }, { port: 80 }],
  },
  "an atomic list as a whole": { list: [{ x: 1 }, { x: 2 }] },
  "an atomic map as a whole": { whole: { x: 1 } },
  "what has no schema: maps key by key, lists as a whole": {
    free: { a: { b: { c: [1, { d: 2 }] } }, e: {}, f: [], g: null },
  },
  "an embedded object, with its metadata as every object's": {
    template: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "x",
        labels: { a: "b" },
        finalizers: ["x/y"],
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u" }],
      },
      spec: { containers: [] },
    },
  },
  "a null that may be one": { nothing: null },
  "names in the order of code points": { free: { "\uff5e": 1, "\u{1f600}": 2, z: 3, Z: 4, _: 5 } },
};

const manager = (fieldManager: string): { readonly fieldManager: string } => ({ fieldManager });

export const area: Area = defineArea("managed-fields", (check) => {
  for (const [name, spec] of Object.entries(specs)) {
    check(`a creator owns ${name}`, async ({ send, crd }) => {
      const kind = await crd(ownedKind);
      await send("POST", kind.path, { body: kind.object("a", { spec }), only });
    });
  }

  check("a creator owns metadata, but not what the server gives", async ({ send, namespace }) => {
    const uid = "00000000-0000-4000-8000-000000000001";
    await send("POST", configMaps(namespace), {
      body: configMap("a", {
        labels: { l: "1" },
        annotations: { "a/b": "1" },
        finalizers: [],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid }],
        generation: 5,
        resourceVersion: "",
        selfLink: "x",
        data: { k: "v" },
      }),
      only,
    });
  });

  check("the manager's name is that of the client or of the query", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    const agents = ["kubectl/v1.32 (linux)", "plain", "/slash", "with space/1", `${"x".repeat(130)}/1`, "tab\there/1"];
    for (const [index, agent] of agents.entries()) {
      await send("POST", path, {
        body: configMap(`a${index}`, { data: { k: "v" } }),
        headers: { "user-agent": agent },
        only,
      });
    }
    await send("POST", path, { body: configMap("b", { data: { k: "v" } }), query: manager("given"), only });
    await send("POST", path, { body: configMap("c", { data: { k: "v" } }), query: manager("x".repeat(129)) });
    await send("POST", path, { body: configMap("d", { data: { k: "v" } }), query: manager("new\nline") });
  });

  check("a write takes what it changes from its owner, and nothing else", async ({ send, quietly, crd }) => {
    const kind = await crd(ownedKind);
    await quietly("POST", kind.path, {
      body: kind.object("a", {
        spec: { text: "x", size: 1, labels: { a: "1", b: "2" }, set: ["x", "y"], whole: { x: 1 } },
      }),
      query: manager("a"),
    });
    await send("PATCH", `${kind.path}/a`, {
      body: { spec: { text: "y", size: 1, labels: { b: "2", c: "3" }, set: ["y", "z"], whole: { y: 2 } } },
      query: manager("b"),
      only,
    });
    await send("PATCH", `${kind.path}/a`, { body: { spec: { labels: null, size: null } }, query: manager("c"), only });
  });

  check("a write that changes nothing takes nothing", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a", { data: { a: "1" } }), query: manager("a") });
    await send("PATCH", `${path}/a`, { body: { data: { a: "1", b: null } }, query: manager("b") });
    await send("PATCH", `${path}/a`, { body: {}, query: manager("c") });
  });

  check("an owner of nothing is dropped", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a", { data: { a: "1" } }), query: manager("a") });
    await send("PATCH", `${path}/a`, { body: { data: { a: "2" } }, query: manager("b"), only });
    await send("PUT", `${path}/a`, { body: configMap("a"), query: manager("c") });
    await send("PATCH", `${path}/a`, { body: { data: { z: "1" } }, query: manager("d") });
  });

  check("a PUT owns what it changes, and takes away what it leaves out", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, {
      body: configMap("a", { labels: { l: "1" }, data: { a: "1", b: "2" } }),
      query: manager("a"),
    });
    await send("PUT", `${path}/a`, { body: configMap("a", { data: { a: "1", c: "3" } }), query: manager("b"), only });
  });

  check("a PUT may give ownership up, but not nonsense", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    const { body } = await quietly("POST", path, { body: configMap("a", { data: { a: "1" } }), query: manager("a") });
    const put = (managedFields: unknown): Promise<unknown> =>
      send("PUT", `${path}/a`, {
        body: configMap("a", { data: { a: "1" }, managedFields }),
        query: manager("b"),
        only: ["metadata.managedFields", "message"],
      });
    const [entry] = body.metadata.managedFields;
    await put([{ ...entry, manager: "other" }]);
    await put([
      {
        ...entry,
        manager: "canonical",
        fieldsV1: { "f:data": { 'k: {"b":1,"a":2}': {}, "v:5": {}, "i:0": {}, "x:y": {} } },
      },
    ]);
    await put([{ ...entry, operation: "Create" }]);
    await put([{ ...entry, fieldsType: "FieldsV2" }]);
    await put([{ ...entry, apiVersion: "" }]);
    await put([{ ...entry, fieldsV1: { nocolon: {} } }]);
    await put([{ ...entry, apiVersion: "v9" }]);
    await put(undefined);
  });

  for (const [name, managedFields] of Object.entries({ "[{}]": [{}], "[]": [] })) {
    check(`${name} clears all owners until someone applies`, async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      await quietly("POST", path, { body: configMap("a", { data: { a: "1" } }), query: manager("a") });
      await send("PATCH", `${path}/a`, { body: { metadata: { managedFields } }, query: manager("b") });
      await send("PATCH", `${path}/a`, { body: { data: { b: "1" } }, query: manager("c") });
      await send("PATCH", `${path}/a`, {
        body: configMap("a", { data: { c: "1" } }),
        contentType: "application/apply-patch+yaml",
        query: manager("d"),
      });
    });
  }

  check("owners sent at a creation are kept", async ({ send, namespace }) => {
    const fieldsV1 = { "f:data": { "f:a": {}, "f:gone": {} } };
    const managedFields = [
      {
        manager: "b",
        operation: "Apply",
        apiVersion: "v1",
        time: "2020-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1,
      },
    ];
    await send("POST", configMaps(namespace), {
      body: configMap("a", { data: { a: "1" }, managedFields }),
      query: manager("c"),
      only,
    });
  });

  check("status is owned through /status, the rest through the object", async ({ send, quietly, crd }) => {
    const kind = await crd(ownedKind);
    await send("POST", kind.path, {
      body: kind.object("a", { spec: { size: 1 }, status: { ready: true } }),
      query: manager("a"),
      only,
    });
    await send("PATCH", `${kind.path}/a/status`, {
      body: { spec: { size: 2 }, status: { ready: true, phase: "x" } },
      query: manager("b"),
      only,
    });
    await send("PATCH", `${kind.path}/a`, {
      body: { spec: { size: 3 }, status: { ready: false } },
      query: manager("c"),
      only,
    });
    const { body } = await quietly("GET", `${kind.path}/a`);
    const metadata = { ...body.metadata, managedFields: [{}] };
    await send("PUT", `${kind.path}/a/status`, {
      body: { ...body, metadata, status: { phase: "y" } },
      query: manager("d"),
      only,
    });
  });

  check("a kind without a status subresource owns its status as all else", async ({ send, crd }) => {
    const kind = await crd({ ...ownedKind, subresources: {} });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 }, status: { ready: true } }), only });
  });

  check("each version has owners of its own", async ({ send, quietly, crd }) => {
    const kind = await crd(twoVersions);
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { text: "x", size: 1 } }), query: manager("a") });
    const second = `${kind.pathIn("v2")}/a`;
    await send("PATCH", second, { body: { spec: { text: "y" } }, query: manager("a"), only });
    await send("PATCH", `${kind.path}/a`, { body: { spec: { text: "z", size: 2 } }, query: manager("b"), only });
    await send("PATCH", second, { body: { spec: { text: null, size: 3 } }, query: manager("c"), only });
  });

  check("an item that stands twice in a set is owned once", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a", { finalizers: ["a/b", "a/b", "c/d"] }), query: manager("a") });
    await send("GET", `${path}/a`, { only });
    await send("PATCH", `${path}/a`, { body: { metadata: { finalizers: ["a/b", "c/d"] } }, query: manager("b"), only });
    await quietly("PATCH", `${path}/a`, { body: { metadata: { finalizers: null } } });
  });

  check("the eleventh updater makes one of the two oldest", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a", { data: { k00: "v" } }), query: manager("m00") });
    for (let index = 1; index <= 12; index += 1) {
      const name = String(index).padStart(2, "0");
      await quietly("PATCH", `${path}/a`, { body: { data: { [`k${name}`]: "v" } }, query: manager(`m${name}`) });
    }
    await send("GET", `${path}/a`, { only });
  });

  const labels = { app: "x" };
  const pod = {
    containers: [
      {
        name: "c",
        image: "i",
        ports: [{ containerPort: 80 }],
        env: [
          { name: "E", value: "1" },
          { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        resources: { requests: { cpu: "100m" } },
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      },
    ],
    volumes: [{ name: "v", emptyDir: {} }],
  };
  const inGroup = (group: string, namespace: string, plural: string): string =>
    `/${group === "v1" ? "api" : "apis"}/${group}/namespaces/${namespace}/${plural}`;
  const builtIn: Readonly<
    Record<string, { readonly apiVersion: string; readonly plural: string; readonly rest: object }>
  > = {
    Deployment: {
      apiVersion: "apps/v1",
      plural: "deployments",
      rest: { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } } },
    },
    Service: {
      apiVersion: "v1",
      plural: "services",
      rest: {
        spec: {
          clusterIP: "None",
          selector: labels,
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 80, protocol: "UDP" },
          ],
        },
      },
    },
    Secret: { apiVersion: "v1", plural: "secrets", rest: { stringData: { a: "b" }, data: { c: "ZA==" } } },
    Role: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      plural: "roles",
      rest: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    },
    Lease: {
      apiVersion: "coordination.k8s.io/v1",
      plural: "leases",
      rest: { spec: { holderIdentity: "h", leaseDurationSeconds: 15 } },
    },
    CronJob: {
      apiVersion: "batch/v1",
      plural: "cronjobs",
      rest: {
        spec: {
          schedule: "* * * * *",
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
          },
        },
      },
    },
    Ingress: {
      apiVersion: "networking.k8s.io/v1",
      plural: "ingresses",
      rest: {
        spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, tls: [{ hosts: ["h.example.com"] }] },
      },
    },
    PodDisruptionBudget: {
      apiVersion: "policy/v1",
      plural: "poddisruptionbudgets",
      rest: { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
    },
    HorizontalPodAutoscaler: {
      apiVersion: "autoscaling/v2",
      plural: "horizontalpodautoscalers",
      rest: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } },
    },
    Event: {
      apiVersion: "v1",
      plural: "events",
      rest: {
        reason: "R",
        message: "m",
        type: "Normal",
        count: 1,
        firstTimestamp: "2020-01-01T00:00:00Z",
        source: { component: "c" },
      },
    },
    ResourceQuota: { apiVersion: "v1", plural: "resourcequotas", rest: { spec: { hard: { pods: "5" } } } },
    ServiceAccount: { apiVersion: "v1", plural: "serviceaccounts", rest: { imagePullSecrets: [{ name: "x" }] } },
  };
  for (const [kind, { apiVersion, plural, rest }] of Object.entries(builtIn)) {
    check(`a creator owns what it and the defaults set of a ${kind}`, async ({ send, namespace }) => {
      const involved = kind === "Event" ? { involvedObject: { kind: "Pod", namespace, name: "p" } } : {};
      const metadata = { name: "a", namespace, labels };
      await send("POST", inGroup(apiVersion, namespace, plural), {
        body: { apiVersion, kind, metadata, ...involved, ...rest },
        only,
      });
    });
  }

  check("conditions of a Deployment are owned by their type through /status", async ({ send, quietly, namespace }) => {
    const path = inGroup("apps/v1", namespace, "deployments");
    const { apiVersion, rest } = builtIn.Deployment as { readonly apiVersion: string; readonly rest: object };
    await quietly("POST", path, {
      body: { apiVersion, kind: "Deployment", metadata: { name: "a" }, ...rest },
      query: manager("a"),
    });
    const patch = (condition: object, by: string): Promise<unknown> =>
      send("PATCH", `${path}/a/status`, {
        body: { metadata: { labels: { no: "owner" } }, spec: { replicas: 5 }, status: { conditions: [condition] } },
        contentType: "application/strategic-merge-patch+json",
        query: manager(by),
        only,
      });
    await patch({ type: "Available", status: "True" }, "b");
    await patch({ type: "Progressing", status: "True", reason: "R" }, "c");
    await patch({ type: "Available", status: "False" }, "d");
  });
});
