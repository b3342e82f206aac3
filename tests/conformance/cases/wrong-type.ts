import { type Area, defineArea } from "../area.ts";

const container = { name: "a", image: "a" };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };

/** Where a value of the wrong type stands, by the Go type that is there: path of the collection, kind, what is beside metadata. */
const misfits: readonly (readonly [what: string, path: string, kind: string, fields: object])[] = [
  ["a string with a name", "/apis/apps/v1", "Deployment", { spec: { template, strategy: { type: {} } } }],
  ["a string with a name behind a pointer", "/api/v1", "PersistentVolumeClaim", { spec: { volumeMode: 1 } }],
  ["a list of strings with a name", "/api/v1", "PersistentVolumeClaim", { spec: { accessModes: "x" } }],
  ["an item with a name", "/api/v1", "PersistentVolumeClaim", { spec: { accessModes: ["ReadWriteOnce", 5] } }],
  ["a map with a name", "/api/v1", "ResourceQuota", { spec: { hard: [] } }],
  ["a map by strings with a name", "/api/v1", "PersistentVolumeClaim", { status: { allocatedResourceStatuses: 1 } }],
  ["a value of such a map", "/api/v1", "PersistentVolumeClaim", { status: { allocatedResourceStatuses: { cpu: 1 } } }],
  ["an operator", "/apis/apps/v1", "Deployment", { spec: { selector: { matchExpressions: [{ operator: true }] } } }],
  ["a type of a Service", "/api/v1", "Service", { spec: { type: 5 } }],
  ["a type of a Secret", "/api/v1", "Secret", { type: [] }],
  ["a uid", "/api/v1", "ConfigMap", { metadata: { name: "a", uid: 5 } }],
  ["an owner's uid", "/api/v1", "ConfigMap", { metadata: { name: "a", ownerReferences: [{ uid: {} }] } }],
  ["a uid of a reference", "/api/v1", "ServiceAccount", { secrets: [{ uid: 1 }] }],
  ["types of a policy", "/apis/networking.k8s.io/v1", "NetworkPolicy", { spec: { policyTypes: [false] } }],
  ["a string without a name", "/api/v1", "ServiceAccount", { secrets: [{ name: 1 }] }],
  ["a list of strings without a name", "/api/v1", "ConfigMap", { metadata: { name: "a", finalizers: "x" } }],
];

export const area: Area = defineArea("wrong-type", (check) => {
  for (const [what, root, kind, fields] of misfits) {
    check(`${what} is refused by its Go type`, async ({ send, namespace }) => {
      const plural = kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
      await send("POST", `${root}/namespaces/${namespace}/${plural.toLowerCase()}`, {
        body: { apiVersion: root.replace(/^\/apis?\//, ""), kind, metadata: { name: "a" }, ...fields },
      });
    });
  }

  check("a list of a map is refused by its Go type", async ({ send }) => {
    await send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      body: { spec: { user: "a", extra: { key: "text" } } },
    });
  });
});
