import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Hold } from "../event/delivery.ts";
import type { BodyFormat } from "../ingress/body-format.ts";
import { cloudEventsBody } from "../ingress/cloud-events.ts";
import { githubSignature } from "../ingress/github-signature.ts";
import type { IngressAnswer } from "../ingress/ingress.ts";
import { jsonBody } from "../ingress/json-body.ts";
import { request, type Sent } from "../ingress/scripted-sender.fixture.ts";
import { unguessablePath } from "../ingress/unguessable-path.ts";
import type { Verifier } from "../ingress/verifier.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import type { Source } from "./source.ts";
import type { Received } from "./watch-buffer.ts";
import type { WebhookEvent } from "./webhook-options.ts";
import { webhookSource } from "./webhook-source.ts";

/** Believes whoever says a name. */
const named: Verifier = {
  covers: "request",
  challenge: "Name",
  async verify({ headers }) {
    const name = headers.get("x-name");
    return name === undefined ? undefined : { identity: name };
  },
};

function setUp<B>(source: Source<WebhookEvent<B>>) {
  const clock = createVirtualClock();
  const log = createRecordingLogger();
  const metrics = createMetrics();
  const hub = createScriptedHub({ clock, log, metrics });
  const watch = hub.subscribe(source, { name: "watch" });
  const scope = source.needLeaderElection ? "leader" : "everyone";
  let stop = new AbortController();
  let closed: Promise<void> = Promise.resolve();
  const post = (sent: Sent = {}): Promise<IngressAnswer> =>
    hub.ingress.answer(
      request({
        body: "{}",
        ...sent,
        headers: { "content-type": "application/json", "x-name": "me", ...sent.headers },
      }),
    );
  const receive = async (): Promise<Received<WebhookEvent<B>> | undefined> => {
    const until = new AbortController();
    const receiving = watch.receive(until.signal).catch(() => undefined);
    await clock.settle();
    until.abort();
    return receiving;
  };
  return {
    clock,
    log,
    metrics,
    hub,
    watch,
    post,
    /** What has come, if anything has. */
    receive,
    /** The answer once nothing more happens without time moving; undefined while there is none. */
    async answered(sent?: Sent): Promise<IngressAnswer | undefined> {
      let answer: IngressAnswer | undefined;
      post(sent).then(
        (given) => {
          answer = given;
        },
        () => {},
      );
      await clock.settle();
      return answer;
    },
    async open(): Promise<void> {
      stop = new AbortController();
      closed = hub.open(scope, stop.signal);
      await clock.settle();
    },
    async close(): Promise<void> {
      stop.abort(new Error("lost"));
      await clock.advance("10s");
      await closed;
    },
    /** Reads and settles what has come. */
    async work(outcome: "done" | "giveBack" = "done"): Promise<readonly WebhookEvent<B>[]> {
      const events: WebhookEvent<B>[] = [];
      for (;;) {
        const received = await receive();
        if (received === undefined) return events;
        events.push(received.event.object);
        received.hold[outcome]();
        await clock.settle();
      }
    },
  };
}

const status = (answers: readonly (IngressAnswer | undefined)[]) => answers.map((answer) => answer?.status);

test("webhookSource is serving as soon as its path is", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named }));
  const phase = (): string | undefined => stage.hub.states[0]?.phase;
  assert.equal(phase(), "waiting");
  await stage.open();
  assert.equal(phase(), "serving");
  await stage.close();
  assert.equal(phase(), "waiting");
});

// Promise 5
test("webhookSource answers 202 once the event is acknowledged, and 503 when it is given back", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named }));
  await stage.open();
  const answers = [stage.post({ body: '{"n":1}' }), stage.post({ body: '{"n":2}' })];
  const seen: number[] = [];
  for (const answer of answers) answer.then(({ status: code }) => seen.push(code));
  await stage.clock.settle();
  assert.deepEqual(seen, []);
  const first = await stage.watch.receive();
  assert.deepEqual(first?.event.object.body, { n: 1 });
  assert.equal(first?.event.object.identity, "me");
  first?.hold.done();
  const second = await stage.watch.receive();
  second?.hold.giveBack("7s");
  assert.deepEqual(await Promise.all(answers), [{ status: 202 }, { status: 503, headers: { "retry-after": "7" } }]);
});

