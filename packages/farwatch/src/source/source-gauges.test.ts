import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf, parseTime } from "../clock/instant.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { opened, pushed, setUp } from "./pushed-source.fixture.ts";

/** The samples of one source, by what stands before the value. */
async function samplesOf({ hub, metrics }: Pick<ReturnType<typeof setUp>, "hub" | "metrics">, source: string) {
  hub.sample();
  const { body } = await metrics.expose();
  const lines = body.split("\n").filter((line) => line.includes(`source="${source}"`));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", labels = "", value = ""] = /^farwatch_source_(\w+)\{(.*)\} (.+)$/.exec(line) ?? [];
      const others = labels.split(",").filter((label) => !label.startsWith("source="));
      return [[name, ...others].join(" "), Number(value)];
    }),
  );
}

// Promise 3
test("source gauges say how a source is", async () => {
  const env = setUp();
  const events: SourceEvent<string>[] = ["a", "b", "c"].map((object) => ({
    type: "generic",
    object,
    ack: { done() {}, retry() {} },
    occurredAt: instantOf(env.clock.now().getTime() - 2_500),
  }));
  const { source } = pushed({
    durability: "origin",
    ends: true,
    async *events() {
      yield* events;
    },
  });
  const watch = env.hub.subscribe(source, { name: "w" });
  assert.equal((await samplesOf(env, "pushed"))['phase phase="waiting"'], 1);
  const scope = opened(env);
  const first = await watch.receive();
  await env.clock.settle();
  const now = await samplesOf(env, "pushed");
  assert.deepEqual(now, {
    events_total: 3,
    failures_total: 0,
    failing: 0,
    held: 0,
    unacknowledged_events: 3,
    kept_events: 0,
    lag_seconds: 2.5,
    last_event_timestamp_seconds: 1_893_456_000,
    'buffered_events watch="w"': 2,
    'phase phase="waiting"': 0,
    'phase phase="starting"': 0,
    'phase phase="serving"': 0,
    'phase phase="failing"': 0,
    'phase phase="ended"': 1,
  });
  first?.hold.done();
  await scope.close();
});

test("source gauges take no lag from what is no time, and none below zero", async () => {
  for (const [occurredAt, lag] of [
    [instantOf(Number.NaN), undefined],
    [parseTime("2031-01-01T00:00:00Z"), 0],
  ] as const) {
    const env = setUp();
    const { source } = pushed({
      ends: true,
      async *events() {
        yield { type: "generic", object: "a", occurredAt };
      },
    });
    env.hub.subscribe(source, { name: "w" });
    const scope = opened(env);
    await env.clock.settle();
    assert.equal((await samplesOf(env, "pushed")).lag_seconds, lag);
    await scope.close();
  }
});

test("source gauges go away with the watch and with the source, and numbers of names are used again", async () => {
  const env = setUp();
  const scope = opened(env);
  const derived = () => pushed({ name: "ticker-1m", numbered: true }).source;
  const kept = env.hub.subscribe(derived(), { name: "w" });
  const shared = derived();
  const [one, two] = [env.hub.subscribe(shared, { name: "one" }), env.hub.subscribe(shared, { name: "two" })];
  const depths = async () =>
    Object.keys(await samplesOf(env, "ticker-1m-2")).filter((name) => name.startsWith("buffered_events"));
  assert.equal((await depths()).length, 2);
  await one[Symbol.asyncDispose]();
  assert.deepEqual(await depths(), ['buffered_events watch="two"']);
  await two[Symbol.asyncDispose]();
  assert.deepEqual(await samplesOf(env, "ticker-1m-2"), { events_total: 0, failures_total: 0 }, "counters stay");
  assert.deepEqual(
    env.hub.states.map(({ name }) => name),
    ["ticker-1m"],
  );
  for (let round = 0; round < 3; round += 1) {
    const again = env.hub.subscribe(derived(), { name: "w" });
    assert.equal(env.hub.states[1]?.name, "ticker-1m-2");
    await again[Symbol.asyncDispose]();
  }
  await kept[Symbol.asyncDispose]();
  await scope.close();
});

test("source hub lets go of the name of a source that cannot declare what it needs", async () => {
  const env = setUp();
  const refused = pushed({
    declare() {
      throw new Error("the path is taken");
    },
  });
  assert.throws(() => env.hub.subscribe(refused.source, { name: "w" }), { message: "the path is taken" });
  assert.deepEqual(env.hub.states, []);
  env.hub.subscribe(pushed().source, { name: "w" });
});
