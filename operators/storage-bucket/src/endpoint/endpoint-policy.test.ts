import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "farwatch";
import { createEndpointPolicy, EndpointRefused, parseAllowedEndpoint } from "./endpoint-policy.ts";

function policyOf(...allow: readonly string[]) {
  const allowed = allow.map((text) => parseAllowedEndpoint(text) ?? assert.fail(text));
  const policy = createEndpointPolicy(allowed);
  return (namespace: string, ip: string, host = ip, port = 443): boolean => {
    try {
      policy.forNamespace(namespace)({ ip, host, port });
      return true;
    } catch (error) {
      assert.ok(error instanceof EndpointRefused && isCodedError(error, "Forbidden"));
      return false;
    }
  };
}

test("endpoint policy opens a range to one namespace, and with * to all", () => {
  const allows = policyOf("storage=10.0.0.0/8", "*=fd12::/16");
  assert.equal(allows("storage", "10.1.2.3"), true);
  assert.equal(allows("storage", "11.1.2.3"), true);
  assert.equal(allows("storage", "192.168.0.1"), false);
  assert.equal(allows("other", "10.1.2.3"), false);
  assert.equal(allows("other", "fd12::1"), true);
  assert.equal(allows("storage", "::ffff:10.1.2.3"), true);
});

test("endpoint policy opens a host, on one port or on every port, whatever private address it has", () => {
  const allows = policyOf("storage=MinIO.store.svc:9000", "storage=ceph.store.svc", "storage=[fd12::1]:80");
  assert.equal(allows("storage", "10.1.2.3", "minio.store.svc", 9000), true);
  assert.equal(allows("storage", "10.1.2.3", "minio.store.svc", 9001), false);
  assert.equal(allows("storage", "10.1.2.3", "sub.minio.store.svc", 9000), false);
  assert.equal(allows("storage", "10.1.2.3", "ceph.store.svc", 1), true);
  assert.equal(allows("storage", "fd12::1", "fd12::1", 80), true);
  assert.equal(allows("storage", "169.254.169.254", "ceph.store.svc", 443), false);
});

test("endpoint policy opens link-local and metadata addresses to no flag", () => {
  const allows = policyOf("*=0.0.0.0/0", "*=::/0", "*=metadata.internal");
  for (const ip of ["169.254.169.254", "fe80::1", "fd00:ec2::254", "168.63.129.16", "::ffff:169.254.169.254"]) {
    assert.equal(allows("default", ip), false, ip);
    assert.equal(allows("default", ip, "metadata.internal"), false, ip);
  }
  assert.equal(allows("default", "127.0.0.1"), true);
});

test("endpoint policy lets the operator's proxy be anywhere, since no object chose it", () => {
  const policy = createEndpointPolicy([]).forNamespace("default");
  policy({ ip: "10.0.0.1", host: "proxy.corp", port: 3128, proxy: true });
  assert.throws(() => policy({ ip: "10.0.0.1", host: "proxy.corp", port: 3128, proxy: false }), EndpointRefused);
});

test("endpoint policy is the same function each time for a namespace, so that connections are shared within it alone", () => {
  const policy = createEndpointPolicy([]);
  assert.equal(policy.forNamespace("a"), policy.forNamespace("a"));
  assert.notEqual(policy.forNamespace("a"), policy.forNamespace("b"));
});

test("allowed endpoint refuses what is neither a range nor a host", () => {
  const bad = [
    ...["", "storage", "storage=", "=10.0.0.0/8", "Storage=10.0.0.0/8", "a b=10.0.0.0/8", "-a=10.0.0.0/8"],
    ...["storage=10.0.0.0/33", "storage=10.0.0/8", "storage=::/129", "storage=10.0.0.0/", "storage=10.0.0.0/8/8"],
    ...[
      "storage=https://minio",
      "storage=minio:port",
      "storage=minio:99999",
      "storage=user@minio",
      "storage=a b",
      "storage=host/x",
    ],
  ];
  for (const text of bad) assert.equal(parseAllowedEndpoint(text), undefined, text);
});