// Promise 5
test("webhookSource answers 422 when its event is rejected, and takes it again", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, body: cloudEventsBody() }));
  await stage.open();
  const event = (id: string) => ({ specversion: "1.0", id, source: "/s", type: "t" });
  const post = (...ids: readonly string[]) =>
    stage.post({
      body: JSON.stringify(ids.map(event)),
      headers: { "content-type": "application/cloudevents-batch+json" },
    });
  for (const rejected of [["a", "b"], ["a"]]) {
    const answer = post(...rejected);
    for (const _ of rejected) (await stage.watch.receive())?.hold.reject(new Error("secret"));
    const { status: code, headers, body = "" } = await answer;
    assert.deepEqual([code, headers], [422, undefined]);
    assert.match(body, /^nothing can be done for this event/);
  }
  const mixed = post("c", "d");
  (await stage.watch.receive())?.hold.reject(new Error("bad"));
  (await stage.watch.receive())?.hold.giveBack();
  assert.equal((await mixed).status, 503, "one of them may come again");
});

// B19
test("webhookSource answers 503 where it is not open, and what waits when it closes is 503 too", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named }));
  const notOpen = await stage.post();
  assert.equal(notOpen.status, 503);
  assert.ok(Number(notOpen.headers?.["retry-after"]) >= 1);
  await stage.open();
  const waiting = Array.from({ length: 5 }, (_, n) => stage.post({ body: String(n) }));
  await stage.clock.settle();
  await stage.close();
  assert.deepEqual(status(await Promise.all(waiting)), [503, 503, 503, 503, 503]);
  await stage.open();
  assert.deepEqual(await stage.work(), [], "what was answered with 503 is its sender's");
});

// B19
test("webhookSource for the leader answers 202 when the event is in memory, where it stays over changes of leader", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, deliver: "leader-only" }));
  await stage.open();
  const answers = await Promise.all([1, 2, 3].map((n) => stage.post({ body: String(n) })));
  assert.deepEqual(status(answers), [202, 202, 202]);
  await stage.close();
  assert.equal((await stage.post()).status, 503);
  await stage.open();
  assert.deepEqual(
    (await stage.work()).map(({ body }) => body),
    [1, 2, 3],
  );
});

test("webhookSource answers 401 with no detail to whoever is not authenticated, and there is no event", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: githubSignature({ secret: () => "secret" }) }));
  await stage.open();
  const answers = [
    await stage.post({ headers: { "x-hub-signature-256": `sha256=${"0".repeat(64)}` } }),
    await stage.post(),
  ];
  for (const answer of answers) {
    assert.deepEqual(answer, { status: 401, headers: { "www-authenticate": "Signature" } });
  }
  assert.deepEqual(await stage.work(), []);
});

test("webhookSource answers 503 when the check cannot be made, logs why once a minute, and counts", async () => {
  const auth: Verifier = {
    ...named,
    verify: () => Promise.reject(new CodedError("Timeout", "Cannot ask: no answer")),
  };
  const stage = setUp(webhookSource({ path: "/hook", auth }));
  await stage.open();
  for (let n = 0; n < 100; n += 1) assert.equal((await stage.post()).status, 503);
  await stage.clock.advance("1m");
  await stage.post();
  assert.deepEqual(
    stage.log.lines
      .filter(({ level }) => level === "warn")
      .map(({ message, fields }) => [message, fields.source, fields.leftOut]),
    [
      ["Cannot check who sent a request", "webhook", undefined],
      ["Cannot check who sent a request", "webhook", 99],
    ],
  );
  assert.match((await stage.metrics.expose()).body, /farwatch_webhook_unchecked_total\{source="webhook"\} 101/);
});

test("webhookSource authenticates before it limits, and limits before it parses", async () => {
  const source = webhookSource({
    path: "/hook",
    auth: named,
    rateLimit: { perSecond: 1, burst: 2 },
    deliver: "leader-only",
  });
  const stage = setUp(source);
  await stage.open();
  const malformed = { body: "{" };
  assert.deepEqual(status([await stage.post(malformed), await stage.post(malformed)]), [400, 400]);
  const limited = await stage.post(malformed);
  assert.deepEqual([limited.status, limited.headers?.["retry-after"]], [429, "1"]);
  const stranger = await stage.hub.ingress.answer(
    request({ body: "{", headers: { "content-type": "application/json" } }),
  );
  assert.equal(stranger.status, 401);
  assert.equal((await stage.post({ headers: { "x-name": "you" } })).status, 202, "each sender has its own limit");
  await stage.clock.advance("1s");
  assert.equal((await stage.post()).status, 202);
});

