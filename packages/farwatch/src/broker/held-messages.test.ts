import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf } from "../clock/instant.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import type { Acknowledgement, GenericEvent } from "../event/source-event.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { PoisonMessage } from "./dead-letters.ts";
import { createHeldMessages, type HeldMessages, type HeldMessagesOptions } from "./held-messages.ts";
import { message, type Told, unreadable } from "./told-message.fixture.ts";

function setUp(change: Partial<HeldMessagesOptions<Told>> = {}) {
  const clock = createVirtualClock();
  const log = createRecordingLogger();
  const metrics = createMetrics();
  const states: string[] = [];
  const blocks: (string | undefined)[] = [];
  const held = createHeldMessages<string, Told>({
    source: "orders",
    clock,
    health: {
      failing: (error) => states.push(messageOf(error)),
      serving: () => states.push("serving"),
      blocked: (by) => blocks.push(by),
    },
    log,
    metrics,
    maxUnacknowledged: 1_000,
    maxUnacknowledgedBytes: 1_000_000,
    maxDeliveries: 10,
    onDeadLetter: undefined,
    ...change,
  });
  const count = (name: string) =>
    metrics.counter({ name: `farwatch_source_${name}`, help: "", labelNames: ["source"] }).read({ source: "orders" });
  return { clock, log, held, count, states, blocks };
}

/** The event of a message; undefined when it has none. */
async function hold(held: HeldMessages<string, Told>, one: Told): Promise<GenericEvent<string> | undefined> {
  const end = new AbortController();
  const left = [one];
  const pull = async (): Promise<readonly Told[]> => {
    if (left.length === 0) end.abort();
    return left.splice(0);
  };
  const { value } = await held.events(pull, end.signal).next();
  return value ?? undefined;
}

async function eventOf(holding: Promise<GenericEvent<string> | undefined>) {
  const event = await holding;
  assert.ok(event?.ack);
  return { ...event, ack: event.ack };
}

test("held message becomes an event and is settled once", async () => {
  const { held, clock } = setUp();
  const [one, two] = [message("1", { occurredAt: clock.now() }), message("2")];
  const event = await eventOf(hold(held, one));
  assert.equal(event.object, "body 1");
  assert.equal(event.occurredAt, one.occurredAt);
  const other = await eventOf(hold(held, two));
  event.ack.done();
  event.ack.done();
  event.ack.retry();
  other.ack.retry("5s");
  other.ack.done();
  await clock.settle();
  assert.deepEqual([one.told, two.told], [["done"], ["retry 5000"]]);
});

test("held message that cannot be settled is logged and counted", async () => {
  const { held, clock, log, count } = setUp();
  const broken = async () => {
    throw new Error("connection lost");
  };
  const synchronous = () => {
    throw new Error("closed");
  };
  const [one, two] = [message("1", { done: broken }), message("2", { retry: synchronous })];
  (await eventOf(hold(held, one))).ack.done();
  (await eventOf(hold(held, two))).ack.retry();
  await clock.settle();
  assert.equal(count("acknowledgement_errors_total"), 2);
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields.id]),
    [
      ["warn", "1"],
      ["warn", "2"],
    ],
  );
});

// Promise 4
test("held message whose settling is refused for want of a right stays held, and is settled when the right is given", async () => {
  let allowed = false;
  const asked: string[] = [];
  const done = async (): Promise<void> => {
    asked.push("done");
    if (!allowed) throw new CodedError("Forbidden", "Cannot acknowledge: no right to it");
  };
  const extended: string[][] = [];
  const run = async (all: readonly Told[]): Promise<void> => {
    extended.push(all.map(({ id }) => id));
  };
  const { held, clock, count, states } = setUp({ extend: { every: "10s", run } });
  const end = new AbortController();
  const pulled = [[message("1", { done })], [message("2")], []];
  const events = held.events(async () => pulled.shift() ?? [], end.signal);
  const { value: first } = await events.next();
  first?.ack?.done();
  await clock.settle();
  const second = events.next();
  await clock.advance("30s");
  assert.ok(asked.length > 2 && asked.length < 10, `${asked.length} tries`);
  assert.equal(count("acknowledgement_errors_total"), asked.length);
  assert.deepEqual(extended, [["1"], ["1"], ["1"]]);
  assert.equal(pulled.length, 2, "nothing is pulled meanwhile");
  assert.deepEqual(new Set(states), new Set(["Cannot acknowledge: no right to it"]));

  allowed = true;
  await clock.advance("1m");
  assert.equal((await second).value?.object, "body 2");
  assert.equal(states.at(-1), "serving");
  end.abort();
  await held[Symbol.asyncDispose]();
  assert.equal(clock.pendingTimers, 0);
});

