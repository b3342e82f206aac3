import assert from "node:assert/strict";
import { test } from "node:test";
import * as farwatch from "farwatch";
import { createMetrics } from "farwatch";
import { createScriptedCache, createScriptedHub, createVirtualClock } from "farwatch/doubles";

type Given = Readonly<Record<string, unknown>>;

/** A source as plain JavaScript makes it. */
interface Made {
  /** As it is exported. */
  readonly source: string;
  /** Options with which it can be made. */
  readonly right: Given;
  /** Options without which it cannot. */
  readonly needed: readonly string[];
  /** By the name of an option, as an error tells it: what it may not be. */
  readonly wrong: Readonly<Record<string, readonly unknown[]>>;
  /** Default: the options are all that it takes. */
  readonly make?: (options: unknown) => unknown;
}

const plain = farwatch as unknown as Readonly<
  Record<string, (...args: readonly unknown[]) => farwatch.Source<unknown>>
>;
const call = (source: string, ...args: readonly unknown[]): farwatch.Source<unknown> =>
  plain[source]?.(...args) ?? assert.fail(`there is no ${source}`);
const { Secret } = farwatch;
const give = (): undefined => undefined;
const auth = farwatch.unguessablePath();
const path = "/4f9c1d0b7e6a48e2a3c5d1f0b9e8a7c6";
const sqs = "https://sqs.eu-west-1.amazonaws.com/1/uploads";
const noDurations = ["soon", "", -1, Number.NaN, {}, 0];
const noFunctions = ["json", {}];
const noBounds = [0, 1.5, Number.NaN, "5"];
const noFlags = ["true", 1];
const noTexts = ["", 5, {}];
const held = { maxUnacknowledged: noBounds, maxUnacknowledgedBytes: noBounds, maxDeliveries: noBounds };
const ofBroker = { ...held, onDeadLetter: noFunctions, read: noFunctions };
const ofWeb = {
  read: noFunctions,
  headers: ["a: b", { a: 1 }, []],
  tls: ["none", []],
  "the proxy": ["socks5://a:1"],
  proxy: [5],
  connectPolicy: noFunctions,
  "checkpoint.read": [{ write: give }],
  "checkpoint.write": [{ read: give }],
  maxUnacknowledged: noBounds,
};
/** Where what is wrong is told by another name than that of the option. */
const optionOf: Readonly<Record<string, string>> = { "the proxy": "proxy" };

