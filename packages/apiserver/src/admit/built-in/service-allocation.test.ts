import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "farwatch";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { readerOf, stored } from "../admission.fixture.ts";
import { createServiceAllocator, type ServiceAllocator } from "./service-allocation.ts";

type Fields = Readonly<Record<string, unknown>>;

function service(name: string, spec: Fields): StoredObject {
  return stored("v1", "Service", { metadata: { name, namespace: "n" }, spec });
}

function allocatorAmong(...services: readonly StoredObject[]): ServiceAllocator {
  return createServiceAllocator({ reader: readerOf({ "/services": services }), random: seededRandom(1) });
}

function draft(spec: Fields): DraftObject & { readonly spec: Fields } {
  const ports = [{ port: 80, protocol: "TCP", targetPort: 80 }];
  return { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { type: "ClusterIP", ports, ...spec } };
}

const firstWrite = { old: undefined, dryRun: false } as const;

test("A service gets an address that no other has", () => {
  const others = Array.from({ length: 252 }, (_, index) =>
    service(`s${index}`, { clusterIP: `10.0.0.${index + 2}`, clusterIPs: [`10.0.0.${index + 2}`] }),
  );
  const object = draft({});
  allocatorAmong(...others).allocate(object, firstWrite);
  assert.equal(object.spec.clusterIP, "10.0.0.254");
  assert.deepEqual(object.spec.clusterIPs, ["10.0.0.254"]);
  assert.deepEqual(object.spec.ipFamilies, ["IPv4"]);
});

test("Services on their way at one time get addresses of their own", () => {
  const allocator = allocatorAmong();
  const given = Array.from({ length: 200 }, () => {
    const object = draft({});
    allocator.allocate(object, firstWrite);
    return object.spec.clusterIP;
  });
  assert.equal(new Set(given).size, 200);
});

test("A full range is an error of the server", () => {
  const others = Array.from({ length: 253 }, (_, index) =>
    service(`s${index}`, { clusterIP: `10.0.0.${index + 2}`, clusterIPs: [`10.0.0.${index + 2}`] }),
  );
  assert.throws(() => allocatorAmong(...others).allocate(draft({}), firstWrite), { code: 500 });
});

test("An address that is taken is refused", () => {
  const allocator = allocatorAmong(service("other", { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"] }));
  assert.throws(() => allocator.allocate(draft({ clusterIP: "10.0.0.9" }), firstWrite), {
    code: 422,
    message: /failed to allocate IP 10\.0\.0\.9: provided IP is already allocated/,
  });
});

test("A dry run takes nothing from the pools", () => {
  const object = draft({ type: "NodePort" });
  allocatorAmong().allocate(object, { old: undefined, dryRun: true });
  assert.equal(object.spec.clusterIP, "10.0.0.0");
  assert.deepEqual(
    (object.spec.ports as { nodePort: number }[]).map(({ nodePort }) => nodePort),
    [32_769],
  );
});

test("A headless service and a name need no address", () => {
  for (const spec of [
    { clusterIP: "None", selector: { a: "b" } },
    { type: "ExternalName", externalName: "a.b" },
  ]) {
    const object = draft(spec);
    allocatorAmong().allocate(object, firstWrite);
    assert.equal(object.spec.clusterIP, (spec as Fields).clusterIP);
  }
});

test("An update keeps the address and the ports that it does not mention", () => {
  const ports = [{ name: "a", port: 80, nodePort: 30_080 }];
  const old = service("s", { type: "NodePort", clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.7"], ports });
  const object = draft({
    type: "NodePort",
    ports: [
      { name: "a", port: 81 },
      { name: "b", port: 82 },
    ],
  });
  allocatorAmong(old).allocate(object, { old, dryRun: false });
  assert.equal(object.spec.clusterIP, "10.0.0.7");
  const [first, second] = object.spec.ports as { nodePort: number }[];
  assert.equal(first?.nodePort, 30_080);
  assert.ok(second !== undefined && second.nodePort >= 30_000 && second.nodePort !== 30_080);
});

test("A node port that is taken, or out of range, is refused", () => {
  const other = service("other", { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] });
  for (const [nodePort, message] of [
    [30_080, /provided port is already allocated/],
    [80, /The range of valid ports is 30000-32767/],
  ] as const) {
    const object = draft({ type: "NodePort", ports: [{ port: 80, nodePort }] });
    assert.throws(() => allocatorAmong(other).allocate(object, firstWrite), { code: 422, message });
  }
});
