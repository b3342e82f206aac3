import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";

/** Addresses and ports come from a pool, by chance. */
const omit = ["metadata.managedFields"];
const drawn = [...omit, "spec.clusterIP", "spec.clusterIPs", "spec.ports.*.nodePort", "spec.healthCheckNodePort"];
const query = { dryRun: "All" };
const ports = [{ port: 80 }];

type Fields = Readonly<Record<string, unknown>>;

function services(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/services`;
}

async function tries({ send, namespace }: Conversation, ...specs: readonly Fields[]): Promise<void> {
  for (const spec of specs)
    await send("POST", services(namespace), { body: { metadata: { name: "s" }, spec }, query, omit });
}

export const area: Area = defineArea("service", (check) => {
  check("a service has defaults", async (conversation) => {
    await tries(
      conversation,
      { ports },
      { ports, type: "NodePort" },
      { ports: [{ port: 80, targetPort: "http", name: "x", appProtocol: "a.b/c" }], type: "LoadBalancer" },
      { type: "ExternalName", externalName: "a.b" },
      { clusterIP: "None", selector: { a: "b" }, ports },
      { clusterIP: "None" },
    );
  });

  check("a service has ports", async (conversation) => {
    await tries(conversation, {}, { ports: [] });
  });

  check("ports are numbers with names of their own", async (conversation) => {
    await tries(
      conversation,
      { ports: [{ port: 0 }, { port: 80, protocol: "X", name: "A", targetPort: "x_", appProtocol: "a b" }] },
      {
        ports: [
          { port: 80, name: "a" },
          { port: 80, name: "a" },
        ],
      },
      { ports: [{ port: 80 }, { port: 81 }] },
    );
  });

  check("addresses are of the cluster", async (conversation) => {
    const { send, namespace } = conversation;
    for (const clusterIP of ["1.2.3.4", "x", "::1"]) {
      await send("POST", services(namespace), { body: { metadata: { name: "s" }, spec: { clusterIP, ports } } });
    }
    await tries(conversation, { clusterIP: "10.0.0.200", clusterIPs: ["10.0.0.201"], ports });
  });

  check("this cluster has one family of addresses", async (conversation) => {
    await tries(
      conversation,
      { ipFamilies: ["IPv6"], ports },
      { ipFamilyPolicy: "RequireDualStack", ports },
      { ipFamilyPolicy: "PreferDualStack", ports },
      { ipFamilyPolicy: "X", ipFamilies: ["X"], ports },
    );
  });

  check("node ports are in their range", async ({ send, namespace }) => {
    for (const nodePort of [80, 40_000]) {
      const spec = { type: "NodePort", ports: [{ port: 80, nodePort }] };
      await send("POST", services(namespace), { body: { metadata: { name: "s" }, spec } });
    }
  });

  check("types are of a closed set", async (conversation) => {
    await tries(
      conversation,
      { type: "X", ports },
      { type: "ExternalName" },
      { type: "ExternalName", externalName: "A_b", clusterIP: "10.0.0.8" },
      { clusterIP: "None", type: "LoadBalancer", ports },
    );
  });

  check("affinity lasts a while", async (conversation) => {
    await tries(
      conversation,
      { sessionAffinity: "ClientIP", ports },
      { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } }, ports },
      { sessionAffinity: "None", sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } }, ports },
      { sessionAffinity: "X", ports },
    );
  });

  check("fields of load balancers are theirs", async (conversation) => {
    await tries(
      conversation,
      {
        type: "LoadBalancer",
        externalTrafficPolicy: "Local",
        loadBalancerSourceRanges: ["1.2.3.4/24", "x"],
        loadBalancerClass: "a b",
        ports,
      },
      { loadBalancerClass: "x", ports },
      { externalTrafficPolicy: "Local", allocateLoadBalancerNodePorts: true, healthCheckNodePort: 30_000, ports },
    );
  });

  check("external addresses, policies and selectors are checked", async (conversation) => {
    await tries(
      conversation,
      { externalIPs: ["127.0.0.1", "x"], ports },
      { internalTrafficPolicy: "X", trafficDistribution: "Y", ports },
      { selector: { "a b": "c d" }, ports },
    );
  });

  check("an address stays, and comes back", async ({ send, quietly, namespace }) => {
    const path = services(namespace);
    await quietly("POST", path, { body: { metadata: { name: "s" }, spec: { ports } } });
    await send("PUT", `${path}/s`, { body: { metadata: { name: "s" }, spec: { ports: [{ port: 81 }] } }, omit: drawn });
    await send("PATCH", `${path}/s`, { body: { spec: { clusterIP: "None" } }, view: ({ reason }) => reason });
    await send("PATCH", `${path}/s`, {
      body: { spec: { type: "ExternalName", externalName: "a.b", clusterIP: null, clusterIPs: null } },
      omit,
    });
    await send("PATCH", `${path}/s`, { body: { spec: { type: "ClusterIP", externalName: null } }, omit: drawn });
  });

  check("a node port stays while it is wanted", async ({ send, quietly, namespace }) => {
    const path = services(namespace);
    const body = { metadata: { name: "s" }, spec: { type: "NodePort", ports } };
    const { body: made } = await quietly("POST", path, { body });
    const [{ nodePort }] = made.spec.ports;
    const same = (service: { readonly spec: { readonly ports: readonly { readonly nodePort?: number }[] } }): unknown =>
      service.spec.ports.map((port) => (port.nodePort === nodePort ? "the same" : typeof port.nodePort));
    await send("PUT", `${path}/s`, { body, view: same });
    const two = [
      { port: 80, name: "a" },
      { port: 81, name: "b" },
    ];
    await send("PATCH", `${path}/s`, { body: { spec: { ports: two } }, view: same });
    await send("PATCH", `${path}/s`, { body: { spec: { type: "ClusterIP" } }, view: same });
  });

  check(
    "a name outside the cluster keeps its traffic policy in store, and shows it when it is held",
    async (conversation) => {
      const { send, quietly, namespace } = conversation;
      const path = services(namespace);
      const toName = { type: "ExternalName", externalName: "a.b" };
      for (const name of ["a", "b"]) {
        const metadata = { name, finalizers: ["example.com/hold"] };
        await quietly("POST", path, { body: { metadata, spec: { clusterIP: "None", selector: { a: "b" } } } });
      }
      const { body } = await quietly("GET", `${path}/a`);
      await send("PUT", `${path}/a`, { body: { ...body, spec: { ...body.spec, ...toName } } });
      await send("PATCH", `${path}/b`, { body: { spec: toName } });
      await send("PATCH", `${path}/b`, { body: { metadata: { labels: { a: "b" } } } });
      await send("PATCH", `${path}/b`, { body: {} });
      await send("GET", path);
      await send("GET", `${path}/b/status`);
      await send("PATCH", `${path}/b/status`, { body: { metadata: { labels: { c: "d" } } } });
      await send("PATCH", `${path}/b/status`, { body: {} });
      await send("GET", `${path}/b`);
      await send("DELETE", `${path}/a`, { query });
      await send("DELETE", `${path}/a`);
      await send("DELETE", `${path}/a`);
      await send("DELETE", path);
      await send("GET", path);
      for (const name of ["a", "b"])
        await send("PATCH", `${path}/${name}`, { body: { metadata: { finalizers: null } } });
    },
  );

  check("a name outside the cluster takes a traffic policy and shows none", async ({ send, namespace }) => {
    const spec = { type: "ExternalName", externalName: "a.b", internalTrafficPolicy: "Local" };
    await send("POST", services(namespace), { body: { metadata: { name: "a" }, spec } });
    await send("PATCH", `${services(namespace)}/a`, { body: { spec: { type: "ClusterIP", clusterIP: "None" } } });
    await send("DELETE", `${services(namespace)}/a`);
  });

  check("a service is warned of what is ignored or old", async (conversation) => {
    await tries(
      conversation,
      { type: "ExternalName", externalName: "a.b", externalIPs: ["1.2.3.4"] },
      { ports, externalName: "a.b" },
      { clusterIP: "None", loadBalancerIP: "1.2.3.4", externalIPs: ["1.2.3.4"], sessionAffinity: "ClientIP" },
      { ports, trafficDistribution: "PreferClose" },
    );
    await tries(conversation, { ports, externalIPs: ["1.2.3.04", "2001:DB8:0:0::1", "::ffff:1.2.3.4", "2001:db8::1"] });
    const balanced = { type: "LoadBalancer", ports };
    const ranges = [
      "1.2.3.4/8",
      " 01.2.3.0/24 ",
      "2001:DB8::/32",
      "2001:db8::1/64",
      "::ffff:1.2.0.0/112",
      "::ffff:1.2.3.4/112",
      "1.2.3.0/24",
    ];
    for (const rest of [
      { loadBalancerIP: "01.2.3.4" },
      { loadBalancerSourceRanges: ranges },
      { loadBalancerSourceRanges: ["1.2.3.0/024", "01.2.3.4/16"] },
    ])
      await conversation.send("POST", services(conversation.namespace), {
        body: { metadata: { name: "s" }, spec: { ...balanced, ...rest } },
        query,
        omit: drawn,
      });
    const annotations = { "service.kubernetes.io/topology-aware-hints": "Auto" };
    await conversation.send("POST", services(conversation.namespace), {
      body: { metadata: { name: "s", annotations }, spec: { clusterIP: "None" } },
      query,
      omit,
    });
  });

  check("a service has its made name before it gets an address", async ({ send, namespace }) => {
    for (const clusterIP of ["x", "1.2.3.4"]) {
      const body = { metadata: { generateName: "made-" }, spec: { clusterIP, ports } };
      await send("POST", services(namespace), {
        body,
        view: ({ message }) => message.replace(/made-[a-z0-9]{5}/, "made-<suffix>"),
      });
    }
  });

  check("a PUT creates no service, but for what allows it", async ({ send, namespace }) => {
    const body = { metadata: { name: "s" }, spec: { ports } };
    await send("PUT", `${services(namespace)}/s`, { body, omit: drawn });
  });

  check("endpoints have addresses of hosts", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/endpoints`;
    for (const subsets of [
      [{}],
      [{ addresses: [{ ip: "127.0.0.1" }, { ip: "x" }], ports: [{ port: 0, protocol: "X", name: "A_" }] }],
      [{ addresses: [{ ip: "1.2.3.4", hostname: "A" }], ports: [{ port: 80 }, { port: 81 }] }],
      [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }],
    ]) {
      await send("POST", path, { body: { metadata: { name: "s" }, subsets }, query, omit });
    }
  });

  check("addresses of hosts are known in every form", async ({ send, namespace }) => {
    const addresses = ["0:0::1", "FE80::1", "::ffff:127.0.0.1", "::ffff:169.254.1.1", "0::", "FF12::1", "1::2"];
    await send("POST", services(namespace), {
      body: { metadata: { name: "s" }, spec: { externalIPs: addresses, ports } },
      query,
      omit: drawn,
    });
    for (const range of ["::ffff:1.2.3.4/64", "::ffff:1.2.3.4/104"])
      await send("POST", services(namespace), {
        body: { metadata: { name: "s" }, spec: { type: "LoadBalancer", loadBalancerSourceRanges: [range], ports } },
        query,
        omit: drawn,
      });
  });

  check("slices of endpoints have addresses of one type", async ({ send, quietly, namespace }) => {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
    for (const rest of [
      {},
      { addressType: "X", endpoints: [{ addresses: [] }] },
      { addressType: "IPv4", endpoints: [{ addresses: ["::1", "x"] }], ports: [{ port: 0, name: "A_" }] },
      { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }], ports: [{ name: "a" }, { name: "a" }] },
      { addressType: "FQDN", endpoints: [{ addresses: ["A_b"] }] },
      { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }], ports: [{ port: 80 }] },
    ]) {
      await send("POST", path, { body: { metadata: { name: "s" }, ...rest }, query, omit });
    }
    await quietly("POST", path, { body: { metadata: { name: "s" }, addressType: "IPv4", endpoints: [] } });
    await send("PATCH", `${path}/s`, { body: { addressType: "IPv6" } });
  });

  check("an address is given to a name before the name is looked at", async ({ send, namespace }) => {
    // Which address it is, is chance.
    const view = (body: unknown): unknown => JSON.parse(JSON.stringify(body).replaceAll(/10\.0\.0\.\d+/g, "<address>"));
    const path = `/api/v1/namespaces/${namespace}/services`;
    for (const spec of [{}, { clusterIP: "None" }, { type: "ExternalName", externalName: "example.com" }]) {
      await send("POST", path, { body: { spec: { ports: [{ port: 80 }], ...spec } }, view });
    }
  });
});
