import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };

type Fields = Readonly<Record<string, unknown>>;

async function tries({ send, namespace }: Conversation, path: string, ...rests: readonly Fields[]): Promise<void> {
  for (const rest of rests) {
    await send("POST", path.replace("NAMESPACE", namespace), {
      body: { metadata: { name: namespace }, ...rest },
      query,
      omit,
    });
  }
}

const claims = "/api/v1/namespaces/NAMESPACE/persistentvolumeclaims";
const volumes = "/api/v1/persistentvolumes";
const limits = "/api/v1/namespaces/NAMESPACE/limitranges";
const quotas = "/api/v1/namespaces/NAMESPACE/resourcequotas";
const accessModes = ["ReadWriteOnce"];
const resources = { requests: { storage: "1Gi" } };
const capacity = { storage: "1Gi" };
const hostPath = { path: "/x" };

/** The rest of it shows the differences of types that only Go has. */
const firstLine = ({ message, ...rest }: { readonly message?: string }): unknown =>
  message?.split("\n", 1)[0] ?? Object.keys(rest);

export const area: Area = defineArea("volume-and-node", (check) => {
  check("a claim asks for storage in some way", async (conversation) => {
    await tries(
      conversation,
      claims,
      { spec: {} },
      { spec: { accessModes: ["X"], resources: { requests: { storage: "0" } }, storageClassName: "A" } },
      { spec: { accessModes, resources, volumeMode: "X" } },
      { spec: { accessModes: ["ReadWriteOnce", "ReadWriteOncePod"], resources } },
      { spec: { accessModes, resources } },
    );
  });

  check("a claim keeps its spec", async ({ send, quietly, namespace }) => {
    const path = claims.replace("NAMESPACE", namespace);
    await quietly("POST", path, { body: { metadata: { name: "c" }, spec: { accessModes, resources } } });
    await send("PATCH", `${path}/c`, { body: { spec: { accessModes: ["ReadOnlyMany"] } }, view: firstLine });
    await send("PATCH", `${path}/c`, { body: { spec: { volumeName: "v" } }, only: ["spec.volumeName"] });
    await send("PATCH", `${path}/c/status`, { body: { status: { phase: "Bound" } }, only: ["status"] });
  });

  check("a volume has one source and a capacity", async (conversation) => {
    await tries(
      conversation,
      volumes,
      { spec: {} },
      { spec: { accessModes, capacity, hostPath, emptyDir: {} } },
      { spec: { accessModes, capacity: { storage: "0", cpu: "1" }, hostPath: { path: "" } } },
      { spec: { accessModes, capacity, hostPath: { path: "/a/../b" }, persistentVolumeReclaimPolicy: "X" } },
      { spec: { accessModes, capacity, hostPath, nfs: { server: "s", path: "/p" } } },
      { spec: { accessModes, capacity, local: { path: "/x" } } },
      { spec: { accessModes, capacity, hostPath } },
    );
  });

  check("a volume's source stays", async ({ send, quietly, cleanup, namespace }) => {
    const path = `${volumes}/${namespace}`;
    await quietly("POST", volumes, {
      body: { metadata: { name: namespace }, spec: { accessModes, capacity, hostPath } },
    });
    cleanup(async () => {
      await quietly("PATCH", path, { body: { metadata: { finalizers: null } } });
      await quietly("DELETE", path);
    });
    await send("PATCH", path, { body: { spec: { hostPath: { path: "/y" } } }, view: firstLine });
    await send("PATCH", path, { body: { spec: { capacity: { storage: "2Gi" } } }, only: ["spec.capacity"] });
  });

  check("a storage class stays", async ({ send, quietly, cleanup, namespace }) => {
    const path = "/apis/storage.k8s.io/v1/storageclasses";
    for (const rest of [
      {},
      { provisioner: "A b" },
      { provisioner: "x", reclaimPolicy: "X", volumeBindingMode: "Y" },
      { provisioner: "x", parameters: { "": "x" } },
      { provisioner: "x", allowedTopologies: [{ matchLabelExpressions: [{ key: "a b", values: [] }] }] },
      { provisioner: "x" },
    ]) {
      await send("POST", path, { body: { metadata: { name: namespace }, ...rest }, query, omit });
    }
    await quietly("POST", path, { body: { metadata: { name: namespace }, provisioner: "x" } });
    cleanup(() => quietly("DELETE", `${path}/${namespace}`));
    await send("PATCH", `${path}/${namespace}`, { body: { provisioner: "y", parameters: { a: "b" } } });
    await send("PATCH", `${path}/${namespace}`, { body: { reclaimPolicy: "Retain" } });
  });

  check("a new node is not ready", async (conversation) => {
    await tries(conversation, "/api/v1/nodes", {}, { spec: { podCIDR: "10.1.0.0/24", unschedulable: true } });
  });

  check("a node's taints and ranges are checked", async (conversation) => {
    await tries(
      conversation,
      "/api/v1/nodes",
      { spec: { taints: [{ key: "a b", value: "c d", effect: "X" }, { key: "a" }] } },
      {
        spec: {
          taints: [
            { key: "a", effect: "NoSchedule" },
            { key: "a", value: "b", effect: "NoSchedule" },
          ],
        },
      },
      { spec: { podCIDR: "x" } },
      { spec: { podCIDRs: ["10.0.0.0/8", "11.0.0.0/8"] } },
    );
  });

  check("a node's status is written by itself", async ({ send, quietly, cleanup, namespace }) => {
    const path = `/api/v1/nodes/${namespace}`;
    await quietly("POST", "/api/v1/nodes", { body: { metadata: { name: namespace } } });
    cleanup(() => quietly("DELETE", path));
    const conditions = [{ type: "Ready", status: "True" }];
    const status = { capacity: { cpu: "4", memory: "8Gi" }, conditions };
    await send("PATCH", `${path}/status`, { body: { status }, omit });
    await send("PATCH", `${path}/status`, { body: { status: { capacity: { cpu: "-1" } } } });
    await send("PATCH", path, { body: { spec: { podCIDR: "10.1.0.0/24", providerID: "a" } }, omit });
    await send("PATCH", path, { body: { spec: { podCIDR: "10.2.0.0/24", providerID: "b" } } });
  });

  check("a limit range has bounds in order", async (conversation) => {
    await tries(
      conversation,
      limits,
      { spec: { limits: [{ type: "X" }] } },
      { spec: { limits: [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "2" } }] } },
      { spec: { limits: [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "2" } }] } },
      { spec: { limits: [{ type: "Pod", default: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "PersistentVolumeClaim", max: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "Container", maxLimitRequestRatio: { cpu: "0.5" } }] } },
      { spec: { limits: [{ type: "Container" }, { type: "Container" }] } },
      { spec: { limits: [{ type: "Container", max: { cpu: "1" }, min: { cpu: "100m" } }] } },
    );
  });

  check("a quota counts known things", async (conversation) => {
    await tries(
      conversation,
      quotas,
      { spec: { hard: { pods: "-1" } } },
      { spec: { hard: { pods: "1.5" } } },
      { spec: { hard: { foo: "1" } } },
      { spec: { hard: { "count/widgets.example.com": "1", "requests.cpu": "500m" } } },
      { spec: { hard: { pods: "1" }, scopes: ["Terminating", "NotTerminating"] } },
      { spec: { hard: { services: "1" }, scopes: ["BestEffort", "X"] } },
      {
        spec: {
          hard: { pods: "1" },
          scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "X" }] },
        },
      },
    );
  });

  check("a quota's status is written by itself", async ({ send, quietly, namespace }) => {
    const path = quotas.replace("NAMESPACE", namespace);
    await quietly("POST", path, { body: { metadata: { name: "q" }, spec: { hard: { configmaps: "100" } } } });
    const status = { hard: { configmaps: "100" }, used: { configmaps: "1" } };
    await send("PATCH", `${path}/q/status`, { body: { status, spec: { hard: { pods: "1" } } }, omit });
    await send("PATCH", `${path}/q`, { body: { spec: { scopes: ["BestEffort"] } } });
  });

  check("a priority class has a value that stays", async ({ send, quietly, cleanup, namespace }) => {
    const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    for (const rest of [{}, { value: 1_000_000_001 }, { value: 5, preemptionPolicy: "X" }, { value: 5 }]) {
      await send("POST", path, { body: { metadata: { name: namespace }, ...rest }, query, omit });
    }
    await send("POST", path, { body: { metadata: { name: "system-mine" }, value: 5 } });
    await quietly("POST", path, { body: { metadata: { name: namespace }, value: 5 } });
    cleanup(() => quietly("DELETE", `${path}/${namespace}`));
    await send("PATCH", `${path}/${namespace}`, { body: { value: 6 } });
    await send("PATCH", `${path}/${namespace}`, { body: { preemptionPolicy: "Never" } });
  });

  check("the priority classes of the system are there", async ({ send }) => {
    const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    for (const name of ["system-cluster-critical", "system-node-critical"]) {
      await send("GET", `${path}/${name}`, {
        only: ["metadata.name", "metadata.generation", "preemptionPolicy", "value"],
      });
    }
  });
});