test("held messages whose extension is refused for want of a right are kept, and nothing comes after them before it is given", async () => {
  let allowed = false;
  const run = async (): Promise<void> => {
    if (!allowed) throw new CodedError("Forbidden", "Cannot extend: no right to it");
  };
  const { held, clock, log, states } = setUp({ extend: { every: "10s", run } });
  const end = new AbortController();
  const [one, two, three] = [message("1"), message("2"), message("3")];
  const pulls = [[one, two], [three]];
  const events = held.events(async () => pulls.shift() ?? [], end.signal);
  const { value: first } = await events.next();
  await clock.advance("1m");
  const second = events.next();
  await clock.advance("1m");
  assert.deepEqual(new Set(states), new Set(["Cannot extend: no right to it"]));
  assert.equal(log.lines.length, 1, "it is logged once");
  assert.equal(pulls.length, 1);
  allowed = true;
  await clock.advance("10s");
  assert.equal((await second).value?.object, "body 2");
  assert.equal(states.at(-1), "serving");

  allowed = false;
  await clock.advance("10s");
  assert.notEqual(states.at(-1), "serving");
  const third = events.next();
  first?.ack?.done();
  await clock.settle();
  assert.notEqual(states.at(-1), "serving", "there is still one that cannot be extended");
  (await second).value?.ack?.done();
  assert.equal((await third).value?.object, "body 3", "none is held that could not be extended");
  assert.equal(states.at(-1), "serving");
  end.abort();
  await held[Symbol.asyncDispose]();
  assert.equal(clock.pendingTimers, 0);
});

test("held message whose settling is refused is left to the broker when the source closes", async () => {
  const done = async (): Promise<void> => {
    throw new CodedError("Forbidden", "Cannot acknowledge: no right to it");
  };
  const { held, clock } = setUp({ extend: { every: "10s", run: async () => {} } });
  (await eventOf(hold(held, message("1", { done })))).ack.done();
  await clock.settle();
  await held[Symbol.asyncDispose]();
  assert.equal(clock.pendingTimers, 0);
});

test("held messages have the broker's deadline extended together while there are any", async () => {
  const turns: string[][] = [];
  const run = async (messages: readonly Told[]) => {
    turns.push(messages.map(({ id }) => id));
  };
  const { held, clock } = setUp({ extend: { every: "10s", run } });
  assert.equal(clock.pendingTimers, 0);
  const first = await eventOf(hold(held, message("1")));
  await clock.advance("4s");
  const second = await eventOf(hold(held, message("2")));
  assert.equal(clock.pendingTimers, 1);
  await clock.advance("6s");
  first.ack.done();
  await clock.advance("10s");
  second.ack.done();
  await clock.advance("1m");
  assert.deepEqual(turns, [["1", "2"], ["2"]]);
  assert.equal(clock.pendingTimers, 0);
  await hold(held, message("3"));
  await clock.advance("10s");
  assert.deepEqual(turns.at(-1), ["3"]);
  await held[Symbol.asyncDispose]();
  assert.equal(clock.pendingTimers, 0);
});

