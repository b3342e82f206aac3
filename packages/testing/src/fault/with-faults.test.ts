import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError, type TransportError, type TransportRequest, type TransportResponse } from "farwatch";
import {
  createScriptedStream,
  createScriptedTransport,
  createVirtualClock,
  type ScriptedTransport,
  type VirtualClock,
} from "farwatch/doubles";
import type { FaultMatcher } from "./fault-matcher.ts";
import type { FaultSelection } from "./fault-schedule.ts";
import type { TransportFault } from "./transport-fault.ts";
import { type FaultyTransport, withFaults } from "./with-faults.ts";

const get: TransportRequest = { method: "GET", url: "https://api.test/things?limit=1" };
const put: TransportRequest = { method: "PUT", url: "https://api.test/things/a", body: "{}" };

interface Stage {
  readonly clock: VirtualClock;
  readonly inner: ScriptedTransport;
  readonly outer: FaultyTransport;
}

function stage(seed?: number): Stage {
  const clock = createVirtualClock();
  const inner = createScriptedTransport(clock);
  return { clock, inner, outer: withFaults(inner, { clock, seed }) };
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

async function failureOf(work: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await work.then(
    () => assert.fail("it did not fail"),
    (thrown: unknown) => thrown,
  );
  assert.ok(isCodedError(error, "ConnectionFailed"), String(error));
  return error as TransportError;
}

test("faulty transport passes on what no fault strikes", async () => {
  const { inner, outer } = stage();
  inner.on({}, { status: 201, headers: { etag: "1" }, body: "hello" });
  outer.faults.add({ kind: "refused", matcher: { path: "/other" } });
  const response = await outer.request(get);
  assert.equal(response.status, 201);
  assert.equal(response.headers.etag, "1");
  assert.equal(await textOf(response), "hello");
  assert.equal(outer.inFlight, 0);
});

test("faulty transport fails as the real one does, in the phase of the fault", async () => {
  const cases: readonly (readonly [TransportFault, string, string, boolean, string])[] = [
    [
      { kind: "dnsFailure" },
      "resolve",
      "ENOTFOUND",
      false,
      "Cannot resolve the host of api.test:443: getaddrinfo ENOTFOUND api.test",
    ],
    [
      { kind: "refused" },
      "connect",
      "ECONNREFUSED",
      false,
      "Cannot connect to api.test:443: connect ECONNREFUSED api.test:443",
    ],
    [
      { kind: "tlsFailure" },
      "tls",
      "CERT_HAS_EXPIRED",
      false,
      "Cannot set up TLS with api.test:443: certificate has expired (CERT_HAS_EXPIRED)",
    ],
    [
      { kind: "tlsFailure", systemCode: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      "tls",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      false,
      "Cannot set up TLS with api.test:443: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)",
    ],
    [
      { kind: "reset" },
      "response",
      "ECONNRESET",
      true,
      "Cannot get an answer to PUT from api.test:443: read ECONNRESET",
    ],
  ];
  for (const [fault, phase, systemCode, sent, message] of cases) {
    const { inner, outer } = stage();
    inner.on({}, { body: "never" });
    outer.faults.add(fault);
    let written = 0;
    const error = await failureOf(
      outer.request({
        ...put,
        beforeWrite: () => {
          written += 1;
        },
      }),
    );
    assert.deepEqual([error.phase, error.systemCode, error.sent, error.message], [phase, systemCode, sent, message]);
    assert.equal(written, sent ? 1 : 0, fault.kind);
    assert.equal(inner.requests.length, 0);
    assert.equal(outer.inFlight, 0);
  }
});

test("faulty transport loses the answer of a request that took effect", async () => {
  const { inner, outer } = stage();
  inner.on({}, { body: "done" });
  outer.faults.add({ kind: "lostResponse", times: 1 });
  const error = await failureOf(outer.request(put));
  assert.deepEqual([error.phase, error.sent], ["response", true]);
  assert.equal(inner.requests.length, 1);
  assert.equal(inner.open, 0);
  assert.equal(await textOf(await outer.request(put)), "done");
});

test("faulty transport is silent until the signal aborts, and its request is in flight meanwhile", async () => {
  const { clock, inner, outer } = stage();
  outer.faults.add({ kind: "silent" });
  using deadline = clock.timeout("5s");
  const asked = outer.request({ ...get, signal: deadline });
  asked.catch(() => {});
  await clock.advance("4s");
  assert.equal(outer.inFlight, 1);
  await clock.advance("2s");
  await assert.rejects(asked, (error) => error === deadline.reason);
  assert.equal(outer.inFlight, 0);
  assert.equal(inner.requests.length, 0);
});

test("faulty transport delays the answer of a request that the server has seen, or the request itself", async () => {
  for (const [on, seenAfterMs] of [
    ["answer", 0],
    ["request", 3_000],
  ] as const) {
    const { clock, inner, outer } = stage();
    inner.on({}, { body: "late" });
    outer.faults.add({ kind: "slow", by: "3s", on });
    const written: number[] = [];
    const asked = outer.request({ ...put, beforeWrite: () => written.push(clock.elapsed()) });
    await clock.advance("2999ms");
    assert.equal(outer.inFlight, 1);
    await clock.advance("1ms");
    const response = await asked;
    assert.equal(response.timings.firstByte, 3_000);
    assert.equal(await textOf(response), "late");
    assert.deepEqual(written, [0]);
    assert.deepEqual(
      inner.requests.map(({ at }) => at),
      [seenAfterMs],
    );
  }
});

test("faulty transport frees a late answer that nobody waits for any more", async () => {
  const { clock, inner, outer } = stage();
  inner.on({}, { body: createScriptedStream() });
  outer.faults.add({ kind: "slow", by: "10s" });
  using deadline = clock.timeout("1s");
  const asked = outer.request({ ...get, signal: deadline });
  asked.catch(() => {});
  await clock.advance("1s");
  await assert.rejects(asked, (error) => error === deadline.reason);
  assert.deepEqual([inner.open, outer.inFlight], [0, 0]);
});

test("faulty transport answers in the server's place", async () => {
  const { inner, outer } = stage();
  outer.faults.add({ kind: "status", status: 503, body: "busy", headers: { "x-from": "proxy" }, retryAfter: 7 });
  const text = await outer.request(get);
  assert.equal(text.status, 503);
  assert.deepEqual(text.headers, { "retry-after": "7", "content-length": "4", "x-from": "proxy" });
  assert.equal(await textOf(text), "busy");
  outer.faults.add({ kind: "status", status: 418, body: ({ method }: TransportRequest) => ({ method }) });
  const json = await outer.request(get);
  assert.equal(json.headers["content-type"], "application/json");
  assert.equal(await textOf(json), '{"method":"GET"}');
  assert.equal(await textOf(await outer.request({ ...get, method: "HEAD" })), "");
  assert.deepEqual([inner.requests.length, outer.inFlight], [0, 0]);
});

test("faulty transport cuts a body after so many bytes, and what came before is read", async () => {
  const { inner, outer } = stage();
  inner.on({}, { body: "0123456789" });
  outer.faults.add({ kind: "cut", afterBytes: 4 });
  const { body } = await outer.request(get);
  const parts: string[] = [];
  const error = await failureOf(
    (async () => {
      for await (const part of body) parts.push(Buffer.from(part).toString("utf8"));
    })(),
  );
  assert.deepEqual(parts, ["0123"]);
  assert.deepEqual(
    [error.phase, error.systemCode, error.message],
    ["body", "ECONNRESET", "Cannot read the answer to GET from api.test:443 to its end: aborted (ECONNRESET)"],
  );
  assert.equal(outer.inFlight, 0);
});

test("faulty transport truncates a body as if it were complete, without a length that gives it away", async () => {
  const { inner, outer } = stage();
  inner.on({}, { body: "0123456789", headers: { "content-length": "10" } });
  outer.faults.add({ kind: "truncated" });
  const response = await outer.request(get);
  assert.equal(response.headers["content-length"], undefined);
  assert.equal(await textOf(response), "01234");
});

test("faulty transport ends a watch in each way at its time", async () => {
  for (const kind of ["closed", "truncated", "cut", "stalled"] as const) {
    const { clock, inner, outer } = stage();
    const stream = createScriptedStream();
    inner.on({}, { body: stream });
    outer.faults.add({ kind, after: "10s" });
    const stop = new AbortController();
    const { body } = await outer.request({ ...get, streaming: true, signal: stop.signal });
    const seen: string[] = [];
    let ending = "open";
    const reading = (async () => {
      for await (const part of body) seen.push(Buffer.from(part).toString("utf8"));
    })().then(
      () => {
        ending = "complete";
      },
      (error: unknown) => {
        ending = error === stop.signal.reason ? "aborted" : (error as TransportError).phase;
      },
    );
    stream.write("one\n");
    await clock.advance("10s");
    stream.write("four");
    await clock.settle();
    const expected = { closed: "complete", truncated: "complete", cut: "body", stalled: "open" }[kind];
    assert.deepEqual([kind, ending, seen], [kind, expected, kind === "truncated" ? ["one\n", "fo"] : ["one\n"]]);
    assert.equal(inner.open, 0);
    stop.abort(new Error("enough"));
    await reading;
    assert.equal(ending, kind === "stalled" ? "aborted" : expected);
  }
});

test("faulty transport strikes bodies under way, and only those that are meant", async () => {
  const { clock, inner, outer } = stage();
  inner.on({ path: "/a" }, { body: createScriptedStream() });
  inner.on({ path: "/b" }, { body: createScriptedStream() });
  const endings: string[] = [];
  for (const path of ["/a", "/b"]) {
    const { body } = await outer.request({ method: "GET", url: `http://api.test${path}`, streaming: true });
    (async () => {
      for await (const _ of body) endings.push("data");
    })().then(
      () => endings.push(`${path} closed`),
      (error: unknown) => endings.push(`${path} ${(error as TransportError).phase}`),
    );
  }
  assert.equal(outer.strike("cut", { path: "/a" }), 1);
  await clock.settle();
  assert.deepEqual(endings, ["/a body"]);
  assert.equal(outer.strike("closed"), 1);
  await clock.settle();
  assert.deepEqual(endings, ["/a body", "/b closed"]);
  assert.equal(outer.strike("cut"), 0);
});

test("faulty transport leaves a body that its reader leaves", async () => {
  const { inner, outer } = stage();
  const stream = createScriptedStream();
  inner.on({}, { body: stream });
  const { body } = await outer.request(get);
  stream.write("first");
  for await (const _ of body) break;
  assert.deepEqual([inner.open, outer.inFlight], [0, 0]);
});

test("faults strike so often and no more, the newest first, and none once disposed of", async () => {
  const { inner, outer } = stage();
  inner.on({}, { status: 200 });
  const { faults } = outer;
  const status = async (): Promise<number> => (await outer.request(get)).status;
  const old = faults.add({ kind: "status", status: 500 });
  const young = faults.add({ kind: "status", status: 429, times: 2 });
  assert.deepEqual([await status(), await status(), await status()], [429, 429, 500]);
  assert.deepEqual([young.hits, old.hits], [2, 1]);
  old[Symbol.dispose]();
  old[Symbol.dispose]();
  assert.equal(await status(), 200);
  faults.add({ kind: "status", status: 500 });
  faults.clear();
  assert.equal(await status(), 200);
});

test("faults with a probability strike alike for the same seed, however many others there are", async () => {
  const pattern = async (seed: number, others: number): Promise<string> => {
    const { inner, outer } = stage(seed);
    inner.on({}, { status: 200 });
    outer.faults.add({ kind: "status", status: 500, probability: 0.3 });
    for (let each = 0; each < others; each += 1) outer.faults.add({ kind: "refused", matcher: { path: "/other" } });
    let text = "";
    for (let each = 0; each < 200; each += 1) text += (await outer.request(get)).status === 500 ? "x" : ".";
    return text;
  };
  const first = await pattern(7, 0);
  assert.equal(await pattern(7, 3), first);
  assert.notEqual(await pattern(8, 0), first);
  const struck = first.split("x").length - 1;
  assert.ok(struck > 35 && struck < 85, `${struck} of 200`);
});

test("faults refuse numbers that are none, and say what they may be", () => {
  const { faults } = stage().outer;
  const [nan, infinite] = [Number.NaN, Number.POSITIVE_INFINITY];
  const refused: readonly (readonly [fault: TransportFault & FaultSelection<FaultMatcher>, text: string])[] = [
    [{ kind: "silent", times: 0 }, "times is 0, give a whole number above 0"],
    [{ kind: "silent", times: 1.5 }, "times is 1.5, give a whole number above 0"],
    [{ kind: "silent", times: infinite }, "times is Infinity, give a whole number above 0"],
    [{ kind: "silent", probability: 0 }, "probability is 0, give a number above 0 and up to 1"],
    [{ kind: "silent", probability: nan }, "probability is NaN, give a number above 0 and up to 1"],
    [{ kind: "cut", afterBytes: -1 }, "afterBytes is -1, give a whole number of bytes, 0 or more"],
    [{ kind: "cut", afterBytes: nan }, "afterBytes is NaN, give a whole number of bytes, 0 or more"],
    [{ kind: "status", status: 503, retryAfter: -1 }, "retryAfter is -1, give a whole number of seconds, 0 or more"],
    [{ kind: "status", status: nan }, "status is NaN, give a status of HTTP from 200 to 599"],
    [{ kind: "status", status: 99 }, "status is 99, give a status of HTTP from 200 to 599"],
  ];
  for (const [fault, text] of refused) {
    const message = `Cannot add fault ${fault.kind}: its ${text}`;
    assert.throws(() => faults.add(fault), { code: "InvalidOption", message });
  }
  for (const time of [nan, infinite, -1]) {
    assert.throws(() => faults.add({ kind: "slow", by: time }), { code: "InvalidDuration" });
    assert.throws(() => faults.add({ kind: "closed", after: time }), { code: "InvalidDuration" });
  }
});

test("faults refuse what is no seed before the first of them, and take every seed that there is", () => {
  for (const seed of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5]) {
    const clock = createVirtualClock();
    assert.throws(() => withFaults(stage().inner, { clock, seed }), { code: "InvalidOption", message: /seed/ });
  }
  for (const seed of [0, Number.MAX_SAFE_INTEGER]) {
    const { faults } = withFaults(stage().inner, { clock: createVirtualClock(), seed });
    faults.add({ kind: "silent", probability: 0.5 });
  }
});

test("fault matcher needs every part of it to match", async () => {
  const { inner, outer } = stage();
  inner.on({}, { status: 200 });
  const status = async (request: TransportRequest): Promise<number> => (await outer.request(request)).status;
  for (const [matcher, matched] of [
    [{}, true],
    [{ method: "GET", host: "api.test", path: "/things", query: { limit: "1" } }, true],
    [{ method: ["PUT", "GET"], host: /test$/, path: /^\/thin/g }, true],
    [{ method: "PUT" }, false],
    [{ host: "api.test:443" }, false],
    [{ path: "/thing" }, false],
    [{ query: { limit: "2" } }, false],
    [{ when: ({ url }: TransportRequest) => url.startsWith("https:") }, true],
    [{ method: "GET", when: () => false }, false],
  ] as const) {
    using _ = outer.faults.add({ kind: "status", status: 599, matcher });
    for (let twice = 0; twice < 2; twice += 1)
      assert.equal((await status(get)) === 599, matched, JSON.stringify(matcher));
  }
});
