import type { Choice } from "./random-choice.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A kind that random requests are about. */
export interface RandomKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly subresources: readonly string[];
  readonly custom: boolean;
  /** What stands beside metadata, valid on the whole. */
  fields(choice: Choice): Fields;
  status?(choice: Choice): Fields;
}

const group = "differential.example.com";
const names = ["a", "b", "c"];
const words = ["red", "blue", "", "two words", "1", "ünï"];

/** Most of what a structural schema can say. */
export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
        selectableFields: [{ jsonPath: ".spec.color" }],
        additionalPrinterColumns: [
          { name: "Color", type: "string", jsonPath: ".spec.color" },
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                "x-kubernetes-validations": [
                  {
                    rule: "!has(self.low) || !has(self.high) || self.low <= self.high",
                    message: "low must not exceed high",
                  },
                ],
                properties: {
                  color: { type: "string", enum: ["red", "blue", "green"], default: "green" },
                  size: { type: "integer", minimum: 0, maximum: 10 },
                  ratio: { type: "number" },
                  on: { type: "boolean" },
                  low: { type: "integer" },
                  high: { type: "integer" },
                  replicas: { type: "integer", minimum: 0 },
                  note: { type: "string", maxLength: 8, pattern: "^[a-z ]*$", nullable: true },
                  port: { "x-kubernetes-int-or-string": true },
                  tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
                  list: { type: "array", maxItems: 3, items: { type: "integer" } },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, count: { type: "integer", default: 1 } },
                    },
                  },
                  map: { type: "object", additionalProperties: { type: "string" } },
                  fixed: {
                    type: "string",
                    "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed cannot change" }],
                  },
                  nested: {
                    type: "object",
                    required: ["key"],
                    properties: {
                      key: { type: "string" },
                      deep: { type: "object", properties: { value: { type: "integer" } } },
                    },
                  },
                  open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
              status: {
                type: "object",
                properties: {
                  ready: { type: "boolean" },
                  replicas: { type: "integer" },
                  selector: { type: "string" },
                  conditions: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: {
                      type: "object",
                      required: ["type"],
                      properties: { type: { type: "string" }, status: { type: "string" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;

/** Some of the fields, each as one of its values. */
function some(choice: Choice, values: Readonly<Record<string, readonly unknown[]>>, probability = 0.35): Fields {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, options]) => (choice.chance(probability) ? [[key, choice.of(options)]] : [])),
  );
}

const widget: RandomKind = {
  apiVersion: `${group}/v1`,
  kind: "Widget",
  plural: "widgets",
  subresources: ["status", "scale"],
  custom: true,
  fields: (choice) => ({
    spec: some(choice, {
      color: ["red", "blue", "green"],
      size: [0, 1, 10],
      ratio: [0.5, 1, -2],
      on: [true, false],
      low: [1, 5],
      high: [5, 9],
      replicas: [0, 1, 3],
      note: ["text", null],
      port: [80, "http"],
      tags: [[], ["x"], ["x", "y"]],
      list: [[], [1, 2], [3]],
      parts: [[{ name: "one" }], [{ name: "one", count: 2 }, { name: "two" }], []],
      map: [{ a: "1" }, { b: "2", c: "3" }, {}],
      fixed: ["once"],
      nested: [{ key: "k" }, { key: "k", deep: { value: 1 } }],
      open: [{ any: { thing: [1, null, "x"] } }, {}],
    }),
  }),
  status: (choice) =>
    some(choice, {
      ready: [true, false],
      replicas: [0, 2],
      selector: ["app=a"],
      conditions: [[{ type: "Ready", status: "True" }], [{ type: "Ready" }, { type: "Other" }], []],
    }),
};

const configMap: RandomKind = {
  apiVersion: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  subresources: [],
  custom: false,
  fields: (choice) =>
    some(
      choice,
      { data: [{ a: "1" }, { b: "2" }, {}, { a: "3", c: "" }], binaryData: [{ d: "AAEC" }], immutable: [false] },
      0.6,
    ),
};

const container = { name: "main", image: "image" };
const deployment: RandomKind = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  plural: "deployments",
  subresources: ["status", "scale"],
  custom: false,
  fields: (choice) => ({
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          containers: choice.of([
            [container],
            [{ ...container, ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }],
            [container, { name: "side", image: "other:1" }],
          ]),
        },
      },
      ...some(choice, {
        replicas: [0, 2, 5],
        paused: [true, false],
        strategy: [{ type: "Recreate" }, {}],
        minReadySeconds: [5],
      }),
    },
  }),
  status: (choice) =>
    some(choice, {
      replicas: [1, 2],
      observedGeneration: [1],
      readyReplicas: [1],
      conditions: [[{ type: "Available", status: "True" }]],
    }),
};

const service: RandomKind = {
  apiVersion: "v1",
  kind: "Service",
  plural: "services",
  subresources: ["status"],
  custom: false,
  // An address of the cluster would be a random one, and there are few.
  fields: (choice) => ({
    spec: choice.of<Fields>([
      { clusterIP: "None", selector: { app: "a" } },
      { clusterIP: "None", ports: [{ port: 80 }] },
      {
        clusterIP: "None",
        ports: [
          { name: "http", port: 80, targetPort: "web" },
          { name: "other", port: 81, protocol: "UDP" },
        ],
      },
      { type: "ExternalName", externalName: "example.com" },
    ]),
  }),
};