test("held messages are extended again after a turn that failed, and no turn is due while another is under way", async () => {
  const timersMeanwhile: number[] = [];
  const run = async (): Promise<void> => {
    timersMeanwhile.push(clock.pendingTimers);
    if (timersMeanwhile.length === 1) throw new Error("connection lost");
  };
  const { held, clock, log } = setUp({ extend: { every: "10s", run } });
  await hold(held, message("1"));
  await clock.advance("10s");
  assert.equal(log.lines.at(-1)?.level, "warn");
  await clock.advance("10s");
  assert.deepEqual(timersMeanwhile, [0, 0]);
});

test("held message is given back, and counted, before the broker's own cap is reached", async () => {
  const { held, clock, count } = setUp({ extend: { every: "10s", longest: "1m", run: async () => {} } });
  const [one, two] = [message("1"), message("2")];
  const event = await eventOf(hold(held, one));
  await clock.advance("15s");
  await hold(held, two);
  await clock.advance("34s");
  assert.deepEqual(one.told, []);
  await clock.advance("1s");
  assert.deepEqual([one.told, two.told], [["retry 0"], []]);
  assert.equal(count("released_messages_total"), 1);
  event.ack.done();
  await clock.settle();
  assert.deepEqual(one.told, ["retry 0"]);
});

test("held message that the broker hands over again is no second event, and settled by its latest delivery", async () => {
  const { held, clock } = setUp();
  const [one, again] = [message("1"), message("1", { deliveries: 2 })];
  const event = await eventOf(hold(held, one));
  assert.equal(await hold(held, again), undefined);
  event.ack.done();
  await clock.settle();
  assert.deepEqual([one.told, again.told], [[], ["done"]]);
  await eventOf(hold(held, message("1", { deliveries: 3 })));
});

test("held message whose id the broker gave to another one since keeps nobody from that other one, and settles it not", async () => {
  const { held, clock } = setUp();
  const [one, another] = [1_000, 2_000].map((storedMs) => message("1", { occurredAt: instantOf(storedMs) })) as [
    Told,
    Told,
  ];
  const event = await eventOf(hold(held, one));
  const other = await eventOf(hold(held, another));
  event.ack.done();
  await clock.settle();
  assert.deepEqual([one.told, another.told], [[], []]);
  other.ack.done();
  await clock.settle();
  assert.deepEqual([one.told, another.told], [[], ["done"]]);
});

test("held message that is rejected is a dead letter at once, and held until the hook has it", async () => {
  const letters: PoisonMessage[] = [];
  const taken = Promise.withResolvers<void>();
  const onDeadLetter = (letter: PoisonMessage): Promise<void> => {
    letters.push(letter);
    return taken.promise;
  };
  const extended: string[] = [];
  const run = async (all: readonly Told[]): Promise<void> => {
    extended.push(...all.map(({ id }) => id));
  };
  const { held, clock, count, log } = setUp({ onDeadLetter, extend: { every: "10s", run } });
  const one = message("1", {
    async bury() {
      one.told.push("bury");
    },
  });
  const event = await eventOf(hold(held, one));
  event.ack.reject?.(new Error("no bucket of this name at https://user:secret@broker/"));
  event.ack.done();
  event.ack.retry();
  event.ack.reject?.(new Error("again"));
  await clock.advance("10s");
  assert.deepEqual([one.told, extended], [[], ["1"]]);
  taken.resolve();
  await clock.settle();
  const reason = "it was rejected: no bucket of this name at https://broker/";
  assert.deepEqual(letters, [{ source: "orders", id: "1", deliveries: 1, reason, message: "raw 1" }]);
  assert.deepEqual(one.told, ["bury"]);
  assert.equal(count("dead_letters_total"), 1);
  assert.doesNotMatch(JSON.stringify(log.lines), /secret/);
});

test("held message that is rejected stays with the broker while the dead-letter hook throws", async () => {
  const onDeadLetter = (): never => {
    throw new Error("the dead-letter bucket is full");
  };
  const { held, clock, count } = setUp({ onDeadLetter });
  const one = message("1");
  (await eventOf(hold(held, one))).ack.reject?.("no such bucket");
  await clock.settle();
  assert.match(one.told.join(), /^retry \d+$/);
  assert.equal(count("dead_letters_total"), 0);
});