test("webhookSource answers 415 to another content type, and 400 that names the field", async () => {
  const body = jsonBody({ type: "object", required: ["bucket"] });
  const stage = setUp(webhookSource({ path: "/hook", auth: named, body }));
  await stage.open();
  assert.deepEqual(await stage.post({ headers: { "content-type": "text/<plain>" } }), {
    status: 415,
    body: "the body must be application/json in UTF-8",
  });
  assert.deepEqual(await stage.post({ body: "{}" }), { status: 400, body: "body.bucket is missing" });
});

test("webhookSource drops a delivery that comes again, when its event is held and not before", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, body: cloudEventsBody() }));
  await stage.open();
  const event = { specversion: "1.0", id: "1", source: "/s", type: "t" };
  const sent = { body: JSON.stringify(event), headers: { "content-type": "application/cloudevents+json" } };
  const first = stage.post(sent);
  await stage.clock.settle();
  assert.equal((await stage.work("giveBack")).length, 1);
  assert.equal((await first).status, 503);
  // Not held: it is taken again, and a concurrent delivery waits for its outcome.
  const both = [stage.post(sent), stage.post(sent)];
  await stage.clock.settle();
  assert.equal((await stage.work()).length, 1);
  assert.deepEqual(status(await Promise.all(both)), [202, 202]);
  assert.equal((await stage.post(sent)).status, 202);
  assert.equal((await stage.work()).length, 0);
  assert.match((await stage.metrics.expose()).body, /farwatch_webhook_duplicates_total\{source="webhook"\} 2/);
  await stage.clock.advance("11m");
  const late = stage.post(sent);
  await stage.clock.settle();
  assert.equal((await stage.work()).length, 1);
  assert.equal((await late).status, 202);
});

// Promise 5
test("webhookSource takes an event of each sender, though another has used its id before", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, body: cloudEventsBody(), deliver: "leader-only" }));
  await stage.open();
  const body = JSON.stringify({ specversion: "1.0", id: "1", source: "/s", type: "t" });
  const by = (name: string): Sent => ({
    body,
    headers: { "content-type": "application/cloudevents+json", "x-name": name },
  });
  for (const name of ["one", "other", "one"]) assert.equal((await stage.post(by(name))).status, 202);
  assert.deepEqual(
    (await stage.work()).map(({ identity }) => identity),
    ["one", "other"],
  );
});

const signedByGithub = (body: string, delivery: string) => ({
  body,
  headers: {
    "x-hub-signature-256": `sha256=${createHmac("sha256", "secret").update(body).digest("hex")}`,
    "x-github-event": "push",
    "x-github-delivery": delivery,
  },
});

test("webhookSource behind GitHub's signature drops a body that comes again, whatever its delivery id", async () => {
  const auth = githubSignature({ secret: () => "secret" });
  const stage = setUp(webhookSource({ path: "/hook", auth, deliver: "leader-only" }));
  await stage.open();
  for (const [body, delivery] of [
    ['{"n":1}', "a"],
    ['{"n":1}', "b"],
    ['{"n":2}', "a"],
  ] as const) {
    assert.equal((await stage.post(signedByGithub(body, delivery))).status, 202);
  }
  assert.deepEqual(
    (await stage.work()).map(({ body }) => body),
    [{ n: 1 }, { n: 2 }],
  );
});

test("webhookSource behind GitHub's signature takes structured CloudEvents and no binary ones", async () => {
  const auth = githubSignature({ secret: () => "secret" });
  const stage = setUp(webhookSource({ path: "/hook", auth, body: cloudEventsBody(), deliver: "leader-only" }));
  await stage.open();
  const binary = signedByGithub("{}", "a");
  const attributes = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "t" };
  assert.equal((await stage.post({ ...binary, headers: { ...binary.headers, ...attributes } })).status, 400);
  const structured = signedByGithub('{"specversion":"1.0","id":"1","source":"/s","type":"t"}', "a");
  const headers = { ...structured.headers, "content-type": "application/cloudevents+json" };
  assert.equal((await stage.post({ ...structured, headers })).status, 202);
  assert.equal((await stage.work()).length, 1);
});