const all: readonly Made[] = [
  {
    source: "kindSource",
    right: { resource: Secret },
    needed: ["resource"],
    wrong: { resource: ["Secret", {}, null] },
    make: (options) => call("kindSource", (options as Given | undefined)?.resource),
  },
  {
    source: "tickerSource",
    right: { every: "1m" },
    needed: ["every"],
    wrong: { every: noDurations, jitter: [1, -0.1, "0.5"], immediate: noFlags },
  },
  {
    source: "cronSource",
    right: { pattern: "@daily" },
    needed: ["pattern"],
    wrong: {
      pattern: ["every day", "61 * * * *", 5, ""],
      timeZone: ["Mars/Olympus", 5],
      missed: ["latest", 5],
      missedLimit: noBounds,
      since: noFunctions,
    },
  },
  {
    source: "timerSource",
    right: { period: give },
    needed: ["period"],
    wrong: { period: noFunctions, doublings: noFunctions, key: noFunctions, floor: noDurations },
    make: (options) => call("timerSource", Secret, options),
  },
  {
    source: "pollSource",
    right: { every: "1m", list: give, key: give },
    needed: ["every", "list", "key"],
    wrong: {
      every: noDurations,
      list: noFunctions,
      key: noFunctions,
      known: noFunctions,
      equal: noFunctions,
      timeout: noDurations,
      capacity: noBounds,
      "rateLimiter.take": [{}],
      "circuitBreaker.run": [{}],
    },
  },
  {
    source: "pollSource",
    right: { period: give, fetch: give },
    needed: ["period", "fetch"],
    wrong: {
      period: noFunctions,
      fetch: noFunctions,
      known: noFunctions,
      limitKey: noFunctions,
      concurrency: noBounds,
      floor: noDurations,
    },
    make: (options) => call("pollSource", Secret, options),
  },
  {
    source: "channelSource",
    right: {},
    needed: [],
    wrong: { capacity: noBounds, maxUnacknowledged: noBounds, coalesce: noFunctions, deliver: ["annotated"] },
  },
  {
    source: "requestSource",
    right: {},
    needed: [],
    wrong: { capacity: noBounds, maxUnacknowledged: noBounds, deliver: ["annotated"] },
  },
  {
    source: "iterableSource",
    right: { name: "lines" },
    needed: ["name"],
    wrong: {
      capacity: noBounds,
      maxUnacknowledged: noBounds,
      event: noFunctions,
      ends: noFlags,
      delivery: ["once"],
      durability: ["disk"],
      overflow: ["drop"],
      "overflow.coalesce": [{}],
    },
    make: (options) => call("iterableSource", (options as Given | undefined)?.name, async function* () {}, options),
  },
  {
    source: "fileSource",
    right: { path: "/etc/settings" },
    needed: ["path"],
    wrong: { path: noTexts, poll: noDurations, settle: noDurations.slice(0, -1), maxBytes: noBounds },
  },
  {
    source: "webhookSource",
    right: { path, auth },
    needed: ["path", "auth"],
    wrong: {
      deliver: ["annotated"],
      capacity: noBounds,
      maxHeldBytes: noBounds,
      maxBodyBytes: noBounds,
      "duplicates.window": [{ window: "soon" }],
      "duplicates.most": [{ most: 0 }],
    },
  },
  {
    source: "sseSource",
    right: { url: "https://flags.test/stream" },
    needed: ["url"],
    wrong: {
      ...ofWeb,
      url: ["flags.test", "ftp://flags.test", "https://me:hunter2@flags.test", 5],
      idle: noDurations,
      maxEventBytes: noBounds,
      "transport.request": [{}],
    },
  },
  {
    source: "webSocketSource",
    right: { url: "wss://exchange.test/feed", placeOf: give },
    needed: ["url"],
    wrong: {
      ...ofWeb,
      url: ["exchange.test", "https://exchange.test", "wss://me:hunter2@exchange.test", 5],
      placeOf: noFunctions,
      onOpen: noFunctions,
      protocols: ["chat", [""], [5]],
      pingEvery: noDurations,
      maxMessageBytes: noBounds,
    },
  },
  {
    source: "jetStreamSource",
    right: { servers: "nats://nats:4222", stream: "s", consumer: "c" },
    needed: ["servers", "stream", "consumer"],
    wrong: {
      ...ofBroker,
      servers: ["http://nats", 5, []],
      stream: ["a.b", ""],
      consumer: ["a.b", ""],
      filterSubjects: ["uploads.*", [""]],
      ackWait: [...noDurations, "1ms"],
      auth: ["token", { user: "me" }],
    },
  },
  {
    source: "natsSource",
    right: { servers: ["nats://nats:4222"], subject: "s" },
    needed: ["servers", "subject"],
    wrong: {
      servers: ["http://nats", 5, []],
      subject: ["a b", ""],
      queue: [""],
      read: noFunctions,
      capacity: noBounds,
    },
  },
  {
    source: "redisStreamSource",
    right: { url: "redis://redis", stream: "s", group: "g" },
    needed: ["url", "stream", "group"],
    wrong: {
      ...ofBroker,
      url: ["redis:6379", 5],
      stream: noTexts,
      group: noTexts,
      claimAfter: [...noDurations, "1ms"],
      finished: ["Delete"],
    },
  },
  {
    source: "postgresOutboxSource",
    right: {},
    needed: [],
    wrong: {
      ...ofBroker,
      url: ["host/db", 5],
      table: noTexts,
      schema: noTexts,
      channel: noTexts,
      lease: [...noDurations, "1ms"],
      poll: [...noDurations, "1ms"],
      finished: ["keep"],
    },
  },
  {
    source: "postgresNotifySource",
    right: { channel: "c" },
    needed: ["channel"],
    wrong: { channel: noTexts, url: ["host/db", 5], read: noFunctions, capacity: noBounds },
  },
  {
    source: "sqsSource",
    right: { queueUrl: sqs },
    needed: ["queueUrl"],
    wrong: { ...ofBroker, queueUrl: ["uploads", 5], visibility: [...noDurations, "1s", "13h", "3500ms"] },
  },
  {
    source: "kafkaSource",
    right: { brokers: ["kafka:9092"], topics: ["t"], group: "g" },
    needed: ["brokers", "topics", "group"],
    wrong: {
      ...ofBroker,
      brokers: ["kafka:9092", [""], []],
      topics: ["t", [""], []],
      group: noTexts,
      session: [...noDurations, "1ms"],
      startAt: ["Earliest"],
      "sasl.mechanism": [{}, { mechanism: "gssapi" }],
      "sasl.username": [{ mechanism: "plain", password: "hunter2" }],
      "sasl.password": [{ mechanism: "plain", username: "me", password: "" }],
      "sasl.token": [{ mechanism: "oauthbearer", token: "hunter2" }],
      tls: ["yes"],
    },
  },
  {
    source: "bucketEventSource",
    right: { provider: "s3", buckets: ["photos"], from: () => farwatch.channelSource() },
    needed: ["provider", "buckets", "from"],
    wrong: { provider: ["minio"], buckets: ["photos", [""], []], from: noFunctions, endpoint: ["minio", 5] },
  },
];

