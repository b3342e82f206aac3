import assert from "node:assert/strict";
import { test } from "node:test";
import type { TransportResponse } from "farwatch";
import { createScriptedTransport, createVirtualClock } from "farwatch/doubles";
import { parseKubeRequest } from "./kube-request.ts";
import { transportFaults } from "./transport-faults.ts";
import { type FaultyTransport, withFaults } from "./with-faults.ts";

const url = "https://10.0.0.1:6443";

function faulty(): FaultyTransport {
  const clock = createVirtualClock();
  const inner = createScriptedTransport(clock);
  inner.on({}, { body: {} });
  return withFaults(inner, { clock });
}

async function jsonOf({ body }: TransportResponse): Promise<unknown> {
  let text = "";
  for await (const part of body) text += Buffer.from(part).toString("utf8");
  return JSON.parse(text);
}

test("kube request is read from method and URL", () => {
  const cases: readonly (readonly [string, string, readonly (string | undefined)[] | undefined])[] = [
    ["GET", "/api/v1/namespaces/a/configmaps", ["list", "", "v1", "configmaps", undefined, "a", undefined]],
    ["GET", "/api/v1/configmaps?limit=5", ["list", "", "v1", "configmaps", undefined, undefined, undefined]],
    ["GET", "/api/v1/configmaps?watch=true", ["watch", "", "v1", "configmaps", undefined, undefined, undefined]],
    ["GET", "/api/v1/configmaps?watch=1&x=y", ["watch", "", "v1", "configmaps", undefined, undefined, undefined]],
    ["GET", "/api/v1/configmaps?watch=false", ["list", "", "v1", "configmaps", undefined, undefined, undefined]],
    ["GET", "/api/v1/namespaces/a/secrets/s", ["get", "", "v1", "secrets", undefined, "a", "s"]],
    ["GET", "/api/v1/namespaces", ["list", "", "v1", "namespaces", undefined, undefined, undefined]],
    ["GET", "/api/v1/namespaces/a", ["get", "", "v1", "namespaces", undefined, "a", "a"]],
    ["PUT", "/api/v1/namespaces/a/finalize", ["update", "", "v1", "namespaces", "finalize", "a", "a"]],
    ["PATCH", "/api/v1/namespaces/a/status", ["patch", "", "v1", "namespaces", "status", "a", "a"]],
    [
      "PUT",
      "/apis/coordination.k8s.io/v1/namespaces/a/leases/l",
      ["update", "coordination.k8s.io", "v1", "leases", undefined, "a", "l"],
    ],
    [
      "PATCH",
      "/apis/example.dev/v1alpha1/namespaces/a/lamps/l/status",
      ["patch", "example.dev", "v1alpha1", "lamps", "status", "a", "l"],
    ],
    [
      "POST",
      "/apis/apps/v1/namespaces/a/deployments",
      ["create", "apps", "v1", "deployments", undefined, "a", undefined],
    ],
    [
      "DELETE",
      "/apis/apps/v1/namespaces/a/deployments",
      ["deletecollection", "apps", "v1", "deployments", undefined, "a", undefined],
    ],
    [
      "DELETE",
      "/apis/apps/v1/namespaces/a/deployments/d",
      ["delete", "apps", "v1", "deployments", undefined, "a", "d"],
    ],
    ["POST", "/api/v1/namespaces/a/pods/p/eviction", ["create", "", "v1", "pods", "eviction", "a", "p"]],
    ["GET", "/api/v1", undefined],
    ["GET", "/apis/apps/v1", undefined],
    ["GET", "/healthz", undefined],
    ["GET", "/openapi/v3", undefined],
  ];
  for (const [method, path, expected] of cases) {
    const found = parseKubeRequest({ method, url: url + path });
    const { verb, group, version, resource, subresource, namespace, name } = found ?? {};
    assert.deepEqual(
      found === undefined ? undefined : [verb, group, version, resource, subresource, namespace, name],
      expected,
      `${method} ${path}`,
    );
  }
});

test("transport faults strike the requests that are meant and no others", async () => {
  const transport = faulty();
  transport.faults.add(transportFaults.conflict({ resource: "leases", namespace: "a", subresource: "" }));
  const lease = `${url}/apis/coordination.k8s.io/v1/namespaces/a/leases/l`;
  const refused = await transport.request({ method: "PUT", url: lease });
  assert.equal(refused.status, 409);
  assert.deepEqual(await jsonOf(refused), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on leases.coordination.k8s.io "l": the object has been modified; please apply your changes to the latest version and try again',
    details: { name: "l", group: "coordination.k8s.io", kind: "leases" },
    code: 409,
  });
  for (const [method, other] of [
    ["GET", lease],
    ["PUT", `${lease}/status`],
    ["PUT", lease.replace("/a/", "/b/")],
    ["PUT", lease.replace("leases", "lamps")],
    ["GET", `${url}/version`],
  ] as const) {
    assert.equal((await transport.request({ method, url: other })).status, 200, `${method} ${other}`);
  }
});

test("transport faults refuse as an API server does", async () => {
  const cases = [
    [transportFaults.expired(), 410, "Expired", "The resourceVersion for the provided watch is too old.", undefined],
    [transportFaults.versionTooLarge(), 504, "Timeout", "Timeout: Too large resource version: 77, current: 1", "1"],
    [transportFaults.internalError(), 500, undefined, "etcdserver: request timed out", undefined],
  ] as const;
  for (const [fault, status, reason, message, retryAfter] of cases) {
    const transport = faulty();
    transport.faults.add(fault);
    const response = await transport.request({ method: "GET", url: `${url}/api/v1/pods?resourceVersion=77` });
    assert.deepEqual([response.status, response.headers["retry-after"]], [status, retryAfter]);
    const body = (await jsonOf(response)) as {
      readonly code: number;
      readonly reason?: string;
      readonly message: string;
    };
    assert.deepEqual([body.code, body.reason, body.message], [status, reason, message]);
  }
});

test("transport faults answer 429 in plain text with the seconds to wait", async () => {
  const transport = faulty();
  transport.faults.add(transportFaults.tooManyRequests({ verb: "get", retryAfter: 3, times: 1 }));
  const pod = { method: "GET", url: `${url}/api/v1/namespaces/a/pods/p` };
  const { status, headers } = await transport.request(pod);
  assert.deepEqual([status, headers["retry-after"], headers["content-type"]], [429, "3", "text/plain; charset=utf-8"]);
  assert.equal((await transport.request(pod)).status, 200);
});

test("transport faults expire a watch inside its stream", async () => {
  const transport = faulty();
  transport.faults.add(transportFaults.watchExpired({ resource: "pods" }));
  const list = await transport.request({ method: "GET", url: `${url}/api/v1/pods` });
  assert.deepEqual(await jsonOf(list), {});
  const watch = await transport.request({ method: "GET", url: `${url}/api/v1/pods?watch=1`, streaming: true });
  assert.equal(watch.status, 200);
  const event = (await jsonOf(watch)) as { readonly type: string; readonly object: { readonly code: number } };
  assert.deepEqual([event.type, event.object.code], ["ERROR", 410]);
});

test("transport faults lose the answers of writes, and none of reads", async () => {
  const transport = faulty();
  const lost = transport.faults.add(transportFaults.lostResponse({ group: "apps" }));
  const deployment = `${url}/apis/apps/v1/namespaces/a/deployments/d`;
  assert.equal((await transport.request({ method: "GET", url: deployment })).status, 200);
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    await assert.rejects(transport.request({ method, url: deployment }), { code: "ConnectionFailed", sent: true });
  }
  assert.equal(lost.hits, 3);
});
