import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };
const networking = "/apis/networking.k8s.io/v1";

type Fields = Readonly<Record<string, unknown>>;

async function tries({ send, namespace }: Conversation, path: string, ...specs: readonly Fields[]): Promise<void> {
  for (const spec of specs) {
    const where = path.replace("NAMESPACE", namespace);
    await send("POST", where, { body: { metadata: { name: "x" }, spec }, query, omit });
  }
}

const ingresses = `${networking}/namespaces/NAMESPACE/ingresses`;
const policies = `${networking}/namespaces/NAMESPACE/networkpolicies`;
const budgets = "/apis/policy/v1/namespaces/NAMESPACE/poddisruptionbudgets";
const autoscalers = "/apis/autoscaling/v2/namespaces/NAMESPACE/horizontalpodautoscalers";
const backend = { service: { name: "s", port: { number: 80 } } };
const path = { path: "/", pathType: "Prefix", backend };

export const area: Area = defineArea("network-and-policy", (check) => {
  check("an ingress has rules or a backend", async (conversation) => {
    await tries(conversation, ingresses, {}, { defaultBackend: backend }, { rules: [{ http: { paths: [path] } }] });
  });

  check("hosts of an ingress are names", async (conversation) => {
    const hosts = ["1.2.3.4", "A.b", "*.a.b", "a.*.b", "a_b"];
    await tries(conversation, ingresses, ...hosts.map((host) => ({ rules: [{ host, http: { paths: [path] } }] })));
    await tries(conversation, ingresses, { defaultBackend: backend, tls: [{ hosts: ["*.a.b", "A"] }] });
  });

  check("paths of an ingress are whole", async (conversation) => {
    await tries(
      conversation,
      ingresses,
      { rules: [{ http: {} }] },
      { rules: [{ http: { paths: [{ backend }] } }] },
      {
        rules: [
          {
            http: {
              paths: [
                { ...path, path: "a//b/../c" },
                { ...path, pathType: "X" },
              ],
            },
          },
        ],
      },
      { rules: [{ http: { paths: [{ ...path, path: "/a//b/../c%2f" }] } }] },
      { rules: [{ http: { paths: [{ ...path, path: "x", pathType: "ImplementationSpecific" }] } }] },
    );
  });

  check("backends of an ingress are a service or a resource", async (conversation) => {
    const resource = { kind: "K", name: "n" };
    await tries(
      conversation,
      ingresses,
      { defaultBackend: {} },
      { defaultBackend: { resource, ...backend } },
      { defaultBackend: { service: { name: "A" } } },
      { defaultBackend: { service: { name: "s", port: { number: 80, name: "http" } } } },
      { defaultBackend: { service: { name: "s", port: { name: "A_" } } } },
      { defaultBackend: { resource: { apiGroup: "A b", kind: "", name: "" } } },
      { defaultBackend: { resource } },
    );
  });

  check("a class of ingresses has a controller that stays", async ({ send, quietly, cleanup, namespace }) => {
    const where = `${networking}/ingressclasses`;
    for (const spec of [
      {},
      { controller: "x" },
      { controller: "example.com/c", parameters: { kind: "", name: "", scope: "X" } },
      { controller: "example.com/c", parameters: { kind: "K", name: "n", scope: "Namespace" } },
      { controller: "example.com/c", parameters: { kind: "K", name: "n" } },
    ]) {
      await send("POST", where, { body: { metadata: { name: namespace }, spec }, query, omit });
    }
    await quietly("POST", where, { body: { metadata: { name: namespace }, spec: { controller: "example.com/c" } } });
    cleanup(() => quietly("DELETE", `${where}/${namespace}`));
    await send("PATCH", `${where}/${namespace}`, { body: { spec: { controller: "example.com/d" } } });
  });

  check("a network policy has defaults", async (conversation) => {
    await tries(
      conversation,
      policies,
      { podSelector: {} },
      { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }], egress: [{ to: [{ podSelector: {} }] }] },
    );
  });

  check("a network policy is warned of ranges in a form that is not the usual one", async (conversation) => {
    const ipBlock = { cidr: "1.2.3.4/8", except: ["01.2.0.0/16", "1.2.3.0/24"] };
    const to = [{ ipBlock: { cidr: "2001:DB8::/32" } }, { podSelector: {} }];
    await tries(conversation, policies, { egress: [{ to: [{ ipBlock: { cidr: "fe80::1%eth0/64" } }] }] });
    await tries(conversation, policies, { ingress: [{ from: [{ ipBlock }] }], egress: [{}, { to }] });
  });

  check("an exception of a network policy is part of its range in every form", async (conversation) => {
    const within = (cidr: string, ...except: readonly string[]): Fields => ({
      ingress: [{ from: [{ ipBlock: { cidr, except } }] }],
    });
    await tries(
      conversation,
      policies,
      within("::ffff:1.2.0.0/112", "1.2.3.0/24", "::ffff:1.2.3.0/120", "::ffff:1.2.0.0/112", "::ffff:1.3.0.0/120"),
      within("1.2.0.0/16", "::ffff:1.2.3.0/120", "::ffff:1.3.0.0/120", "1.2.3.0/24", "2001:db8::/32"),
      within("::/0", "::ffff:1.2.3.0/120", "1.2.3.0/24", "2001:DB8::/32", "::/0"),
    );
  });

  check("ports and peers of a network policy are checked", async (conversation) => {
    await tries(
      conversation,
      policies,
      { podSelector: { matchLabels: { "a b": "c" } }, policyTypes: ["X", "Egress", "Ingress"] },
      { podSelector: {}, ingress: [{ ports: [{ port: 0, protocol: "X" }, { port: "A_" }, { endPort: 5 }] }] },
      { podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 5 }] }] },
      { podSelector: {}, ingress: [{ from: [{}, { ipBlock: {} }, { ipBlock: { cidr: "x" } }] }] },
      { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/8"] } }] }] },
      { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" }, podSelector: {} }] }] },
    );
  });

  check("a disruption budget has one bound", async (conversation) => {
    await tries(
      conversation,
      budgets,
      { minAvailable: 1 },
      { minAvailable: 1, maxUnavailable: 1 },
      { minAvailable: -1 },
      { maxUnavailable: "101%" },
      { maxUnavailable: "x" },
      { minAvailable: "50%", unhealthyPodEvictionPolicy: "X", selector: { matchLabels: { "a b": "c" } } },
    );
  });

  check("a disruption budget's status is written by itself", async ({ send, quietly, namespace }) => {
    const where = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    await quietly("POST", where, { body: { metadata: { name: "x" }, spec: { maxUnavailable: 1 } } });
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 1,
      desiredHealthy: 0,
      expectedPods: 1,
    };
    await send("PATCH", `${where}/x/status`, { body: { status, spec: { maxUnavailable: 3 } }, omit });
    await send("PATCH", `${where}/x/status`, { body: { status: { currentHealthy: -1 } } });
    await send("PATCH", `${where}/x`, { body: { spec: { maxUnavailable: 2 }, status: { expectedPods: 9 } }, omit });
  });

  check("an autoscaler has defaults", async (conversation) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    await tries(
      conversation,
      autoscalers,
      { scaleTargetRef, maxReplicas: 3 },
      { scaleTargetRef, maxReplicas: 3, behavior: { scaleUp: { stabilizationWindowSeconds: 3 }, scaleDown: {} } },
    );
  });

  check("an autoscaler scales something between bounds", async (conversation) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    await tries(
      conversation,
      autoscalers,
      {},
      { scaleTargetRef: { kind: "a/b", name: "%" }, maxReplicas: 1 },
      { scaleTargetRef: { kind: "ReplicationController", name: "r" }, maxReplicas: 1 },
      { scaleTargetRef: { apiVersion: "a/b/c", kind: "ReplicationController", name: "r" }, maxReplicas: 1 },
      { scaleTargetRef, minReplicas: 0, maxReplicas: 0 },
      { scaleTargetRef, minReplicas: 5, maxReplicas: 3 },
    );
  });

  check("metrics of an autoscaler are whole", async (conversation) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    const target = { type: "Utilization", averageUtilization: 50 };
    const metrics = [
      { type: "X" },
      { type: "Resource" },
      { type: "Resource", resource: { name: "", target: { type: "X" } } },
      { type: "Resource", resource: { name: "cpu", target: { ...target, averageUtilization: 0 } } },
      { type: "Resource", resource: { name: "cpu", target: { ...target, averageValue: "1" } } },
      { type: "Resource", resource: { name: "cpu", target }, pods: { metric: { name: "m" }, target } },
      { type: "External", external: { metric: { name: "" }, target: { type: "Value", value: "0" } } },
    ];
    for (const metric of metrics) {
      await tries(conversation, autoscalers, { scaleTargetRef, maxReplicas: 3, metrics: [metric] });
    }
  });

  check("behavior of an autoscaler is bounded", async (conversation) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    const policy = { type: "Pods", value: 1, periodSeconds: 1 };
    for (const scaleUp of [
      { stabilizationWindowSeconds: 3601 },
      { selectPolicy: "X" },
      {
        policies: [
          { ...policy, type: "X" },
          { ...policy, value: 0 },
          { ...policy, periodSeconds: 1801 },
        ],
      },
    ]) {
      await tries(conversation, autoscalers, { scaleTargetRef, maxReplicas: 3, behavior: { scaleUp } });
    }
  });
});