const lease: RandomKind = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  subresources: [],
  custom: false,
  fields: (choice) => ({
    spec: some(choice, {
      holderIdentity: ["me", "you"],
      leaseDurationSeconds: [15, 1],
      acquireTime: ["2001-02-03T04:05:06.000007Z"],
      renewTime: ["2001-02-03T04:05:06.100000Z"],
      leaseTransitions: [0, 1],
    }),
  }),
};

const serviceAccount: RandomKind = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  subresources: [],
  custom: false,
  fields: (choice) =>
    some(choice, {
      automountServiceAccountToken: [true, false],
      secrets: [[{ name: "s" }]],
      imagePullSecrets: [[{ name: "p" }]],
    }),
};

/** How often each is chosen. */
export const randomKinds: readonly (readonly [weight: number, kind: RandomKind])[] = [
  [5, widget],
  [3, configMap],
  [2, deployment],
  [1, service],
  [1, lease],
  [1, serviceAccount],
];

export function randomName(choice: Choice): string {
  return choice.of(names);
}

/** The path of a kind's collection; `@namespace` stands for the sequence's own. */
export function collectionOf({ apiVersion, plural }: RandomKind, namespace = "@namespace"): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${plural}`;
}

/** Labels, annotations, finalizers: valid ones. */
export function randomMetadata(choice: Choice): Fields {
  return some(
    choice,
    {
      labels: [{ color: "red" }, { color: "blue", tier: "web" }, {}, { tier: "db" }],
      annotations: [{ note: "any text" }, { "example.com/note": "" }],
      finalizers: [["example.com/hold"], ["example.com/hold", "example.com/other"], []],
      ownerReferences: [
        [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "00000000-0000-4000-8000-000000000000" }],
      ],
    },
    0.2,
  );
}

const wrongMetadata: readonly Fields[] = [
  { labels: { "bad key!": "x" } },
  { labels: { key: "bad value!" } },
  { labels: { key: 1 } },
  { labels: "none" },
  { annotations: { "bad key!": "x" } },
  { annotations: { key: true } },
  { finalizers: ["nogroup"] },
  { finalizers: "none" },
  { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "", uid: "u" }] },
  { ownerReferences: [{ kind: "ConfigMap", name: "n", uid: "u" }] },
  { namespace: "default" },
  { resourceVersion: "text" },
  { resourceVersion: "1" },
  { uid: "00000000-0000-4000-8000-000000000000" },
  { generation: 7 },
  { name: "Not_A_Name" },
  { name: 5 },
  { creationTimestamp: "yesterday" },
  { creationTimestamp: null },
  { unknownField: "x" },
  { managedFields: [] },
  { deletionTimestamp: "2001-01-01T00:00:00Z" },
];

const wrongValues: readonly unknown[] = [
  null,
  "text",
  5,
  -1,
  1.5,
  true,
  [],
  {},
  ["x", "x"],
  { unknown: 1 },
  [{ name: "x" }, { name: "x" }],
  "",
  1e20,
];

/** An object that is valid, or has one fault. */
export function randomObject(choice: Choice, kind: RandomKind, name: string): Fields {
  const metadata = { name, ...randomMetadata(choice) };
  const object: Fields = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...kind.fields(choice) };
  return choice.weighed<() => Fields>([
    [14, () => object],
    [2, () => ({ ...object, metadata: { ...metadata, ...choice.of(wrongMetadata) } })],
    [4, () => withWrongValue(choice, object)],
    [1, () => ({ ...object, unknownField: choice.of(wrongValues) })],
    [0.5, () => ({ ...object, kind: choice.of(["Secret", "Nothing", "", 5, null]) })],
    [0.5, () => ({ ...object, apiVersion: choice.of(["v2", "nothing/v1", "a/b/c", "", 5, null]) })],
    [0.5, () => ({ ...object, ...(kind.status && { status: kind.status(choice) }) })],
  ])();
}

/** Goes down a random way and puts something else there. */
export function withWrongValue(choice: Choice, object: Fields): Fields {
  const change = (value: unknown, depth: number): unknown => {
    const isFields = value !== null && typeof value === "object" && !Array.isArray(value);
    const keys = isFields
      ? Object.keys(value).filter((key) => depth > 0 || !["apiVersion", "kind", "metadata"].includes(key))
      : [];
    if (Array.isArray(value) && value.length > 0 && choice.chance(0.7)) {
      const at = choice.below(value.length);
      return value.map((item: unknown, index) => (index === at ? change(item, depth + 1) : item));
    }
    if (keys.length === 0 && depth === 0) return { ...(value as Fields), unknownField: choice.of(wrongValues) };
    if (keys.length === 0 || (depth > 0 && choice.chance(0.25))) return choice.of(wrongValues);
    const key = choice.of(keys);
    if (depth > 0 && choice.chance(0.15)) return { ...(value as Fields), unknownField: choice.of(wrongValues) };
    return { ...(value as Fields), [key]: change((value as Fields)[key], depth + 1) };
  };
  return change(object, 0) as Fields;
}

export function randomWord(choice: Choice): string {
  return choice.of(words);
}
