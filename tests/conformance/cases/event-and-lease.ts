import { type Area, defineArea } from "../area.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };
const eventTime = "2020-01-01T00:00:00.000000Z";
const full = {
  eventTime,
  type: "Normal",
  reason: "Made",
  action: "Make",
  note: "n",
  reportingController: "example.com/c",
  reportingInstance: "i",
};

export const area: Area = defineArea("event-and-lease", (check) => {
  check("an event of the core group is about something in its namespace", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/events`;
    for (const involvedObject of [{}, { namespace: "other" }, { namespace }, { kind: "Node", name: "n" }]) {
      await send("POST", path, { body: { metadata: { name: "e" }, involvedObject }, query, omit });
    }
  });

  check("an event about what has no namespace is in default", async ({ send, namespace }) => {
    const involvedObject = { kind: "Node", apiVersion: "v1", name: "n" };
    for (const where of [namespace, "default"]) {
      const body = { metadata: { name: `${namespace}-e` }, involvedObject };
      await send("POST", `/api/v1/namespaces/${where}/events`, { body, query, omit });
    }
  });

  check("a new event of events.k8s.io is whole", async ({ send, namespace }) => {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const regarding = { kind: "ConfigMap", namespace, name: "a" };
    await send("POST", path, { body: { metadata: { name: "e" }, regarding } });
    await send("POST", path, { body: { metadata: { name: "e" }, regarding, ...full, type: "X" } });
    await send("POST", path, { body: { metadata: { name: "e" }, regarding, ...full, reportingController: "A b" } });
    const long = { note: "n".repeat(1025), reason: "r".repeat(129), action: "a".repeat(129) };
    await send("POST", path, { body: { metadata: { name: "e" }, regarding, ...full, ...long } });
    await send("POST", path, { body: { metadata: { name: "e" }, regarding, ...full }, omit });
  });

  check("an event of events.k8s.io changes in its series alone", async ({ send, quietly, namespace }) => {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const regarding = { kind: "ConfigMap", namespace, name: "a" };
    await quietly("POST", path, { body: { metadata: { name: "e" }, regarding, ...full } });
    await send("PATCH", `${path}/e`, { body: { note: "other", reason: "Other", type: "Warning", action: "x" } });
    await send("PATCH", `${path}/e`, { body: { series: { count: 1, lastObservedTime: eventTime } } });
    await send("PATCH", `${path}/e`, { body: { series: { count: 2, lastObservedTime: eventTime } }, omit });
  });

  check("an event with a time is checked in the core group too", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/events`;
    const involvedObject = { kind: "ConfigMap", namespace, name: "a" };
    await send("POST", path, { body: { metadata: { name: "e" }, involvedObject, eventTime }, omit });
    const body = { metadata: { name: "f" }, involvedObject, count: 1, message: "m", source: { component: "c" } };
    await send("POST", path, { body, omit });
    await send("PATCH", `${path}/f`, { body: { count: 2, lastTimestamp: "2020-01-01T00:00:00Z" }, omit });
  });

  check("both groups show the same events", async ({ send, quietly, namespace }) => {
    const core = `/api/v1/namespaces/${namespace}/events`;
    const newer = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const involvedObject = { kind: "ConfigMap", namespace, name: "a" };
    await quietly("POST", core, { body: { metadata: { name: "e" }, involvedObject, count: 3, message: "m" } });
    await send("GET", `${newer}/e`, { omit });
    await quietly("POST", newer, { body: { metadata: { name: "f" }, regarding: involvedObject, ...full } });
    await send("GET", `${core}/f`, { omit });
  });

  check("an event may be put where there is none", async ({ send, namespace }) => {
    const body = { metadata: { name: "e" }, involvedObject: { namespace } };
    await send("PUT", `/api/v1/namespaces/${namespace}/events/e`, { body, omit });
  });

  check("a lease has defaults", async ({ send, namespace }) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await send("POST", path, { body: { metadata: { name: "a" } }, omit });
    const spec = {
      holderIdentity: "h",
      leaseDurationSeconds: 15,
      acquireTime: "2020-01-01T00:00:00.5Z",
      renewTime: "2020-01-01T00:00:00Z",
      leaseTransitions: 0,
    };
    await send("PATCH", `${path}/a`, { body: { spec }, omit });
  });

  // B60
  check("a lease lasts, and its holder has a name", async ({ send, namespace }) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    for (const spec of [
      { leaseDurationSeconds: 0 },
      { leaseDurationSeconds: -1, leaseTransitions: -1 },
      { holderIdentity: "" },
      { strategy: "X" },
      { strategy: "OldestEmulationVersion" },
      { preferredHolder: "p" },
    ]) {
      await send("POST", path, { body: { metadata: { name: "a" }, spec }, query, omit });
    }
    await send("POST", path, { body: { metadata: { name: "A" } } });
  });

  check("a lease may be put where there is none", async ({ send, namespace }) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/a`;
    await send("PUT", path, { body: { metadata: { name: "a" }, spec: { holderIdentity: "h" } }, omit });
    await send("PUT", path, { body: { metadata: { name: "a" }, spec: { holderIdentity: "i" } }, omit });
  });

  check("a lease is taken over by who knows its version", async ({ send, quietly, namespace }) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const lease = (holderIdentity: string, resourceVersion?: string): object => ({
      metadata: { name: "a", ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      spec: { holderIdentity },
    });
    const { body } = await quietly("POST", path, { body: lease("h") });
    const version = body.metadata.resourceVersion;
    await send("PUT", `${path}/a`, { body: lease("i", version), omit });
    await send("PUT", `${path}/a`, { body: lease("j", version) });
  });
});
