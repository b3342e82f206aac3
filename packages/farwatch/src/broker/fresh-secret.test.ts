import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { Source } from "../source/source.ts";
import { freshSecret } from "./fresh-secret.ts";
import { jetStreamSource } from "./jetstream-source.ts";
import { kafkaSource } from "./kafka-source.ts";
import { natsSource } from "./nats-source.ts";
import { postgresNotifySource } from "./postgres-notify-source.ts";
import { postgresOutboxSource } from "./postgres-outbox-source.ts";
import { redisStreamSource } from "./redis-stream-source.ts";

/** One of each, with a function that gives what it opens with. */
function sourcesThatAsk(ask: () => Promise<never>): readonly Source<unknown>[] {
  const servers = "nats://127.0.0.1:1";
  const kafka = { brokers: ["127.0.0.1:1"], topics: ["uploads"], group: "farwatch" };
  return [
    natsSource({ servers, subject: "uploads", auth: ask }),
    jetStreamSource({ servers, stream: "uploads", consumer: "farwatch", auth: ask }),
    redisStreamSource({ url: ask, stream: "uploads", group: "farwatch" }),
    postgresNotifySource({ channel: "uploads", url: ask }),
    postgresOutboxSource({ url: ask }),
    natsSource({ servers, subject: "uploads", tls: ask }),
    redisStreamSource({ url: "rediss://127.0.0.1:1", stream: "uploads", group: "farwatch", tls: ask }),
    kafkaSource({ ...kafka, tls: ask }),
    kafkaSource({ ...kafka, sasl: ask }),
  ];
}

test("freshSecret gives what is given, and what a function gives each time", async () => {
  const [clock, { signal }] = [createVirtualClock(), new AbortController()];
  const options = { source: "it", what: "url", clock, signal };
  assert.equal(await freshSecret("a", options), "a");
  assert.equal(await freshSecret<string | undefined>(undefined, options), undefined);
  let times = 0;
  const ask = (): string => {
    times += 1;
    return `asked ${times}`;
  };
  assert.deepEqual([await freshSecret(ask, options), await freshSecret(ask, options)], ["asked 1", "asked 2"]);
});

test("freshSecret of a broker's source is waited for no longer than the source is open", async () => {
  let asked = Promise.withResolvers<void>();
  const ask = (): Promise<never> => {
    asked.resolve();
    return new Promise(() => {});
  };
  for (const source of sourcesThatAsk(ask)) {
    asked = Promise.withResolvers<void>();
    const clock = createVirtualClock();
    const end = new AbortController();
    const reason = new Error("this replica leads no more");
    const ctx = createScriptedHub({ clock }).context(end.signal, source.name);
    const next = source.events(ctx)[Symbol.asyncIterator]().next();
    await asked.promise;
    end.abort(reason);
    await assert.rejects(next, reason, source.name);
  }
});

test("freshSecret waits 30 s for a function, and then fails its source", async () => {
  const virtual = createVirtualClock();
  // Its own waits are not virtual time's: here they are, so that they can be seen to end.
  const clock = { ...virtual, outside: <T>(work: Promise<T>): Promise<T> => work };
  const { signal } = new AbortController();
  const asking = freshSecret(() => new Promise<string>(() => {}), { source: "it", what: "url", clock, signal });
  const failing = assert.rejects(
    asking,
    (error) =>
      isCodedError(error, "CredentialFailed") &&
      /^Cannot open source it: the function that gives its url failed: .* within 30000 ms$/.test(error.message),
  );
  await virtual.advance("30s");
  await failing;
  assert.equal(virtual.pendingTimers, 0);
});

test("freshSecret says which source has no secret, and tells none", async () => {
  const ask = () => Promise.reject(new Error("https://user:s3cr3t@vault/ answers 503"));
  for (const source of sourcesThatAsk(ask)) {
    const ctx = createScriptedHub({ clock: createVirtualClock() }).context(new AbortController().signal, source.name);
    await assert.rejects(
      source.events(ctx)[Symbol.asyncIterator]().next(),
      (error) =>
        isCodedError(error, "CredentialFailed") &&
        error.message.startsWith(`Cannot open source ${source.name}: the function that gives its `) &&
        !error.message.includes("s3cr3t"),
    );
  }
});
