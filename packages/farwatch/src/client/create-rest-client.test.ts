import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createRecordingLogger, type RecordingLogger } from "../doubles/recording-logger.ts";
import {
  createScriptedStream,
  createScriptedTransport,
  type ScriptedTransport,
} from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError, isCodedError } from "../error/coded-error.ts";
import { TransportError } from "../transport/transport-error.ts";
import type { ClusterConfig, Credential } from "./cluster-config.ts";
import { createRestClient } from "./create-rest-client.ts";
import type { RestClient } from "./rest-client.ts";
import { StatusError } from "./status-error.ts";

const failure = (code: number, reason: string, message = reason) => ({
  status: code,
  body: { kind: "Status", status: "Failure", code, reason, message },
});

const lost = (sent: boolean, phase: "request" | "connect" = "request") => ({
  error: new TransportError("Cannot reach the server: connection lost", { phase, sent }),
});

/**
 * A rest client on a script; its credential is `old` until the server refuses it, then `new`, then there is no other.
 */
function setUp(): {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly rest: RestClient;
  readonly refusals: Credential[];
  readonly log: RecordingLogger;
} {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const refusals: Credential[] = [];
  const log = createRecordingLogger();
  const tokens = ["old", "new"];
  const config: ClusterConfig = {
    server: "https://api.test/base",
    namespace: "default",
    proxy: undefined,
    origin: "the test",
    inCluster: false,
    credentials: {
      current: async () => ({ headers: { authorization: `Bearer ${tokens[0]}` }, tls: { ca: "CA" } }),
      async refused(credential) {
        refusals.push(credential);
        if (tokens.length === 1) return false;
        tokens.shift();
        return true;
      },
    },
  };
  const rest = createRestClient({ config: async () => config, transport, clock: { ...clock, random: () => 0.5 }, log });
  return { clock, transport, rest, refusals, log };
}

/** The outcome of a promise that only settles while time moves. */
async function outcome<T>(clock: VirtualClock, work: Promise<T>, within: `${number}s` = "60s"): Promise<T> {
  const settled = work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await clock.advance(within);
  const result = await settled;
  if ("error" in result) throw result.error;
  return result.value;
}

const pods = { method: "GET", path: "/api/v1/namespaces/a/pods" } as const;

test("restClient sends credentials, query and JSON, and parses what comes back", async () => {
  const { transport, rest } = setUp();
  transport.on({ method: "POST" }, { status: 201, body: { text: "バケット🪣" } });
  const answer = await rest.json({
    method: "POST",
    path: "/api/v1/namespaces/a/pods",
    query: { fieldManager: "a b&c", dryRun: undefined },
    body: { x: 1 },
  });
  assert.deepEqual(answer, { text: "バケット🪣" });
  const [request] = transport.requests;
  assert.equal(request?.url, "https://api.test/base/api/v1/namespaces/a/pods?fieldManager=a%20b%26c");
  assert.deepEqual(request?.headers, {
    accept: "application/json",
    authorization: "Bearer old",
    "content-type": "application/json",
    "user-agent": "farwatch",
  });
  assert.deepEqual(request?.json, { x: 1 });
  assert.deepEqual(request?.tls, { ca: "CA" });
});

// Promise 11
// B35
test("restClient asks for other credentials once after a 401, and tries once more", async () => {
  const { transport, rest, refusals } = setUp();
  transport.on({}, (request) =>
    request.headers?.authorization === "Bearer new" ? { body: { ok: true } } : failure(401, "Unauthorized"),
  );
  assert.deepEqual(await rest.json(pods), { ok: true });
  assert.deepEqual(
    transport.requests.map(({ headers }) => headers?.authorization),
    ["Bearer old", "Bearer new"],
  );
  assert.equal(refusals.length, 1);
});

// B35
test("restClient gives up after the second 401, and at once when there is no other credential", async () => {
  const { transport, rest, refusals } = setUp();
  transport.on({}, failure(401, "Unauthorized"));
  await assert.rejects(rest.json(pods), (error) => {
    assert.ok(error instanceof StatusError && error.code === "Unauthorized");
    assert.ok(!error.message.includes("old") && !error.message.includes("new"));
    return true;
  });
  assert.deepEqual([transport.requests.length, refusals.length], [2, 1]);
  await assert.rejects(rest.json(pods), (error) => isCodedError(error, "Unauthorized"));
  assert.deepEqual([transport.requests.length, refusals.length], [3, 2]);
});

test("restClient waits as long as Retry-After says after a 429, writes too", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "3" } }, { status: 201, body: {} });
  const done = rest.json({ method: "POST", path: "/api/v1/namespaces/a/pods", body: {} });
  await outcome(clock, done);
  assert.deepEqual(
    transport.requests.map(({ at }) => at),
    [0, 3_000],
  );
});

test("restClient backs off with jitter after a 429 without Retry-After, a bounded number of times", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, failure(429, "TooManyRequests"));
  await assert.rejects(outcome(clock, rest.json(pods)), (error) => isCodedError(error, "TooManyRequests"));
  assert.deepEqual(
    transport.requests.map(({ at }) => at),
    [0, 375, 1_125, 2_625, 5_625, 11_625],
  );
});

