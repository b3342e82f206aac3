import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { builtInSchema, convertBuiltIn, decodeBuiltIn, typeNameOf } from "@farwatch/apiserver/built-in";
import { httpCall, sharedKubeApiserver } from "@farwatch/testing";
import { richObjects } from "./rich-objects.ts";

const server = sharedKubeApiserver();
const namespace = "rich-conversion";
const headers = { authorization: `Bearer ${server.token}` };
type Converted = Parameters<typeof convertBuiltIn>[0];

async function call(method: string, path: string, body?: unknown, type = "application/json"): Promise<Converted> {
  const text = body === undefined ? {} : { body: JSON.stringify(body).replaceAll("NAMESPACE", namespace) };
  const answer = await httpCall(`${server.url}${path}`, {
    method,
    headers: { ...headers, "content-type": type },
    ca: server.ca,
    ...text,
  });
  assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`);
  return JSON.parse(answer.text) as Converted;
}

/** As it is answered: what one version always writes and the other never is there or not. */
function answered(object: Converted): unknown {
  const [group = "", version = ""] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/")
    : ["", object.apiVersion];
  const what = { group, version, kind: object.kind };
  return decodeBuiltIn(builtInSchema(typeNameOf(what) ?? ""), object, what).object;
}

const collections: Readonly<Record<string, string>> = {
  v1: `/api/v1/namespaces/${namespace}/events`,
  "events.k8s.io/v1": `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
  "autoscaling/v1": `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`,
  "autoscaling/v2": `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
};

before(() => call("POST", "/api/v1/namespaces", { metadata: { name: namespace } }));
after(async () => {
  for (const path of Object.values(collections)) await call("DELETE", path);
  await call("DELETE", `/api/v1/namespaces/${namespace}`);
  await call("PUT", `/api/v1/namespaces/${namespace}/finalize`, { metadata: { name: namespace }, spec: {} });
});

/** Both versions of an object, and what convertBuiltIn makes of each. */
async function compare(name: string, one: string, other: string): Promise<void> {
  const [first, second] = [
    await call("GET", `${collections[one]}/${name}`),
    await call("GET", `${collections[other]}/${name}`),
  ];
  assert.deepEqual(answered(convertBuiltIn(first, other)), second);
  assert.deepEqual(answered(convertBuiltIn(second, one)), first);
  assert.equal(first.apiVersion, one);
}

for (const object of richObjects.filter(({ kind }) => kind === "Event")) {
  test(`convertBuiltIn shows the Event of ${object.apiVersion} in both versions as the real server does`, async () => {
    await call("POST", collections[object.apiVersion] ?? "", object);
    await compare(object.metadata.name, "v1", "events.k8s.io/v1");
  });
}

for (const object of richObjects.filter(({ kind }) => kind === "HorizontalPodAutoscaler")) {
  test(`convertBuiltIn shows the autoscaler of ${object.apiVersion} in both versions as the real server does`, async () => {
    await call("POST", collections[object.apiVersion] ?? "", object);
    await compare(object.metadata.name, "autoscaling/v1", "autoscaling/v2");
  });
}

test("convertBuiltIn takes the status of an autoscaler along", async () => {
  const [v2 = ""] = [collections["autoscaling/v2"]];
  const rich = richObjects.find(({ apiVersion }) => apiVersion === "autoscaling/v2");
  await call("POST", v2, { ...rich, metadata: { name: "with-status", annotations: { "example.dev/kept": "yes" } } });
  const at = "2024-01-01T00:00:00Z";
  const metric = { name: "m", selector: { matchLabels: { a: "b" } } };
  const status = {
    observedGeneration: 1,
    lastScaleTime: at,
    currentReplicas: 2,
    desiredReplicas: 3,
    conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: at, reason: "r", message: "m" }],
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "200m" } } },
      { type: "Resource", resource: { name: "memory", current: { averageValue: "1Mi" } } },
      { type: "Pods", pods: { metric, current: { averageValue: "3" } } },
      {
        type: "Object",
        object: { describedObject: { kind: "Service", name: "s" }, metric, current: { value: "4", averageValue: "2" } },
      },
      { type: "External", external: { metric, current: { value: "7", averageValue: "1" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "c", current: { averageUtilization: 60, averageValue: "1" } },
      },
    ],
  };
  await call("PATCH", `${v2}/with-status/status`, { status }, "application/merge-patch+json");
  await compare("with-status", "autoscaling/v1", "autoscaling/v2");
});