test("held message that was rejected is settled before its stream has closed", async () => {
  const taken = Promise.withResolvers<void>();
  let letters = 0;
  const onDeadLetter = (): Promise<void> => {
    letters += 1;
    return taken.promise;
  };
  const { held, clock } = setUp({ onDeadLetter });
  const [one, two] = [message("1"), message("2")];
  (await eventOf(hold(held, one))).ack.reject?.("no such bucket");
  const late = await eventOf(hold(held, two));
  const closed = held[Symbol.asyncDispose]();
  await clock.settle();
  taken.resolve();
  await closed;
  assert.deepEqual([one.told, two.told], [["done"], []]);
  late.ack.reject?.("no such bucket");
  await clock.settle();
  assert.equal(letters, 1);
});

test("held message stays with the broker when the dead-letter hook does not end, and others come after it", async () => {
  const { held, clock, log } = setUp({ onDeadLetter: () => new Promise(() => {}) });
  const [poison, next] = [message("1", { read: unreadable }), message("2")];
  const end = new AbortController();
  const events = held.events(async () => [poison, next], end.signal);
  const pending = events.next();
  await clock.advance("30s");
  assert.equal((await pending).value?.object, "body 2");
  assert.match(poison.told[0] ?? "", /^retry/);
  assert.ok(log.lines.some(({ message: text }) => text === "Cannot hand over a dead letter: it stays with the broker"));
});

test("held messages end soon after the signal aborts though the dead-letter hook does not", async () => {
  const { held, clock } = setUp({
    onDeadLetter: () => new Promise(() => {}),
    extend: { every: "10s", run: async () => {} },
  });
  const poison = message("1", { read: unreadable });
  const end = new AbortController();
  const ended = held.events(async () => [poison], end.signal).next();
  await clock.settle();
  end.abort(new Error("stop"));
  await clock.advance("2s");
  assert.equal((await ended).done, true);
  await held[Symbol.asyncDispose]();
  assert.match(poison.told[0] ?? "", /^retry/);
  assert.equal(clock.pendingTimers, 0);
});

test("held messages wait for calls under way when they are disposed of, and settle nothing afterwards", async () => {
  const { held, clock, log } = setUp({ extend: { every: "10s", run: async () => {} } });
  const acknowledged = Promise.withResolvers<void>();
  const [one, two] = [message("1", { done: () => acknowledged.promise }), message("2")];
  (await eventOf(hold(held, one))).ack.done();
  const late = await eventOf(hold(held, two));
  let disposed = false;
  const disposal = held[Symbol.asyncDispose]().then(() => {
    disposed = true;
  });
  assert.equal(clock.pendingTimers, 0);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  assert.equal(disposed, false);
  acknowledged.resolve();
  await disposal;
  late.ack.done();
  await held[Symbol.asyncDispose]();
  await clock.settle();
  assert.deepEqual(two.told, []);
  assert.deepEqual(log.lines.at(-1)?.fields, { held: 1 });
});

/** A far side that hands over what it has and then waits. */
function pulled(...batches: readonly (readonly Told[])[]) {
  const left = [...batches];
  const asked: number[] = [];
  const controller = new AbortController();
  const pull = (most: number): Promise<readonly Told[]> => {
    asked.push(most);
    const next = left.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
    });
  };
  return { pull, asked, controller };
}

test("held messages are pulled when what was pulled is read, no more than may be unacknowledged", async () => {
  const { held } = setUp({ maxUnacknowledged: 3 });
  const { pull, asked, controller } = pulled([message("1"), message("2")], [], [message("3")]);
  const events = held.events(pull, controller.signal);
  const next = async () => (await events.next()).value?.object;
  assert.equal(await next(), "body 1");
  assert.equal(await next(), "body 2");
  assert.deepEqual(asked, [3]);
  assert.equal(await next(), "body 3");
  assert.deepEqual(asked, [3, 1, 1]);
  const last = next();
  controller.abort();
  assert.equal(await last, undefined);
});

