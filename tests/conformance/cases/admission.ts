import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";
import { container, pod } from "../pod.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };

type Fields = Readonly<Record<string, unknown>>;

function pods(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

/** A LimitRange that the server knows: it is when it refuses a claim that is too large. */
async function limited({ quietly, sleep, namespace }: Conversation, ...limits: readonly Fields[]): Promise<void> {
  const marker = { type: "PersistentVolumeClaim", max: { storage: "1Ti" } };
  const body = { metadata: { name: "l" }, spec: { limits: [...limits, marker] } };
  await quietly("POST", `/api/v1/namespaces/${namespace}/limitranges`, { body });
  const resources = { requests: { storage: "2Ti" } };
  const claim = { metadata: { name: "probe" }, spec: { accessModes: ["ReadWriteOnce"], resources } };
  for (let tries = 0; tries < 200; tries += 1) {
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const { status } = await quietly("POST", path, { body: claim, query });
    if (status === 403) return;
    await sleep("50ms");
  }
}

export const area: Area = defineArea("admission", (check) => {
  check("nothing is created in a namespace that is not there", async ({ send, crd, namespace }) => {
    const widgets = await crd();
    const missing = `${namespace}-missing`;
    await send("POST", configMaps(missing), { body: configMap("a") });
    await send("POST", configMaps(missing), { body: { metadata: { generateName: "a-" } } });
    await send("POST", widgets.path.replace(namespace, missing).replace(`${missing}.`, `${namespace}.`), {
      body: widgets.object("a"),
    });
    await send("PATCH", `${configMaps(missing)}/a`, { body: { data: { a: "1" } } });
    await send("DELETE", `${configMaps(missing)}/a`);
  });

  check("nothing is created in a namespace that is going", async ({ send, quietly, cleanup, namespace }) => {
    const going = `${namespace}-going`;
    await quietly("POST", "/api/v1/namespaces", { body: { metadata: { name: going } } });
    await quietly("POST", configMaps(going), { body: configMap("a", { finalizers: ["example.com/stay"] }) });
    cleanup(() => quietly("PATCH", `${configMaps(going)}/a`, { body: { metadata: { finalizers: null } } }));
    await quietly("DELETE", `/api/v1/namespaces/${going}`);
    await send("POST", configMaps(going), { body: configMap("b") });
    await send("POST", configMaps(going), { body: { metadata: { generateName: "b-" } } });
    const body = { spec: { resourceAttributes: { namespace: going, verb: "get", resource: "pods" } } };
    const path = `/apis/authorization.k8s.io/v1/namespaces/${going}/localsubjectaccessreviews`;
    await send("POST", path, { body: { ...body, spec: { ...body.spec, user: "u" } }, only: ["kind"] });
  });

  check("some namespaces stay", async ({ send }) => {
    for (const name of ["default", "kube-public", "kube-system"]) await send("DELETE", `/api/v1/namespaces/${name}`);
  });

  check("a pod without a class has priority 0", async ({ send, namespace }) => {
    const only = ["spec.priority", "spec.priorityClassName", "spec.preemptionPolicy", "message", "code"];
    for (const spec of [
      {},
      { priority: 0 },
      { priority: 5 },
      { preemptionPolicy: "Never" },
      { priorityClassName: "nope" },
      { priorityClassName: "system-node-critical" },
      { priorityClassName: "system-node-critical", priority: 3 },
    ]) {
      await send("POST", pods(namespace), { body: pod("p", { containers: [container()], ...spec }), query, only });
    }
  });

  check("a pod has the priority of its class", async ({ send, quietly, cleanup, sleep, namespace }) => {
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    const body = { metadata: { name: namespace }, value: 7, preemptionPolicy: "Never" };
    await quietly("POST", classes, { body });
    cleanup(() => quietly("DELETE", `${classes}/${namespace}`));
    await sleep("1s");
    const only = ["spec.priority", "spec.priorityClassName", "spec.preemptionPolicy"];
    const spec = { containers: [container()], priorityClassName: namespace };
    await send("POST", pods(namespace), { body: pod("p", spec), only });
    await send("PUT", `${pods(namespace)}/p`, { body: pod("p", spec), only });
  });

  check("a pod tolerates for a while that its node is not well", async ({ send, namespace }) => {
    for (const tolerations of [
      [],
      [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }],
      [{ key: "node.kubernetes.io/unreachable", operator: "Exists" }],
      [{ key: "other", operator: "Exists" }],
    ]) {
      const body = pod("p", { containers: [container()], tolerations });
      await send("POST", pods(namespace), { body, query, only: ["spec.tolerations"] });
    }
  });

  check("containers have the defaults of their namespace", async (conversation) => {
    const { send, namespace } = conversation;
    await limited(conversation, {
      type: "Container",
      default: { cpu: "500m", memory: "1Gi" },
      defaultRequest: { cpu: "100m" },
    });
    const only = ["metadata.annotations", "spec.containers.*.resources", "spec.initContainers.*.resources"];
    for (const spec of [
      { containers: [container(), container({ name: "d", resources: { requests: { cpu: "200m" } } })] },
      { containers: [container({ resources: { limits: { cpu: "1", memory: "2Gi" } } })] },
      { containers: [container()], initContainers: [container({ name: "i" })] },
    ]) {
      await send("POST", pods(namespace), { body: pod("p", spec), query, only });
    }
  });

  check("containers keep to the bounds of their namespace", async (conversation) => {
    const { send, namespace } = conversation;
    await limited(
      conversation,
      { type: "Container", min: { cpu: "100m" }, max: { cpu: "1" }, maxLimitRequestRatio: { cpu: "2" } },
      { type: "Pod", max: { memory: "1Gi" } },
    );
    const small = { cpu: "200m", memory: "600Mi" };
    for (const resources of [
      {},
      { limits: { cpu: "50m", memory: "1Gi" } },
      { limits: { cpu: "1500m", memory: "1Gi" } },
      { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "300m" } },
      { limits: { cpu: "1", memory: "2Gi" } },
      { limits: { cpu: "1", memory: "1Gi" } },
    ]) {
      const body = pod("p", { containers: [container({ resources })] });
      await send("POST", pods(namespace), { body, query, only: ["message", "kind", "code"] });
    }
    const two = ["c", "d"].map((name) => container({ name, resources: { limits: small } }));
    await send("POST", pods(namespace), { body: pod("p", { containers: two }), query, only: ["message", "kind"] });
    const [one] = two;
    const both = pod("p", {
      containers: [one],
      initContainers: [container({ name: "i", resources: { limits: small } })],
    });
    await send("POST", pods(namespace), { body: both, query, only: ["message", "kind"] });
  });

  check("claims keep to the bounds of their namespace", async (conversation) => {
    const { send, namespace } = conversation;
    await limited(conversation, { type: "PersistentVolumeClaim", min: { storage: "1Gi" } });
    for (const storage of ["500Mi", "2Ti", "1Gi"]) {
      const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
      const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
      await send("POST", path, { body: { metadata: { name: "c" }, spec }, query, only: ["message", "kind"] });
    }
  });

  check("claims and volumes are protected", async ({ send, quietly, cleanup, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await send("POST", path, { body: { metadata: { name: "c", finalizers: ["a/b"] }, spec }, omit });
    cleanup(() => quietly("PATCH", `${path}/c`, { body: { metadata: { finalizers: null } } }));
    await send("DELETE", `${path}/c`, { omit });
  });
});
