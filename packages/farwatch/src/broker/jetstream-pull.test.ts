import assert from "node:assert/strict";
import { test } from "node:test";
import type { Msg, NatsConnection, SubscriptionOptions } from "@nats-io/transport-node";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError, isCodedError } from "../error/coded-error.ts";
import { createJetStreamPull } from "./jetstream-pull.ts";
import type { OpenNats } from "./nats-connection.ts";

interface Asked {
  readonly reply: string;
  readonly request: {
    readonly batch: number;
    readonly max_bytes?: number;
    readonly no_wait?: boolean;
    readonly expires: number;
    readonly idle_heartbeat?: number;
  };
}

const none = Number.POSITIVE_INFINITY;

/** A server that answers as the test says. */
function setUp(limits = { mostAtOnce: none, mostBytes: none, longestWaitMs: none }) {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const asked: Asked[] = [];
  let tell: NonNullable<SubscriptionOptions["callback"]> = () => {};
  let onDrain = (): void => {};
  let cuts = 0;
  const connection: Pick<NatsConnection, "subscribe" | "publish"> = {
    subscribe(_subject, options) {
      tell = options?.callback ?? tell;
      return { drain: async () => onDrain() } as ReturnType<NatsConnection["subscribe"]>;
    },
    publish(subject, payload, options) {
      assert.equal(subject, "$JS.API.CONSUMER.MSG.NEXT.orders.farwatch");
      asked.push({ reply: options?.reply ?? "", request: JSON.parse(String(payload)) });
    },
  };
  const nats = {
    connection,
    inbox: "_INBOX.me",
    lost: lost.promise,
    answered: (answer: Promise<unknown>) => clock.outside(answer),
    cut(): void {
      cuts += 1;
    },
    failed: (state: string) => new CodedError("ConnectionFailed", state),
  } as unknown as OpenNats;
  const { signal } = controller;
  const pull = createJetStreamPull({ nats, stream: "orders", consumer: "farwatch", limits, clock, signal });
  const message = (subject: string, headers?: { readonly code: number; readonly description: string }): void => {
    tell(null, { subject, headers } as Msg);
  };
  return {
    clock,
    controller,
    lost,
    asked,
    get cuts() {
      return cuts;
    },
    next: async (most: number) => (await pull.next(most)).map(({ subject }) => subject),
    /** The n-th request has this answer. */
    answer: (n: number, code: number, description = "") => message(asked[n - 1]?.reply ?? "", { code, description }),
    deliver: (...subjects: readonly string[]) => {
      for (const subject of subjects) message(subject);
    },
    drains(run: () => void): void {
      onDrain = run;
    },
  };
}

const isFailed = (text: RegExp) => (error: unknown) =>
  isCodedError(error, "ConnectionFailed") && text.test(error.message);

test("JetStream pull takes what is there in one request", async () => {
  const { next, asked, deliver, answer } = setUp();
  const some = next(10);
  deliver("a", "b");
  answer(1, 408, "Request Timeout");
  assert.deepEqual(await some, ["a", "b"]);
  const full = next(2);
  deliver("c", "d");
  assert.deepEqual(await full, ["c", "d"]);
  assert.deepEqual(
    asked.map(({ request }) => [request.batch, request.no_wait]),
    [
      [10, true],
      [2, true],
    ],
  );
});

test("JetStream pull waits for a single message when none is there, and gives none when its time is over", async () => {
  const { next, asked, deliver, answer, clock } = setUp();
  const waiting = next(10);
  answer(1, 404, "No Messages");
  await clock.settle();
  assert.equal(asked[1]?.request.batch, 1);
  answer(2, 100, "Idle Heartbeat");
  deliver("a");
  assert.deepEqual(await waiting, ["a"]);
  const none = next(10);
  answer(3, 404);
  await clock.settle();
  answer(4, 408);
  assert.deepEqual(await none, []);
});

test("JetStream pull asks for no more, and waits no longer, than the consumer allows", async () => {
  const { next, asked, answer, clock, deliver } = setUp({ mostAtOnce: 7, mostBytes: 1_000, longestWaitMs: 100 });
  const waiting = next(50);
  answer(1, 408);
  await clock.settle();
  deliver("a");
  await waiting;
  assert.deepEqual(
    asked.map(({ request }) => request),
    [
      { batch: 7, max_bytes: 1_000, no_wait: true, expires: 100_000_000 },
      { batch: 1, expires: 100_000_000, idle_heartbeat: 50_000_000 },
    ],
  );
});

test("JetStream pull takes what fits into one answer, and alone what is larger", async () => {
  const { next, asked, answer, clock, deliver } = setUp();
  const some = next(50);
  assert.equal(asked[0]?.request.max_bytes, 16_777_216);
  deliver("a");
  answer(1, 409, "Message Size Exceeds MaxBytes");
  assert.deepEqual(await some, ["a"]);
  const large = next(50);
  answer(2, 409, "Message Size Exceeds MaxBytes");
  await clock.settle();
  deliver("b");
  assert.deepEqual(await large, ["b"]);
  assert.equal(asked[2]?.request.max_bytes, undefined);
});

test("JetStream pull does not wait for messages that a server may hand over only when others are settled", async () => {
  const { next, asked, deliver, answer } = setUp();
  const some = next(100);
  deliver("a", "b");
  assert.equal(asked[0]?.request.expires, 250_000_000, "the server ends it by then");
  answer(1, 408, "Request Timeout");
  assert.deepEqual(await some, ["a", "b"]);
});

test("JetStream pull gives what came after its request was over to whoever asks next", async () => {
  const { next, asked, deliver, answer } = setUp();
  const first = next(10);
  deliver("a");
  answer(1, 408);
  await first;
  deliver("late");
  answer(1, 408);
  assert.deepEqual(await next(10), ["late"]);
  assert.equal(asked.length, 1);
});

test("JetStream pull fails when the server refuses, is silent, or is gone", async () => {
  const refused = setUp();
  const refusal = refused.next(10);
  refused.answer(1, 409, "Consumer Deleted");
  await assert.rejects(refusal, isFailed(/409 Consumer Deleted/));

  const silent = setUp();
  const silence = assert.rejects(silent.next(10), isFailed(/says nothing/));
  silent.answer(1, 404);
  await silent.clock.advance("10s");
  silent.answer(2, 100);
  await silent.clock.advance("14s");
  assert.equal(silent.clock.pendingTimers, 1);
  await silent.clock.advance("1s");
  await silence;
  assert.equal(silent.cuts, 1, "what else waits for the server is let go");

  const gone = setUp();
  const going = gone.next(10);
  gone.lost.reject(new CodedError("ConnectionFailed", "gone"));
  await assert.rejects(going, isFailed(/gone/));
  assert.equal(gone.clock.pendingTimers, 0);
});

test("JetStream pull gives what was on its way when the signal aborts", async () => {
  const { next, controller, clock, drains, deliver } = setUp();
  const waiting = next(10);
  await clock.settle();
  drains(() => deliver("on its way"));
  controller.abort();
  assert.deepEqual(await waiting, ["on its way"]);
  assert.equal(clock.pendingTimers, 0);
});