test("webhookSource drops nothing of a sender whose events have no identity", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, deliver: "leader-only" }));
  await stage.open();
  await stage.post();
  await stage.post();
  assert.equal((await stage.work()).length, 2);
});

// B38
test("webhookSource takes all events of a batch or none", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, body: cloudEventsBody(), capacity: 4 }));
  await stage.open();
  const event = (id: number) => ({ specversion: "1.0", id: String(id), source: "/s", type: "t" });
  const post = (...events: readonly object[]) =>
    stage.post({ body: JSON.stringify(events), headers: { "content-type": "application/cloudevents-batch+json" } });
  const bad = await post(event(1), { ...event(2), type: "" }, event(3));
  assert.deepEqual(bad, { status: 400, body: "event 1: type is empty" });
  assert.deepEqual(await stage.work(), []);
  const good = post(event(1), event(2), event(3));
  await stage.clock.settle();
  assert.deepEqual(
    (await stage.work()).map(({ body }) => body.id),
    ["1", "2", "3"],
  );
  assert.equal((await good).status, 202);
  // It would never find room.
  assert.deepEqual(await post(...[1, 2, 3, 4, 5].map(event)), {
    status: 413,
    body: "a batch may have 4 events at the most",
  });
  assert.equal((await post()).status, 202);
});

test("webhookSource answers 503 when its buffer is full, and a batch that does not fit leaves nothing in it", async () => {
  const source = webhookSource({
    path: "/hook",
    auth: named,
    body: cloudEventsBody(),
    deliver: "leader-only",
    capacity: 3,
  });
  const stage = setUp(source);
  await stage.open();
  const post = (...ids: readonly string[]) =>
    stage.post({
      body: JSON.stringify(ids.map((id) => ({ specversion: "1.0", id, source: "/s", type: "t" }))),
      headers: { "content-type": "application/cloudevents-batch+json" },
    });
  const codes: number[] = [];
  for (let n = 0; n < 12; n += 1) codes.push((await post(`${n}a`, `${n}b`)).status);
  assert.equal(codes[0], 202);
  assert.equal(codes.at(-1), 503);
  const taken = codes.filter((code) => code === 202).length;
  assert.equal((await stage.work()).length, taken * 2);
});

test("webhookSource answers 503 beyond the bytes that it may hold, before and after they are read, until they are worked on", async () => {
  const kib = 1_024;
  const source = webhookSource({
    path: "/hook",
    auth: named,
    deliver: "leader-only",
    maxHeldBytes: 100 * kib,
  });
  const stage = setUp(source);
  await stage.open();
  const body = JSON.stringify("x".repeat(10 * kib));
  const post = async (): Promise<number> => {
    const { status, headers } = await stage.post({ body });
    await stage.clock.settle();
    if (status === 503) assert.equal(headers?.["retry-after"], "5");
    return status;
  };
  const fill = async (): Promise<number> => {
    for (let n = 0; n < 100; n += 1) if ((await post()) === 503) return n;
    assert.fail("nothing bounds it");
  };
  const unread = await fill();
  assert.ok(unread >= 9 && unread <= 12, `${unread} bodies of 10 KiB`);
  const read: Hold[] = [];
  for (let next = await stage.receive(); next; next = await stage.receive()) read.push(next.hold);
  assert.ok(read.length >= 9 && read.length <= 11, `${read.length} are worked on`);
  await fill();
  assert.equal(await stage.receive(), undefined, "they are not worked on");
  for (const hold of read) hold.giveBack();
  await stage.clock.settle();
  assert.equal(await post(), 503, "what is given back waits in this process");
  await stage.clock.advance("1s");
  assert.ok((await stage.work()).length > read.length);
  assert.equal(await post(), 202);
});

test("webhookSource takes a request that is larger than all that it may hold when it holds nothing", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, deliver: "leader-only", maxHeldBytes: 1 }));
  await stage.open();
  assert.equal((await stage.post({ body: '"large"' })).status, 202);
  assert.equal((await stage.work()).length, 1);
});

