import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cache } from "../cache/cache.ts";
import type { Duration } from "../clock/duration.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { messageOf } from "../error/coded-error.ts";
import { createDelivery } from "../event/delivery.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { EventHandler } from "../handler/event-handler.ts";
import { silentLogger } from "../observe/logger.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { AddOptions } from "../queue/work-queue.ts";
import type { DeadLetter } from "./controller.ts";
import { createEventMapper } from "./event-mapper.ts";

interface Added extends AddOptions {
  readonly name: string;
}

function setUp(
  handler: EventHandler<unknown>,
  options: {
    predicates?: readonly Predicate<unknown>[];
    attempts?: number;
    timeout?: Duration;
    handOver?: () => Promise<void>;
  } = {},
) {
  const clock = createVirtualClock();
  const added: Added[] = [];
  const letters: DeadLetter[] = [];
  const counted = { failed: 0, dead: 0 };
  const stop = new AbortController();
  const mapper = createEventMapper({
    controller: "c",
    source: "s",
    handler,
    predicates: options.predicates ?? [],
    queue: { add: ({ name }, more = {}) => added.push({ name, ...more }) },
    // A handler in these tests reads no cache: a read fails as a read of undefined.
    ctx: {
      clock: { ...clock, random: () => 1 },
      log: silentLogger,
      signal: stop.signal,
      cache: undefined as unknown as Cache,
    },
    attempts: options.attempts,
    timeout: options.timeout,
    onDeadLetter: (letter) => {
      letters.push(letter);
      return options.handOver?.();
    },
    observer: {
      handlerFailed: () => {
        counted.failed += 1;
      },
      deadLetter: () => {
        counted.dead += 1;
      },
    },
  });
  const settled: string[] = [];
  const send = (event: SourceEvent<unknown>): Promise<void> | undefined => {
    const delivery = createDelivery({
      done: () => settled.push("done"),
      retry: () => settled.push("retry"),
      reject: (error) => settled.push(`reject ${messageOf(error)}`),
    });
    return mapper.map(event, delivery.hold());
  };
  return { clock, mapper, added, letters, counted, stop, send, settled };
}

const event: SourceEvent<unknown> = { type: "generic", object: { name: "x" } };

test("eventMapper adds each request with its delay, its lane and the event as its cause", () => {
  const { added, send, settled } = setUp(() => [{ name: "a" }, { name: "b", after: "2s", priority: 7 }]);
  assert.equal(send(event), undefined, "a handler that answers at once costs no turn");
  assert.deepEqual(
    added.map(({ name, afterMs, priority }) => ({ name, afterMs, priority })),
    [
      { name: "a", afterMs: 0, priority: 0 },
      { name: "b", afterMs: 2_000, priority: 7 },
    ],
  );
  added[0]?.cause?.done();
  assert.deepEqual(settled, [], "the second request still holds the event");
  added[1]?.cause?.done();
  assert.deepEqual(settled, ["done"]);
});

test("eventMapper acknowledges an event that causes no request", async () => {
  const { send, settled } = setUp(() => []);
  await send(event);
  assert.deepEqual(settled, ["done"]);
});

test("eventMapper puts objects of an initial list behind what happens now", async () => {
  const { added, send } = setUp(() => [{ name: "a" }]);
  await send({ type: "create", object: {}, inInitialList: true });
  await send({ type: "create", object: {}, inInitialList: false });
  assert.deepEqual(
    added.map(({ priority }) => priority),
    [-100, 0],
  );
});

test("eventMapper asks no predicate about a delete", async () => {
  const { added, send } = setUp(() => [{ name: "a" }], { predicates: [() => false] });
  await send(event);
  assert.equal(added.length, 0);
  await send({ type: "delete", object: {}, stateUnknown: false });
  assert.equal(added.length, 1);
});

test("eventMapper acknowledges no event of which its handler gave something that is no list of requests", async () => {
  const given = [
    undefined,
    null,
    5,
    "text",
    { name: "a" },
    () => [],
    (async function* () {})(),
    [{}],
    [{ name: "a", namespace: 5 }],
  ];
  for (const one of given.flatMap((value) => [() => value, async () => value])) {
    const { added, clock, letters, send, settled } = setUp(one as unknown as EventHandler<unknown>, { attempts: 1 });
    await send(event);
    await clock.settle();
    assert.deepEqual([added.length, letters.length, settled.length], [0, 1, 1]);
    assert.match(settled[0] ?? "", /^reject Cannot make .* of what the handler of source s gave: .*give/);
  }
});

test("eventMapper waits for a promise that is none of Node's", async () => {
  // biome-ignore lint/suspicious/noThenProperty: as libraries with promises of their own have it.
  const promised = { then: (give: (requests: unknown) => void) => give([{ name: "a" }]) };
  const { added, send } = setUp((() => promised) as unknown as EventHandler<unknown>);
  await send(event);
  assert.deepEqual(
    added.map(({ name }) => name),
    ["a"],
  );
});

test("eventMapper goes on when the dead-letter hook does not end, and gives the event back when it stops meanwhile", async () => {
  const bad = (): never => {
    throw new Error("cannot map");
  };
  const options = { attempts: 1, handOver: () => new Promise<void>(() => {}) };
  const running = setUp(bad, options);
  await running.send(event);
  await running.clock.advance("30s");
  assert.deepEqual(running.settled, ["reject cannot map"]);

  const stopping = setUp(bad, options);
  await stopping.send(event);
  stopping.stop.abort(new Error("stop"));
  const idle = stopping.mapper.idle();
  await stopping.clock.advance("2s");
  await idle;
  assert.deepEqual(stopping.settled, ["retry"]);
  assert.equal(stopping.clock.pendingTimers, 0);
});

