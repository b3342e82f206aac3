import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import { container, pod, podSpec } from "../pod.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };

type Fields = Readonly<Record<string, unknown>>;

async function tries({ send, namespace }: Conversation, ...specs: readonly Fields[]): Promise<void> {
  for (const spec of specs) {
    await send("POST", `/api/v1/namespaces/${namespace}/pods`, { body: pod("p", spec), query, omit });
  }
}

function withContainer(...fields: readonly Fields[]): Fields {
  return { containers: fields.map((one, index) => container({ name: `c${index}`, ...one })) };
}

export const area: Area = defineArea("pod", (check) => {
  check("a pod has defaults, and what admission gives it", async (conversation) => {
    await tries(conversation, podSpec(), podSpec({ hostNetwork: true }));
  });

  check("a pod needs containers", async (conversation) => {
    await tries(conversation, {}, { containers: [] }, { containers: [{}] });
  });

  check("containers have names of their own and an image", async (conversation) => {
    await tries(
      conversation,
      { containers: [container({ name: "A_b" }), container({ image: "" }), container({ image: " nginx " })] },
      { containers: [container(), container()], initContainers: [container()] },
    );
  });

  check("ports of containers are numbers with names of their own", async (conversation) => {
    const ports = [
      { containerPort: 0, name: "A" },
      { containerPort: 70_000, protocol: "X", name: "a" },
      { containerPort: 1, name: "a", hostPort: 80 },
      { containerPort: 2, hostPort: 80 },
    ];
    await tries(conversation, withContainer({ ports }));
  });

  check("ports that are the same are warned of", async (conversation) => {
    const ports = [{ containerPort: 80 }, { containerPort: 80 }];
    const env = [
      { name: "a", value: "1" },
      { name: "a", value: "2" },
    ];
    await tries(conversation, withContainer({ ports, env }));
  });

  check("a pod on the host's network has its ports", async (conversation) => {
    await tries(conversation, {
      hostNetwork: true,
      ...withContainer({ ports: [{ containerPort: 80, hostPort: 81 }] }),
    });
  });

  check("environment comes from one place", async (conversation) => {
    const env = [
      { name: "a=b" },
      { name: "" },
      { name: "a", value: "x", valueFrom: { fieldRef: { fieldPath: "status.foo" } } },
      { name: "b", valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } },
      { name: "c", valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
      { name: "d", valueFrom: {} },
      { name: "e", valueFrom: { resourceFieldRef: { resource: "limits.foo", divisor: "3" } } },
      { name: "f", valueFrom: { secretKeyRef: { name: "", key: "" } } },
      { name: "g", valueFrom: { configMapKeyRef: { name: "A", key: "a b" } } },
    ];
    await tries(conversation, withContainer({ env, envFrom: [{}, { configMapRef: { name: "" } }, { prefix: "=" }] }));
  });

  check("resources are amounts, requested below their limits", async (conversation) => {
    for (const resources of [
      { limits: { foo: "1" } },
      { limits: { "a.b/c": "1500m" } },
      { limits: { cpu: "1" }, requests: { cpu: "2" } },
      { requests: { memory: "-1" } },
      { requests: { "x.y/z": "1" } },
      { requests: { "hugepages-2Mi": "2Mi" } },
      { limits: { cpu: "1500m", memory: "1024Mi" } },
    ]) {
      await tries(conversation, withContainer({ resources }));
    }
  });

  check("a request is the limit where there is none", async (conversation) => {
    await tries(conversation, withContainer({ resources: { limits: { cpu: "1", memory: "1Gi" } } }));
  });

  check("volumes have one source and a name of their own", async (conversation) => {
    const volumes = [
      { name: "A" },
      { name: "a", hostPath: { path: "/a/../b" } },
      { name: "a", emptyDir: {}, secret: { secretName: "s" } },
      { name: "b", secret: {} },
      { name: "c", configMap: {} },
      { name: "d", persistentVolumeClaim: { claimName: "" } },
      { name: "e", projected: { sources: [{}, { secret: { name: "s", items: [{ key: "", path: "../x" }] } }] } },
    ];
    await tries(conversation, podSpec({ volumes }));
  });

  check("a volume without a source is an emptyDir", async (conversation) => {
    await tries(conversation, podSpec({ volumes: [{ name: "a" }, { name: "b", configMap: { name: "c" } }] }));
  });

  check("mounts name a volume, and paths of their own", async (conversation) => {
    const volumeMounts = [
      { name: "zz", mountPath: "" },
      { name: "v", mountPath: "/a", subPath: "/x" },
      { name: "v", mountPath: "/a" },
      { name: "v", mountPath: "/b", subPath: "../y" },
    ];
    await tries(conversation, { volumes: [{ name: "v", emptyDir: {} }], ...withContainer({ volumeMounts }) });
  });

  check("probes have one way to ask", async (conversation) => {
    await tries(
      conversation,
      withContainer({
        livenessProbe: { successThreshold: 2, httpGet: { port: 0 } },
        readinessProbe: { exec: {}, tcpSocket: { port: "x_" } },
        startupProbe: {},
        lifecycle: { preStop: { sleep: { seconds: 50 } } },
      }),
      withContainer({
        livenessProbe: { httpGet: { path: "/", port: "http" } },
        readinessProbe: { grpc: { port: 80 } },
      }),
    );
  });

  check("an init container is not probed", async (conversation) => {
    const initContainers = [container({ name: "i", livenessProbe: { exec: { command: ["a"] } } })];
    await tries(conversation, podSpec({ initContainers }));
    const sidecar = container({ name: "i", restartPolicy: "Always", readinessProbe: { exec: { command: ["a"] } } });
    await tries(conversation, podSpec({ initContainers: [sidecar] }));
  });

  check("policies are of a closed set", async (conversation) => {
    const odd = { imagePullPolicy: "X", terminationMessagePolicy: "Y", restartPolicy: "Z" };
    await tries(conversation, { ...withContainer(odd), restartPolicy: "X", dnsPolicy: "Y" });
    await tries(conversation, podSpec({ dnsPolicy: "None" }));
  });

  check("names in a pod are DNS names", async (conversation) => {
    await tries(
      conversation,
      podSpec({
        hostname: "A.b",
        subdomain: "x_",
        nodeName: "N",
        serviceAccountName: "A",
        nodeSelector: { "a b": "c d" },
        hostAliases: [{ ip: "x", hostnames: ["A"] }],
        imagePullSecrets: [{}],
        readinessGates: [{ conditionType: "a b" }],
        activeDeadlineSeconds: 0,
      }),
    );
  });

  check("tolerations tolerate something", async (conversation) => {
    const tolerations = [
      { value: "x" },
      { key: "a", operator: "Exists", value: "v" },
      { key: "a", effect: "X" },
      { key: "a", effect: "NoSchedule", tolerationSeconds: 3 },
      { key: "a b", operator: "Equal", value: "c d" },
    ];
    await tries(conversation, podSpec({ tolerations }));
    await tries(conversation, podSpec({ tolerations: [{ operator: "Exists" }] }));
  });

  check("affinity is checked", async (conversation) => {
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "a b", operator: "X" },
              { key: "a", operator: "Gt", values: ["x"] },
            ],
            matchFields: [{ key: "q", operator: "Exists" }],
          },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
    };
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "" }] };
    const topologySpreadConstraints = [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "X" }];
    await tries(conversation, podSpec({ affinity: { nodeAffinity, podAffinity }, topologySpreadConstraints }));
  });

  check("security contexts are checked", async (conversation) => {
    await tries(
      conversation,
      withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      withContainer({ securityContext: { runAsUser: -1, seccompProfile: { type: "X", localhostProfile: "../x" } } }),
    );
  });

  check("ephemeral containers come later", async (conversation) => {
    await tries(conversation, podSpec({ ephemeralContainers: [container({ name: "e" })] }));
  });

  check("a pod's spec stays but for a few fields", async ({ send, quietly, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await quietly("POST", path, { body: pod("p") });
    const onlyFirstLine = (body: { readonly message?: string; readonly reason?: string }): unknown => ({
      reason: body.reason,
      message: body.message?.split("\n", 1)[0],
    });
    await send("PATCH", `${path}/p`, { body: { spec: { hostname: "x" } }, view: onlyFirstLine });
    await send("PATCH", `${path}/p`, { body: { spec: { containers: [] } } });
    await send("PATCH", `${path}/p`, { body: { spec: { tolerations: [] } }, view: onlyFirstLine });
    const strategic = "application/strategic-merge-patch+json";
    for (const spec of [
      { containers: [{ name: "c", image: "other" }] },
      { tolerations: [{ key: "x", operator: "Exists" }] },
      { activeDeadlineSeconds: 5 },
      { terminationGracePeriodSeconds: 5 },
    ]) {
      const view = ({ message, spec: after }: { readonly message?: string; readonly spec?: unknown }): unknown =>
        message?.split("\n", 1)[0] ?? after;
      await send("PATCH", `${path}/p`, { body: { spec }, contentType: strategic, view });
    }
  });

  check("a pod's status is written by itself", async ({ send, quietly, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await quietly("POST", path, { body: { ...pod("p"), status: { phase: "Running" } } });
    const status = { phase: "Running", podIP: "10.1.2.3", conditions: [{ type: "Ready", status: "True" }] };
    await send("PATCH", `${path}/p/status`, { body: { status, spec: { hostname: "x" } }, omit });
    await send("PATCH", `${path}/p`, { body: { status: { phase: "Failed" } }, omit });
    await send("PATCH", `${path}/p/status`, { body: { status: { podIPs: [{ ip: "x" }] } } });
  });
});
