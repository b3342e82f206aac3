import { type Area, defineArea } from "../area.ts";

const omit = ["metadata.managedFields"];

export const area: Area = defineArea("version-conversion", {}, (check) => {
  const paths = (namespace: string): { readonly core: string; readonly events: string } => ({
    core: `/api/v1/namespaces/${namespace}/events`,
    events: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
  });
  const autoscalers = (version: string, namespace: string): string =>
    `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };

  check("an Event of core/v1 is one of events.k8s.io/v1 too", async ({ send, namespace }) => {
    const { core, events } = paths(namespace);
    const body = {
      metadata: { name: "core" },
      involvedObject: { kind: "Pod", name: "p", namespace },
      reason: "Tested",
      message: "m",
      source: { component: "c", host: "h" },
      firstTimestamp: "2024-01-01T00:00:00Z",
      lastTimestamp: "2024-01-01T00:00:01Z",
      count: 3,
      type: "Normal",
    };
    await send("POST", core, { body });
    await send("GET", `${events}/core`, { omit });
    await send("GET", events, { omit: ["items.*.metadata.managedFields"] });
  });

  check("an Event of events.k8s.io/v1 is one of core/v1 too", async ({ send, namespace }) => {
    const { core, events } = paths(namespace);
    const eventTime = "2024-01-01T00:00:01.123456Z";
    const body = {
      metadata: { name: "new" },
      regarding: { kind: "Pod", name: "p", namespace },
      reason: "Tested",
      action: "Testing",
      note: "m",
      type: "Normal",
      eventTime,
      series: { count: 2, lastObservedTime: eventTime },
      reportingController: "example.dev/c",
      reportingInstance: "i",
    };
    await send("POST", events, { body });
    await send("GET", `${core}/new`, { omit });
    await send("PATCH", `${core}/new`, { body: { series: { count: 5 } }, omit });
    await send("GET", `${events}/new`, { only: ["series"] });
    await send("DELETE", `${core}/new`);
    await send("GET", `${events}/new`);
  });

  check("fields select Events under the names of the version", async ({ send, namespace }) => {
    const { core, events } = paths(namespace);
    for (const [name, kind, component] of [
      ["a", "Pod", "kubelet"],
      ["b", "Node", "scheduler"],
    ]) {
      const involvedObject = { kind, name: "x", namespace };
      await send("POST", core, {
        body: { metadata: { name }, involvedObject, reason: "R", source: { component }, type: "Normal" },
        only: ["metadata.name"],
      });
    }
    const only = ["items.*.metadata.name", "message"];
    await send("GET", core, { query: { fieldSelector: "involvedObject.kind=Pod" }, only });
    await send("GET", core, { query: { fieldSelector: "source=scheduler,type!=Warning" }, only });
    await send("GET", core, { query: { fieldSelector: "involvedObject.uid=" }, only });
    await send("GET", core, { query: { fieldSelector: "regarding.kind=Pod" }, only });
    await send("GET", events, { query: { fieldSelector: "regarding.kind=Node" }, only });
    await send("GET", events, { query: { fieldSelector: "involvedObject.kind=Node" }, only });
  });

  check("fields select built-in objects by their zero values", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await send("POST", path, { body: { metadata: { name: "s" } }, only: ["type"] });
    const only = ["items.*.metadata.name", "message"];
    await send("GET", path, { query: { fieldSelector: "type=Opaque" }, only });
    await send("GET", path, { query: { fieldSelector: "type!=Opaque" }, only });
    await send("GET", path, { query: { fieldSelector: "data=x" }, only });
    await send("GET", `/api/v1/namespaces/${namespace}/configmaps`, { query: { fieldSelector: "data=x" }, only });
  });

  check("an autoscaler of autoscaling/v1 is one of v2 too", async ({ send, namespace }) => {
    const body = {
      metadata: { name: "v1" },
      spec: { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 44 },
    };
    await send("POST", autoscalers("v1", namespace), { body });
    await send("GET", `${autoscalers("v2", namespace)}/v1`, { omit });
    await send("POST", autoscalers("v1", namespace), {
      body: { metadata: { name: "bare" }, spec: { scaleTargetRef, maxReplicas: 2 } },
      omit,
    });
    await send("GET", `${autoscalers("v2", namespace)}/bare`, { omit });
  });

  check("an autoscaler of autoscaling/v2 keeps in v1 what v1 does not know", async ({ send, namespace }) => {
    const metric = { name: "m", selector: { matchLabels: { a: "b" } } };
    const spec = {
      scaleTargetRef,
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } } },
        { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "3" } } },
        { type: "External", external: { metric, target: { type: "Value", value: "7" } } },
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 9 } },
    };
    await send("POST", autoscalers("v2", namespace), { body: { metadata: { name: "v2" }, spec }, omit });
    await send("GET", `${autoscalers("v1", namespace)}/v2`, { omit });
    await send("PATCH", `${autoscalers("v1", namespace)}/v2`, { body: { spec: { maxReplicas: 6 } }, omit });
    await send("GET", `${autoscalers("v2", namespace)}/v2`, { omit });
  });
});
