import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { systemClock } from "../clock/system-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { SourceState } from "../source/source-state.ts";
import { startHttpServer } from "./http-server.ts";
import type { HealthCheck } from "./manager.ts";

async function serve(readyz: readonly HealthCheck[], sources: readonly SourceState[] = [], host = "127.0.0.1") {
  const metrics = createMetrics();
  let scrapes = 0;
  const server = await startHttpServer({
    host,
    port: 0,
    clock: systemClock,
    log: silentLogger,
    metrics,
    checks: (kind) => (kind === "healthz" ? [{ name: "ping", check: () => undefined }] : readyz),
    sources: () => sources,
    beforeScrape: () => {
      scrapes += 1;
    },
  });
  const get = async (path: string, init?: RequestInit): Promise<{ status: number; text: string; headers: Headers }> => {
    const response = await fetch(`http://127.0.0.1:${server.address.port}${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { server, get, metrics, scrapes: () => scrapes };
}

const fine: HealthCheck = { name: "fine", check: () => undefined };
const broken: HealthCheck = { name: "informer/buckets.example.com", check: () => "the CRD is not installed" };

test("httpServer answers ok while every check passes, and names each when asked", async () => {
  const { server, get } = await serve([fine]);
  await using _ = server;
  assert.deepEqual(
    [(await get("/healthz")).text, (await get("/livez")).text, (await get("/readyz")).text],
    ["ok", "ok", "ok"],
  );
  assert.equal((await get("/readyz?verbose")).text, "[+]fine ok\nreadyz check passed\n");
});

// B39
test("httpServer answers 503 that names the kind that is not ready, while the process is alive", async () => {
  const { server, get } = await serve([fine, broken]);
  await using _ = server;
  const ready = await get("/readyz");
  assert.equal(ready.status, 503);
  assert.equal(
    ready.text,
    "[+]fine ok\n[-]informer/buckets.example.com failed: the CRD is not installed\nreadyz check failed\n",
  );
  assert.equal((await get("/livez")).status, 200);
});

// Promise 3
test("httpServer shows a check that is not critical as degraded, and stays ready", async () => {
  const { server, get } = await serve([
    { ...broken, name: "source/broker", critical: false, check: () => "connection refused" },
  ]);
  await using _ = server;
  assert.equal((await get("/readyz")).status, 200);
  assert.equal(
    (await get("/readyz?verbose")).text,
    "[!]source/broker degraded: connection refused\nreadyz check passed\n",
  );
});

test("httpServer answers for a single check by its name, and 404 for one that there is not", async () => {
  const nightly: HealthCheck = { name: "source/cron 30 2 * * *", check: () => undefined };
  const { server, get } = await serve([fine, broken, nightly]);
  await using _ = server;
  assert.equal((await get("/readyz/fine")).status, 200);
  assert.equal((await get("/readyz/source/cron 30 2 * * *")).status, 200);
  assert.equal((await get("/readyz/informer/buckets.example.com")).status, 503);
  for (const path of ["/readyz/unknown", "/", "/readyzz", "/metrics/x", "/healthz/%"])
    assert.equal((await get(path)).status, 404, path);
});

test("httpServer counts a check that throws as failed", async () => {
  const { server, get } = await serve([{ name: "throws", check: () => Promise.reject(new Error("boom")) }]);
  await using _ = server;
  assert.match((await get("/readyz")).text, /\[-\]throws failed: boom/);
});

test("httpServer answers one line for a check, whatever its problem quotes", async () => {
  const quoting: HealthCheck = { name: "bucket", check: () => "closed (\u001b[31m\n[+]bucket ok\u202e) by peer" };
  const { server, get } = await serve([quoting]);
  await using _ = server;
  assert.equal(
    (await get("/readyz")).text,
    "[-]bucket failed: closed ( [31m [+]bucket ok ) by peer\nreadyz check failed\n",
  );
});

test("httpServer exposes metrics, sampled at the scrape", async () => {
  const { server, get, metrics, scrapes } = await serve([]);
  await using _ = server;
  metrics.counter({ name: "things_total", help: "Things." }).add();
  const { status, text, headers } = await get("/metrics");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /text\/plain/);
  assert.match(text, /^things_total 1$/m);
  assert.equal(scrapes(), 1);
});

test("httpServer takes GET and HEAD alone", async () => {
  const { server, get } = await serve([fine]);
  await using _ = server;
  assert.equal((await get("/readyz", { method: "POST", body: "x" })).status, 405);
  assert.equal((await get("/readyz", { method: "HEAD" })).status, 200);
});

const source: SourceState = {
  name: "broker",
  phase: "serving",
  critical: false,
  watches: ["bucket"],
  restarts: 0,
  buffered: 3,
  unacknowledged: 5,
  kept: 0,
};

test("httpServer shows sources as a page that loads and runs nothing, and as JSON to whoever asks for it", async () => {
  const { server, get } = await serve([], [source]);
  await using _ = server;
  const page = await get("/debug/sources");
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'unsafe-inline';/);
  assert.match(page.text, /<bdi>broker<\/bdi>/);
  for (const json of [
    await get("/debug/sources?format=json"),
    await get("/debug/sources", { headers: { accept: "application/json" } }),
  ]) {
    assert.equal(json.headers.get("content-type"), "application/json");
    assert.deepEqual(JSON.parse(json.text), { sources: [source] });
  }
  assert.equal((await get("/debug/sources", { method: "POST" })).status, 405);
  assert.equal((await get("/debug/other")).status, 404);
});

test("httpServer withholds sources and reasons from other machines, and says how to see them", async (t) => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  if (outside === undefined) {
    t.skip("this machine has no address but the loopback one");
    return;
  }
  const { server } = await serve([broken], [source], "0.0.0.0");
  await using _ = server;
  const { port } = server.address;
  const response = await fetch(`http://${outside.address}:${port}/debug/sources?format=json`);
  assert.equal(response.status, 403);
  assert.equal(
    await response.text(),
    `forbidden: for this machine alone, use kubectl port-forward POD ${port} and http://localhost:${port}/debug/sources\n`,
  );
  const ready = await fetch(`http://${outside.address}:${port}/readyz`);
  assert.match(await ready.text(), /reason withheld/);
});

test("httpServer shows sources and reasons under names of this machine alone, so that no page in a browser has them by its own", async () => {
  const { server } = await serve([broken], [source]);
  await using _ = server;
  const { port } = server.address;
  const get = async (path: string, host: string): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\n${host}connection: close\r\n\r\n`);
    return text(socket);
  };
  for (const host of [`localhost:${port}`, "localhost", "127.0.0.1:8080", "127.1.2.3", `[::1]:${port}`, "LOCALHOST"]) {
    assert.match(await get("/debug/sources", `host: ${host}\r\n`), /^HTTP\/1\.1 200 /, host);
    assert.match(await get("/readyz", `host: ${host}\r\n`), /the CRD is not installed/, host);
  }
  for (const host of [
    "attacker.test",
    `attacker.test:${port}`,
    "localhost.attacker.test",
    "127.0.0.1.attacker.test",
    "attacker.test@",
    "x/@localhost",
    "192.0.2.1",
    "",
    "[",
  ]) {
    assert.match(await get("/debug/sources", `host: ${host}\r\n`), /^HTTP\/1\.1 403 /, host);
    assert.match(await get("/readyz", `host: ${host}\r\n`), /reason withheld/, host);
  }
});

test("httpServer answers 400 for a path that is none", async () => {
  const { server } = await serve([fine]);
  await using _ = server;
  const socket = connect(server.address.port, "127.0.0.1");
  socket.write("GET // HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  assert.match(await text(socket), /^HTTP\/1\.1 400 Bad Request\r\n/);
});

test("httpServer closes connections beyond 256 at once, and takes new ones when others have gone", async () => {
  const { server, get } = await serve([fine]);
  await using _ = server;
  const held = Array.from({ length: 256 }, () => connect(server.address.port, "127.0.0.1"));
  await Promise.all(held.map((socket) => once(socket, "connect")));
  const refused = connect(server.address.port, "127.0.0.1").resume();
  await once(refused, "end");
  await Promise.all(held.map((socket) => once(socket.resume().end(), "close")));
  assert.equal((await get("/readyz")).status, 200);
});

test("httpServer says which address it cannot have, and how to choose another", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const options = {
    host: "127.0.0.1",
    port,
    clock: systemClock,
    log: silentLogger,
    metrics: createMetrics(),
    checks: () => [],
    sources: () => [],
    beforeScrape() {},
  };
  await assert.rejects(startHttpServer(options), {
    code: "InvalidOption",
    message: `Cannot serve health and metrics on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; choose another address with \`http\``,
  });
  other.close();
  await assert.rejects(startHttpServer({ ...options, port: 70_000 }), {
    code: "InvalidOption",
    message: /^Cannot serve health and metrics on 127\.0\.0\.1:70000: /,
  });
});
