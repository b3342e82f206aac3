import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { type ProxyEndpoint, poolKeyOf, routeOf, targetOf } from "./route.ts";
import type { TransportRequest } from "./transport.ts";

test("target has the host without brackets, the port of its scheme, and path and query without the fragment", () => {
  assert.deepEqual(targetOf("https://[::1]/a%20b/ü?c=d#e"), {
    secure: true,
    host: "::1",
    port: 443,
    name: "[::1]:443",
    authority: "[::1]",
    path: "/a%20b/%C3%BC?c=d",
  });
  assert.deepEqual(targetOf("http://Example.COM:8080"), {
    secure: false,
    host: "example.com",
    port: 8080,
    name: "example.com:8080",
    authority: "example.com:8080",
    path: "/",
  });
});

test("target of anything but an absolute http or https URL is refused", () => {
  for (const url of ["", "/path", "example.com:443/a", "file:///etc/passwd", "https://", "https://a b/"]) {
    assert.throws(
      () => targetOf(url),
      (error) => isCodedError(error, "InvalidOption"),
      url,
    );
  }
});

function proxyOf(proxy: string): ProxyEndpoint | undefined {
  const request: TransportRequest = { method: "GET", url: "https://a.example/", proxy };
  return routeOf(request, targetOf(request.url)).proxy;
}

test("proxy has the port of its scheme and basic credentials with escapes decoded", () => {
  const endpoint = { secure: false, host: "proxy.example", port: 3128, name: "proxy.example:3128" };
  assert.deepEqual(proxyOf("proxy.example:3128"), { ...endpoint, authorization: undefined });
  const authorization = `Basic ${Buffer.from("ü@:p%:").toString("base64")}`;
  assert.deepEqual(proxyOf("http://%C3%BC%40:p%25%3A@proxy.example:3128/ignored"), { ...endpoint, authorization });
  const secure = { secure: true, host: "proxy.example", port: 443, name: "proxy.example:443" };
  assert.deepEqual(proxyOf("https://proxy.example"), { ...secure, authorization: undefined });
});

test("pool key tells apart whatever a connection depends on, by content for TLS and by identity for policies", () => {
  const base: TransportRequest = {
    method: "GET",
    url: "https://a.example/",
    tls: { ca: "ca", cert: "cert", key: "key" },
  };
  const policy = (): void => {};
  const different: readonly TransportRequest[] = [
    base,
    { ...base, url: "http://a.example:443/" },
    { ...base, url: "https://a.example:444/" },
    { ...base, tls: undefined },
    { ...base, tls: { ca: "cacert", cert: "", key: "key" } },
    { ...base, tls: { ca: "ca", cert: "certkey" } },
    { ...base, tls: { ...base.tls, serverName: "b" } },
    { ...base, tls: { ...base.tls, insecureSkipVerify: true } },
    { ...base, proxy: "p:1" },
    { ...base, proxy: "p:2" },
    { ...base, protocol: "http/1.1" },
    { ...base, connectPolicy: policy },
    { ...base, connectPolicy: () => {} },
  ];
  const keyOf = (request: TransportRequest): string => poolKeyOf(request, targetOf(request.url));
  assert.equal(new Set(different.map(keyOf)).size, different.length);
  const tls = { ca: "ca", cert: Buffer.from("cert"), key: new TextEncoder().encode("key") };
  assert.equal(keyOf({ ...base, method: "PUT", url: "https://a.example/b?c", tls }), keyOf(base));
  assert.equal(keyOf({ ...base, connectPolicy: policy }), keyOf({ ...base, connectPolicy: policy }));
});