// Promise 5
test("webhookSource answers 503 where there is no room for an event that it has just ceased to remember", async () => {
  const inner = createVirtualClock();
  /** How far the clock moves at each look. */
  const steps: number[] = [];
  let movedMs = 0;
  const elapsed = (): number => {
    movedMs += steps.shift() ?? 0;
    return inner.elapsed() + movedMs;
  };
  const hub = createScriptedHub({ clock: { ...inner, elapsed } });
  const options = { path: "/hook", auth: named, body: cloudEventsBody(), deliver: "leader-only", capacity: 1 } as const;
  const watch = hub.subscribe(webhookSource(options), { name: "watch" });
  const stop = new AbortController();
  const closed = hub.open("leader", stop.signal);
  await inner.settle();
  const post = async (id: string): Promise<number> => {
    const body = JSON.stringify({ specversion: "1.0", id, source: "/s", type: "t" });
    const headers = { "content-type": "application/cloudevents+json", "x-name": "me" };
    return (await hub.ingress.answer(request({ body, headers }))).status;
  };
  assert.equal(await post("first"), 202);
  (await watch.receive())?.hold.done();
  await inner.advance("599999ms");
  for (let n = 0; (await post(`${n}`)) === 202; n += 1) await inner.settle();
  // Its sender's rate, whether it is new, and when it is taken.
  steps.push(0, 0, 1);
  assert.equal(await post("first"), 503);
  assert.equal(steps.length, 0);
  stop.abort(new Error("lost"));
  await closed;
});

test("webhookSource hands on headers without credentials", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, deliver: "leader-only" }));
  await stage.open();
  const secrets = [
    "authorization",
    "proxy-authorization",
    "x-forwarded-authorization",
    "x-auth",
    "x-auth-token",
    "authentication-info",
    "cookie",
    "cookie2",
    "x-hub-signature",
    "x-hub-signature-256",
    "stripe-signature",
    "signature-input",
    "x-sig",
    "x-signed-by",
    "x-shopify-hmac-sha256",
    "x-api-key",
    "apikey",
    "aeg-sas-key",
    "x-functions-key",
    "x-gitlab-token",
    "x-client-secret",
    "x-password",
    "x-credentials",
    "x-session-id",
    "x-goog-iap-jwt-assertion",
  ];
  const headers = Object.fromEntries(secrets.map((name) => [name, "x"]));
  await stage.post({ headers: { ...headers, "x-github-event": "push" } });
  const [event] = await stage.work();
  assert.deepEqual([...(event?.headers.keys() ?? [])], ["content-type", "x-name", "x-github-event"]);
});

test("webhookSource hands on no header by which its verifier checks, whatever it is called", async () => {
  const auth = githubSignature({ secret: () => "secret", header: "X-Checksum" });
  const stage = setUp(webhookSource({ path: "/hook", auth, deliver: "leader-only" }));
  await stage.open();
  const { body, headers } = signedByGithub("{}", "a");
  const { "x-hub-signature-256": checksum } = headers;
  assert.equal((await stage.post({ body, headers: { "x-checksum": checksum } })).status, 202);
  const [event] = await stage.work();
  assert.deepEqual([...(event?.headers.keys() ?? [])], ["content-type", "x-name"]);
});

test("webhookSource gives the sender's trace as a link, and carries nothing else of it on", async () => {
  const stage = setUp(webhookSource({ path: "/hook", auth: named, deliver: "leader-only" }));
  await stage.open();
  const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  await stage.post({ headers: { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "a=b", baggage: "user=1" } });
  const [event] = await stage.work();
  assert.deepEqual(event?.traceLink, { traceId, spanId });
  assert.deepEqual([...(event?.headers.keys() ?? [])], ["content-type", "x-name"]);
});