test("restClient does not wait for a Retry-After beyond its deadline, and says how long it is", async () => {
  const { transport, rest } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "60" } });
  await assert.rejects(rest.json(pods), (error) => {
    assert.ok(error instanceof StatusError && error.retryAfterMs === 60_000);
    assert.equal(error.message, "Cannot list pods in namespace a: TooManyRequests; try again after 60 s");
    return true;
  });
  assert.equal(transport.requests.length, 1);
});

test("restClient stops waiting when its signal aborts", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "5" } });
  const controller = new AbortController();
  const reason = new Error("enough");
  const done = rest.json({ ...pods, signal: controller.signal });
  await clock.advance("1s");
  controller.abort(reason);
  await assert.rejects(done, (error) => error === reason);
  assert.deepEqual([transport.requests.length, clock.pendingTimers], [1, 0]);
});

test("restClient ends its waits when it is closed", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "5" } });
  const waits = [rest.json(pods), rest.request({ ...pods, streaming: true })];
  const ended = Promise.allSettled(waits);
  await clock.advance("1s");
  await rest[Symbol.asyncDispose]();
  for (const { status } of await ended) assert.equal(status, "rejected");
  await assert.rejects(waits[0] ?? assert.fail(), (error) => isCodedError(error, "ConnectionFailed"));
  assert.deepEqual([transport.requests.length, clock.pendingTimers], [2, 0]);
});

test("restClient repeats after a 503 with Retry-After only what may be repeated", async () => {
  const busy = { ...failure(503, "ServiceUnavailable"), headers: { "retry-after": "1" } };
  const tries = async (request: Parameters<RestClient["json"]>[0], answer: object): Promise<number> => {
    const { clock, transport, rest } = setUp();
    transport.on({}, answer, { body: {} });
    await outcome(clock, rest.json(request)).catch((error: unknown) =>
      assert.ok(isCodedError(error, "ServerUnavailable")),
    );
    return transport.requests.length;
  };
  const create = { method: "POST", path: "/api/v1/namespaces/a/pods", body: {} } as const;
  const patch = { method: "PATCH", path: "/api/v1/namespaces/a/pods/b", body: {}, repeatable: true } as const;
  assert.equal(await tries(pods, busy), 2);
  assert.equal(await tries(patch, busy), 2);
  assert.equal(await tries(create, busy), 1);
  assert.equal(await tries(pods, failure(503, "ServiceUnavailable")), 1);
});

test("restClient repeats after a lost connection what read, or what the server never saw", async () => {
  const tries = async (method: "GET" | "PATCH", answer: object, streaming = false): Promise<number> => {
    const { clock, transport, rest } = setUp();
    transport.on({}, answer);
    const request = {
      method,
      path: "/api/v1/namespaces/a/pods/b",
      streaming,
      ...(method === "GET" ? {} : { body: {} }),
    };
    await assert.rejects(outcome(clock, rest.request(request)), (error) => error instanceof TransportError);
    return transport.requests.length;
  };
  assert.equal(await tries("GET", lost(true)), 3);
  assert.equal(await tries("PATCH", lost(false)), 3);
  assert.equal(await tries("PATCH", lost(true)), 1);
  // A watch, and a server that is not there, are for the caller's own backoff.
  assert.equal(await tries("GET", lost(true), true), 1);
  assert.equal(await tries("GET", lost(false, "connect")), 1);
});

test("restClient ends a request at its deadline, names it, and leaves no timer", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, { silent: true });
  const done = rest.json({ method: "GET", path: "/api/v1/namespaces/a/pods/b" });
  await assert.rejects(outcome(clock, done, "30s"), (error) => {
    assert.ok(isCodedError(error, "Timeout"));
    assert.equal(error.message, "Cannot get pods a/b: no whole answer within 30 s");
    return true;
  });
  assert.deepEqual([clock.pendingTimers, transport.open], [0, 0]);
});

test("restClient holds the deadline over a body that stalls", async () => {
  for (const how of ["json", "request"] as const) {
    const { clock, transport, rest } = setUp();
    const body = createScriptedStream();
    body.write("{");
    transport.on({}, { body });
    const read = async (): Promise<unknown> => {
      if (how === "json") return rest.json(pods);
      for await (const _ of (await rest.request(pods)).body);
      return undefined;
    };
    await assert.rejects(outcome(clock, read(), "30s"), (error) => isCodedError(error, "Timeout"));
    assert.deepEqual([clock.pendingTimers, transport.open], [0, 0]);
  }
});

test("restClient sets no deadline for a stream", async () => {
  const { clock, transport, rest } = setUp();
  const body = createScriptedStream();
  transport.on({}, { body });
  const response = await rest.request({ ...pods, query: { watch: "true" }, streaming: true });
  assert.equal(transport.requests[0]?.streaming, true);
  const read = response.body[Symbol.asyncIterator]().next();
  await clock.advance("1h");
  body.write("late");
  assert.equal(Buffer.from((await read).value ?? "").toString(), "late");
  assert.equal(clock.pendingTimers, 0);
});