// Promise 3
test("eventMapper tries an event again with backoff while later events go on, then hands it over as a dead letter", async () => {
  const calls: unknown[] = [];
  const { clock, added, letters, counted, send, settled } = setUp(({ object }) => {
    calls.push(object);
    if (object === "bad") throw new Error("cannot map");
    return [{ name: String(object) }];
  });
  await send({ type: "generic", object: "bad" });
  await send({ type: "generic", object: "good" });
  assert.deepEqual(
    added.map(({ name }) => name),
    ["good"],
  );
  await clock.advance("1m");
  assert.equal(calls.filter((object) => object === "bad").length, 5);
  assert.equal(letters.length, 1);
  assert.equal(letters[0]?.attempts, 5);
  assert.match(String(letters[0]?.error), /cannot map/);
  assert.deepEqual(counted, { failed: 5, dead: 1 });
  assert.deepEqual(settled, ["reject cannot map"], "the good event is held by its request");
});

test("eventMapper maps an event once when a later try succeeds", async () => {
  let failures = 2;
  const { clock, added, letters, send } = setUp(async () => {
    failures -= 1;
    if (failures >= 0) throw new Error("not yet");
    return [{ name: "a" }];
  });
  await send(event);
  await clock.advance("1m");
  assert.deepEqual(
    added.map(({ name }) => name),
    ["a"],
  );
  assert.equal(letters.length, 0);
});

// Promise 2
test("eventMapper counts a handler that does not return in time as failed", async () => {
  const { clock, letters, send } = setUp(() => new Promise(() => {}), { timeout: "10s", attempts: 1 });
  const mapping = send(event);
  await clock.advance("10s");
  await mapping;
  assert.equal(letters.length, 1);
  assert.equal(
    messageOf(letters[0]?.error),
    "Cannot map an event of source s for controller c: its handler did not return within 10000 ms",
  );
});

test("eventMapper sets a timer only for a handler that waits for something outside", async () => {
  let answer: () => void = () => {};
  const waits = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { clock, added, send } = setUp(async ({ object }) => {
    await (object === "waits" ? waits : Promise.resolve());
    return [{ name: "a" }];
  });
  await send(event);
  await clock.settle();
  assert.deepEqual([added.length, clock.pendingTimers], [1, 0]);
  const mapping = send({ type: "generic", object: "waits" });
  await clock.settle();
  assert.equal(clock.pendingTimers, 1);
  answer();
  await mapping;
  assert.deepEqual([added.length, clock.pendingTimers], [2, 0]);
});

test("eventMapper takes a promise that throws when it is waited for for a failed try", async () => {
  // biome-ignore lint/suspicious/noThenProperty: as libraries with promises of their own have it.
  const thrower = { then: () => assert.fail("not today") };
  const handler = (() => thrower) as unknown as EventHandler<unknown>;
  const { clock, counted, letters, mapper, send } = setUp(handler, { attempts: 2 });
  await send(event);
  await clock.advance("1m");
  await mapper.idle();
  assert.deepEqual([counted.failed, letters.map(({ error }) => messageOf(error))], [2, ["not today"]]);
});

test("eventMapper counts a predicate that throws as a failed try", async () => {
  const { clock, letters, send } = setUp(() => [], {
    predicates: [
      () => {
        throw new Error("bad predicate");
      },
    ],
    attempts: 2,
  });
  await send(event);
  await clock.advance("1m");
  assert.equal(letters.length, 1);
});

test("eventMapper gives events in a later try back when its controller stops", async () => {
  const { clock, mapper, send, settled, stop } = setUp(() => {
    throw new Error("no");
  });
  await send(event);
  await clock.settle();
  stop.abort();
  await mapper.idle();
  assert.deepEqual(settled, ["retry"]);
});

test("eventMapper stops taking events while a thousand of them are in a later try", async () => {
  const { clock, send } = setUp(
    () => {
      throw new Error("no");
    },
    { attempts: 2 },
  );
  let waiting: Promise<void> | undefined;
  for (let i = 0; i < 1_000; i += 1) waiting = send(event);
  assert.ok(waiting instanceof Promise);
  let free = false;
  const freed = waiting.then(() => {
    free = true;
  });
  await clock.settle();
  assert.equal(free, false);
  await clock.advance("1s");
  await freed;
});

// Promise 3
test("eventMapper tries an event again whose handler yields what is no request, at once or later", async () => {
  const wrong = [{ name: "a", after: "-1s" as Duration }];
  for (const answer of [() => wrong, async () => wrong]) {
    const { clock, send, letters, counted, settled } = setUp(answer, { attempts: 2 });
    await send(event);
    await clock.advance("1m");
    assert.deepEqual([counted.failed, letters.length, settled.length], [2, 1, 1]);
    assert.match(settled[0] ?? "", /^reject /);
  }
});

test("eventMapper counts requests without a name as a failed try, and adds none of them", async () => {
  const { clock, added, letters, send } = setUp(() => [{ name: "good" }, "absent" as never], { attempts: 1 });
  await send(event);
  await clock.settle();
  assert.deepEqual(added, []);
  assert.match(
    messageOf(letters[0]?.error),
    /the handler of source s gave: it has no name, give \{ namespace, name \}/,
  );
});