const common = { name: noTexts, needLeaderElection: noFlags, critical: noFlags };
/** What these are not told, or are told under what carries them. */
const untold: Readonly<Record<string, readonly string[]>> = {
  kindSource: ["name", "needLeaderElection", "critical"],
  bucketEventSource: ["name", "needLeaderElection", "critical"],
};

function makerOf({ source, right, make = (options: unknown) => call(source, options) }: Made) {
  return (options: Given = {}) => make({ ...right, ...options });
}

test("every source is in this table", () => {
  const exported = Object.keys(farwatch).filter((name) => name.endsWith("Source"));
  assert.deepEqual([...new Set(all.map(({ source }) => source))].toSorted(), exported.toSorted());
});

test("every source refuses at once an option that it needs and is not given, and names it", () => {
  for (const made of all) {
    const make = makerOf(made);
    assert.ok(make(), made.source);
    for (const what of made.needed) {
      assert.throws(
        () => make({ [what]: undefined }),
        { code: "InvalidOption", message: new RegExp(`\\b${what}\\b.*\\b[Gg]ive `) },
        `${made.source} without ${what}`,
      );
    }
    if (made.needed.length === 0) continue;
    const bare = made.make ?? ((options: unknown) => call(made.source, options));
    for (const nothing of [undefined, null])
      assert.throws(() => bare(nothing), { code: "InvalidOption" }, `${made.source} without options`);
  }
});

test("every source refuses at once an option that is wrong, names it, and says what to give", () => {
  for (const made of all) {
    const make = makerOf(made);
    const shared = Object.entries(common).filter(([what]) => !untold[made.source]?.includes(what));
    for (const [what, values] of [...shared, ...Object.entries(made.wrong)]) {
      const option = optionOf[what] ?? what.split(".")[0] ?? what;
      for (const value of values) {
        const said = `${made.source} with ${option} ${JSON.stringify(value)}`;
        let thrown: unknown;
        try {
          make({ [option]: value });
        } catch (error) {
          thrown = error;
        }
        assert.ok(thrown instanceof Error && "code" in thrown, `${said}: ${String(thrown)}`);
        assert.match(String(thrown.code), /^Invalid(Option|Duration)$/, said);
        assert.match(thrown.message, new RegExp(`^Cannot .*\\b(?:${what}|${option})\\b`), said);
        assert.match(thrown.message, /\b(give|send|use|must)\b/, said);
        assert.doesNotMatch(thrown.message, /hunter2/, said);
      }
    }
  }
});

test("every source that nobody named stands beside another of its kind, each under a name of its own", () => {
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock, cache: createScriptedCache(), metrics: createMetrics() });
  const first = all.filter(({ source }) => source !== "iterableSource");
  for (const made of first) {
    const names = new Set(hub.states.map(({ name }) => name));
    const paths = made.source === "webhookSource" ? [{}, { path: `${path}2` }] : [{}, {}];
    for (const own of paths) hub.subscribe(makerOf(made)(own) as farwatch.Source<unknown>, { name: "w" });
    const fresh = hub.states.filter(({ name }) => !names.has(name));
    assert.equal(fresh.length, 2, made.source);
  }
});

test("sources that nobody named count apart, those too that count for themselves", async () => {
  const [clock, metrics] = [createVirtualClock(), createMetrics()];
  const hub = createScriptedHub({ clock, metrics });
  const poll = () => farwatch.pollSource({ every: "1m", list: () => [], key: String });
  for (const source of [poll(), poll()]) hub.subscribe(source, { name: "w" });
  const end = new AbortController();
  const closed = hub.open("leader", end.signal);
  await clock.advance("10m");
  end.abort(new Error("stop"));
  await closed;
  const polls = metrics.counter({ name: "farwatch_source_polls_total", help: "", labelNames: ["source"] });
  for (const source of ["poll", "poll-2"]) assert.ok(polls.read({ source }) >= 10, source);
});