test("restClient leaves no timer after answers and refusals", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, { body: {} }, failure(404, "NotFound"), { body: {} });
  await rest.json(pods);
  await assert.rejects(rest.json(pods), (error) => isCodedError(error, "NotFound"));
  for await (const _ of (await rest.request(pods)).body);
  assert.deepEqual([clock.pendingTimers, transport.open], [0, 0]);
});

test("restClient asks the fence before each try, and hands on its refusal", async () => {
  const { clock, transport, rest } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "1" } });
  const notLeader = new CodedError("NotLeader", "Cannot write: not the leader");
  let asked = 0;
  const beforeWrite = (): void => {
    asked += 1;
    if (asked === 2) throw notLeader;
  };
  const done = rest.json({ method: "PUT", path: "/api/v1/namespaces/a/pods/b", body: {}, beforeWrite });
  await assert.rejects(outcome(clock, done), (error) => error === notLeader);
  assert.deepEqual([asked, transport.requests.length], [2, 1]);
});

test("restClient logs each warning of the server once", async () => {
  const { transport, rest, log } = setUp();
  transport.on({}, { body: {}, headers: { warning: '299 - "unknown field \\"x\\"", 299 - "old"' } });
  await rest.json(pods);
  await rest.json(pods);
  const warnings = log.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields);
  assert.deepEqual(warnings, [
    { warning: 'unknown field "x"', request: "list pods in namespace a" },
    { warning: "old", request: "list pods in namespace a" },
  ]);
});

test("restClient decompresses what it asked for", async () => {
  const { transport, rest } = setUp();
  transport.on({}, { headers: { "content-encoding": "gzip" }, body: gzipSync('{"text":"🪣"}') });
  assert.deepEqual(await rest.json({ ...pods, gzip: true }), { text: "🪣" });
  assert.equal(transport.requests[0]?.headers?.["accept-encoding"], "gzip");
  transport.on({}, { headers: { "content-encoding": "br" }, body: "x" });
  await assert.rejects(rest.json(pods), (error) => {
    assert.ok(isCodedError(error, "ProtocolError"));
    assert.equal(
      error.message,
      'Cannot list pods in namespace a: the answer is encoded as "br", which was not asked for',
    );
    return true;
  });
  assert.equal(transport.open, 0);
});

test("restClient takes an answer that is no whole JSON for a fault, and does not quote it", async () => {
  const { transport, rest } = setUp();
  const refused = async (body: unknown, message: string): Promise<void> => {
    transport.on({}, { body, headers: { "content-type": "text/html" } });
    await assert.rejects(rest.json({ method: "GET", path: "/api/v1/namespaces/a/secrets/b" }), (error) => {
      assert.ok(isCodedError(error, "ProtocolError"));
      assert.equal(error.message, message);
      assert.equal(error.cause, undefined);
      return true;
    });
  };
  await refused(
    "hunter2",
    "Cannot get secrets a/b: the answer is no whole JSON (text/html, 7 characters); is the server's URL right?",
  );
  await refused(
    '{"a":',
    "Cannot get secrets a/b: the answer is no whole JSON (text/html, 5 characters); is the server's URL right?",
  );
  await refused(undefined, "Cannot get secrets a/b: the answer is empty; is the server's URL right?");
});

test("restClient bounds the body of anything but a list", async () => {
  const { transport, rest } = setUp();
  transport.on({}, { body: "x".repeat(101) });
  await assert.rejects(rest.json({ ...pods, maxBodyBytes: 100 }), (error) => isCodedError(error, "ProtocolError"));
  transport.on({}, { body: Buffer.alloc(16 * 1024 * 1024 + 1, " ") });
  await assert.rejects(rest.json({ method: "PUT", path: pods.path, body: {} }), (error) =>
    isCodedError(error, "ProtocolError"),
  );
});

test("restClient reads the configuration again after it failed, and never after it was read", async () => {
  const { clock, transport } = setUp();
  transport.on({}, { body: {} });
  let asked = 0;
  const rest = createRestClient({
    config: async () => {
      asked += 1;
      if (asked === 1) throw new CodedError("InvalidConfig", "Cannot read it: broken");
      return {
        server: "https://api.test",
        namespace: "default",
        proxy: "http://proxy.test:1",
        origin: "the test",
        inCluster: false,
        credentials: { current: async () => ({ headers: {}, tls: {} }), refused: async () => false },
      };
    },
    transport,
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {}, child: () => assert.fail() },
  });
  await assert.rejects(rest.json(pods), (error) => isCodedError(error, "InvalidConfig"));
  await rest.json(pods);
  await rest.json(pods);
  assert.deepEqual([asked, transport.requests[0]?.proxy], [2, "http://proxy.test:1"]);
  await rest[Symbol.asyncDispose]();
  await assert.rejects(rest.json(pods), (error) => isCodedError(error, "ConnectionFailed"));
});