test("webhookSource without authentication wants a path that nobody guesses, and shows it nowhere", async () => {
  const auth = unguessablePath();
  const secret = "pY3kQm9vT2sLw8ZrB5nXcA";
  for (const path of ["/hook", "/a/aaaaaaaaaaaaaaaaaaaaaaaaaaaa", `/${secret}/hook`] as const) {
    assert.throws(
      () => webhookSource({ path, auth }),
      (error) => error instanceof CodedError && error.code === "InvalidOption" && !error.message.includes(path),
    );
  }
  const stage = setUp(webhookSource({ path: `/hooks/${secret}`, auth, deliver: "leader-only" }));
  await stage.open();
  assert.equal((await stage.post({ path: `/hooks/${secret}` })).status, 202);
  assert.equal(stage.hub.ingress.find(`/hooks/${secret}`)?.route.secretPath, true);
  assert.throws(
    () => stage.hub.subscribe(webhookSource({ name: "other", path: `/hooks/${secret}`, auth }), { name: "w" }),
    (error) => error instanceof CodedError && error.code === "DuplicateName" && !error.message.includes(secret),
  );
  assert.doesNotMatch(JSON.stringify(stage.log.lines), new RegExp(secret));
  assert.doesNotMatch(JSON.stringify(stage.hub.states), new RegExp(secret));
});

test("webhookSource refuses options that make no source", () => {
  assert.throws(() => webhookSource({ path: "/a?b", auth: named }), { code: "InvalidOption" });
  assert.throws(() => webhookSource({ path: "/a", auth: named, capacity: 0 }), { code: "InvalidOption" });
  const annotates = { resource: ConfigMap, namespace: "ns", name: "own" };
  assert.throws(() => webhookSource({ path: "/a", auth: named, deliver: "leader-only", annotates }), {
    code: "InvalidOption",
  });
  assert.throws(() => webhookSource({ auth: named } as never), {
    code: "InvalidOption",
    message: "Cannot make source webhook: its path is none, give one such as /github without a query",
  });
  assert.throws(() => webhookSource({ path: "/a", auth: named, deliver: "annotated" as "annotate" }), {
    code: "InvalidOption",
    message: 'Cannot make source webhook: deliver is "annotated", give "annotate" or "leader-only"',
  });
  for (const body of [{ parse: JSON.parse }, null, "json"]) {
    assert.throws(() => webhookSource({ path: "/a", auth: named, body: body as never }), {
      code: "InvalidOption",
      message: "Cannot make source webhook: its `body` is no format, give one such as jsonBody(schema)",
    });
  }
  assert.throws(() => webhookSource({ path: "/a", auth: named, maxBodyBytes: 1.5 }), { code: "InvalidOption" });
  assert.throws(() => webhookSource({ path: "/a", auth: named, duplicates: { most: 0 } }), { code: "InvalidOption" });
  assert.throws(() => webhookSource({ path: "/a", auth: named, rateLimit: { perSecond: 0 } }), {
    code: "InvalidOption",
    message: /rate limiter ingress webhook/,
  });
  assert.throws(() => webhookSource({ path: "/a", auth: named, duplicates: { window: "soon" as "1s" } }), {
    code: "InvalidDuration",
  });
});

test("webhookSource tells the events of one request apart, where only the request has an identity", async () => {
  const auth: Verifier = { ...named, duplicateKey: (_request, body) => Buffer.from(body).toString() };
  const body: BodyFormat<unknown> = {
    accepts: () => true,
    read: async () => ({ type: "events", events: [{ body: 1 }, { body: 2 }] }),
  };
  const stage = setUp(webhookSource({ path: "/hook", auth, body, deliver: "leader-only" }));
  await stage.open();
  assert.deepEqual(status([await stage.post({ body: "a" }), await stage.post({ body: "a" })]), [202, 202]);
  assert.deepEqual(
    (await stage.work()).map((event) => event.body),
    [1, 2],
  );
});

test("webhookSource lets a format answer what is no event, to authenticated senders, and OPTIONS to everybody", async () => {
  const body: BodyFormat<unknown> = {
    accepts: () => true,
    preflight: () => ({ status: 200, headers: { allow: "POST, OPTIONS" } }),
    read: async () => ({ type: "answer", answer: { status: 200, body: "you may" } }),
  };
  const stage = setUp(webhookSource({ path: "/hook", auth: named, body }));
  await stage.open();
  assert.deepEqual(await stage.post(), { status: 200, body: "you may" });
  const stranger = (method: string) => stage.hub.ingress.answer(request({ method, headers: {} }));
  assert.equal((await stranger("POST")).status, 401);
  assert.deepEqual(await stranger("OPTIONS"), { status: 200, headers: { allow: "POST, OPTIONS" } });
  assert.deepEqual(await stage.work(), []);
  await stage.close();
  assert.equal((await stranger("OPTIONS")).status, 503);
});
