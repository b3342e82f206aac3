import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";

interface Named {
  readonly name: string;
}

const builtIn: Readonly<Record<string, readonly string[]>> = {
  "/api/v1": [
    "bindings",
    "configmaps",
    "events",
    "namespaces",
    "namespaces/finalize",
    "namespaces/status",
    "nodes",
    "nodes/status",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "pods/status",
    "podtemplates",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "serviceaccounts/token",
    "services",
    "services/status",
    "endpoints",
    "limitranges",
  ],
  "/apis/apps/v1": [
    "controllerrevisions",
    "daemonsets",
    "deployments",
    "deployments/scale",
    "deployments/status",
    "replicasets",
    "replicasets/scale",
    "statefulsets",
    "statefulsets/status",
  ],
  "/apis/batch/v1": ["cronjobs", "cronjobs/status", "jobs", "jobs/status"],
  "/apis/coordination.k8s.io/v1": ["leases"],
  "/apis/events.k8s.io/v1": ["events"],
  "/apis/rbac.authorization.k8s.io/v1": ["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
  "/apis/networking.k8s.io/v1": ["ingresses", "ingresses/status", "ingressclasses", "networkpolicies"],
  "/apis/policy/v1": ["poddisruptionbudgets", "poddisruptionbudgets/status"],
  "/apis/autoscaling/v2": ["horizontalpodautoscalers", "horizontalpodautoscalers/status"],
  "/apis/admissionregistration.k8s.io/v1": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  "/apis/apiextensions.k8s.io/v1": ["customresourcedefinitions", "customresourcedefinitions/status"],
  "/apis/authentication.k8s.io/v1": ["selfsubjectreviews", "tokenreviews"],
  "/apis/authorization.k8s.io/v1": [
    "localsubjectaccessreviews",
    "selfsubjectaccessreviews",
    "selfsubjectrulesreviews",
    "subjectaccessreviews",
  ],
};

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export const area: Area = defineArea("discovery", (check) => {
  check("the version is a Kubernetes version", async ({ send }) => {
    const { body } = await send("GET", "/version", { only: ["major", "minor"] });
    for (const field of ["gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"])
      assert.equal(typeof body[field], "string", field);
    assert.match(body.gitVersion, /^v1\.35\./);
  });

  check("health is asked for by anybody", async ({ send }) => {
    for (const path of ["/healthz", "/readyz", "/livez", "/healthz/ping", "/readyz/ping", "/livez/ping"]) {
      await send("GET", path);
      await send("GET", path, { as: "anonymous" });
    }
    await send("GET", "/healthz/nothing");
    await send("GET", "/version", { as: "anonymous", only: ["major", "minor"] });
  });

  check("the paths of the server have the ones of the groups", async ({ send }) => {
    const wanted = [
      "/api",
      "/api/v1",
      "/apis",
      "/apis/apps",
      "/apis/apps/v1",
      "/apis/apiextensions.k8s.io/v1",
      "/healthz",
      "/openapi/v3",
      "/readyz",
      "/version",
    ];
    await send("GET", "/", { view: ({ paths }) => wanted.filter((path) => paths.includes(path)) });
  });

  check("the versions of the core group are named", async ({ send }) => {
    await send("GET", "/api", { only: ["kind", "versions"] });
  });

  check("groups are listed with their versions", async ({ send }) => {
    const wanted = new Set(Object.keys(builtIn).map((path) => path.split("/")[2]));
    await send("GET", "/apis", {
      view: (body) => ({
        ...body,
        groups: body.groups.filter(({ name }: Named) => wanted.has(name) && !name.startsWith("a")),
      }),
    });
  });

  check("a group tells its versions and which is preferred", async ({ send }) => {
    for (const group of ["apps", "batch", "coordination.k8s.io", "rbac.authorization.k8s.io", "policy"])
      await send("GET", `/apis/${group}`, { view: ({ versions, ...body }) => ({ ...body, has: versions[0] }) });
  });

  for (const [path, names] of Object.entries(builtIn)) {
    check(`resources of ${path} are described`, async ({ send }) => {
      await send("GET", path, {
        view: (body) => ({ ...body, resources: body.resources.filter(({ name }: Named) => names.includes(name)) }),
      });
    });
  }

  check("a custom kind is described with everything that its CRD says", async ({ until, crd, group }) => {
    await crd({
      names: { shortNames: ["wg", "wgt"], categories: ["all", "things"] },
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      },
    });
    await until(`/apis/${group}/v1`, ({ status, body }) => status === 200 && body.resources.length === 3);
    await until(`/apis/${group}`, ({ status }) => status === 200);
    await until("/apis", ({ body }) => body.groups.some(({ name }: Named) => name === group), {
      view: (body) => body.groups.filter(({ name }: Named) => name === group),
    });
  });

  check("a custom kind of the cluster is described as such", async ({ until, crd, group }) => {
    await crd({ scope: "Cluster", kind: "Gadget", subresources: {} });
    await until(`/apis/${group}/v1`, ({ status, body }) => status === 200 && body.resources.length === 1);
  });

  check("a group that is gone is described no more", async ({ until, quietly, crd, group }) => {
    const kind = await crd();
    await until(`/apis/${group}/v1`, ({ status }) => status === 200);
    await quietly("DELETE", kind.crdPath);
    await until(`/apis/${group}/v1`, ({ status }) => status === 404);
    await until(`/apis/${group}`, ({ status }) => status === 404);
    await until(kind.path, ({ status }) => status === 404);
  });

  check("aggregated discovery describes the core group", async ({ send }) => {
    const wanted = new Set(["configmaps", "namespaces", "secrets", "serviceaccounts", "services"]);
    await send("GET", "/api", {
      headers: { accept: aggregated },
      view: (body) => ({
        ...body,
        items: body.items.map(
          (item: {
            readonly versions: readonly { readonly resources: readonly { readonly resource: string }[] }[];
          }) => ({
            ...item,
            versions: item.versions.map((version) => ({
              ...version,
              resources: version.resources.filter(({ resource }) => wanted.has(resource)),
            })),
          }),
        ),
      }),
    });
  });

  check("aggregated discovery describes groups", async ({ send }) => {
    const wanted = new Set(["coordination.k8s.io", "rbac.authorization.k8s.io", "batch", "policy"]);
    await send("GET", "/apis", {
      headers: { accept: aggregated },
      view: ({ items, ...body }) => ({
        ...body,
        items: items
          .filter((item: { readonly metadata: Named }) => wanted.has(item.metadata.name))
          .map((item: { readonly versions: readonly { readonly version: string }[] }) => ({
            ...item,
            versions: item.versions.filter(({ version }) => version === "v1"),
          })),
      }),
    });
  });

  check("aggregated discovery describes a custom kind", async ({ until, crd, group }) => {
    await crd({
      names: { shortNames: ["wg"], categories: ["all"] },
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      },
    });
    await until(
      "/apis",
      ({ body }) =>
        body.items.some(
          (item: {
            readonly metadata: Named;
            readonly versions: readonly { readonly freshness?: string; readonly resources: readonly unknown[] }[];
          }) =>
            item.metadata.name === group &&
            item.versions.every(({ freshness, resources }) => freshness === "Current" && resources.length > 0),
        ),
      {
        headers: { accept: aggregated },
        view: (body) => body.items.filter((item: { readonly metadata: Named }) => item.metadata.name === group),
      },
    );
  });

  check("aggregated discovery falls back to the plain one", async ({ send }) => {
    const view = ({ kind, apiVersion }: { readonly kind: string; readonly apiVersion?: string }): unknown => ({
      kind,
      apiVersion: apiVersion ?? null,
    });
    for (const accept of [
      `${aggregated},application/json`,
      "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json",
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
      "application/json",
      "*/*",
    ]) {
      await send("GET", "/apis", { headers: { accept }, view });
      await send("GET", "/api", { headers: { accept }, view });
    }
  });
});