test("held messages are pulled no further while they take as much memory as they may, and fewer at once while they are large", async () => {
  const { held, clock, blocks } = setUp({ maxUnacknowledgedBytes: 1_000 });
  const large = (...ids: readonly string[]): readonly Told[] => ids.map((id) => message(id, { bytes: 300 }));
  const small = ["6", "7", "8", "9"].map((id) => [message(id)]);
  const { pull, asked, controller } = pulled(large("1", "2"), large("3"), large("4"), large("5"), ...small);
  const events = held.events(pull, controller.signal);
  const acks: (Acknowledgement | undefined)[] = [];
  for (let taken = 0; taken < 4; taken += 1) acks.push((await events.next()).value?.ack);
  const next = events.next();
  await clock.settle();
  assert.deepEqual(asked, [10, 1, 1], "ten at first, then as many as fit, and one where there is any room");
  assert.deepEqual(blocks, ["full"]);
  for (const ack of acks) ack?.done();
  await next;
  assert.equal(blocks.at(-1), undefined);
  await events.next();
  assert.deepEqual(asked.slice(3), [3, 2]);
  for (let round = 0; round < 3; round += 1) {
    const { value } = await events.next();
    value?.ack?.done();
  }
  const last = asked.at(-1) ?? 0;
  assert.ok(last > 2, `${last} at once, when they are small again`);
  controller.abort();
});

test("held messages are pulled no further while as many are held as may be, however eagerly their events are read", async () => {
  const { held, clock } = setUp({ maxUnacknowledged: 2 });
  const { pull, asked, controller } = pulled([message("1"), message("2")], [message("3")]);
  const events = held.events(pull, controller.signal);
  const first = await events.next();
  await events.next();
  const third = events.next();
  await clock.settle();
  assert.deepEqual(asked, [2]);
  first.value?.ack?.done();
  assert.equal((await third).value?.object, "body 3");
  assert.deepEqual(asked, [2, 1]);
  const none = events.next();
  controller.abort();
  assert.equal((await none).done, true);
});

test("held messages that were pulled are given back when nobody reads them any more", async () => {
  for (const ending of ["abort", "return"] as const) {
    const { held, clock } = setUp();
    const messages = [message("1"), message("2"), message("3")];
    const { pull, controller } = pulled(messages);
    const events = held.events(pull, controller.signal);
    const first = await events.next();
    if (ending === "abort") controller.abort();
    assert.equal((await (ending === "abort" ? events.next() : events.return())).done, true);
    first.value?.ack?.done();
    await clock.settle();
    assert.deepEqual(
      messages.map(({ told }) => told),
      [["done"], ["retry 0"], ["retry 0"]],
    );
  }
});

test("held messages that are pulled when the signal has aborted are given back", async () => {
  const { held, clock } = setUp();
  const controller = new AbortController();
  const late = message("1");
  const events = held.events(async () => {
    controller.abort();
    return [late];
  }, controller.signal);
  assert.equal((await events.next()).done, true);
  await clock.settle();
  assert.deepEqual(late.told, ["retry 0"]);
});

test("held messages end as a pull fails", async () => {
  const { held } = setUp();
  const events = held.events(() => Promise.reject(new Error("connection lost")), new AbortController().signal);
  await assert.rejects(events.next(), /connection lost/);
});

test("held messages that are poison are handed over, settled, and followed by those behind them", async () => {
  const letters: PoisonMessage[] = [];
  const onDeadLetter = (letter: PoisonMessage): void => {
    letters.push(letter);
  };
  const { held, clock } = setUp({ onDeadLetter, maxDeliveries: 3 });
  const [poison, tried, good] = [message("1", { read: unreadable }), message("2", { deliveries: 4 }), message("3")];
  const { pull, controller } = pulled([poison, tried, good]);
  assert.equal((await held.events(pull, controller.signal).next()).value?.object, "body 3");
  await clock.settle();
  assert.deepEqual(
    letters.map(({ id }) => id),
    ["1", "2"],
  );
  assert.deepEqual([poison.told, tried.told, good.told], [["done"], ["done"], []]);
  controller.abort();
});
