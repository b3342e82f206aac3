import assert from "node:assert/strict";
import { test } from "node:test";
import { startNatsServer } from "@farwatch/testing";
import { isCodedError, natsSource } from "farwatch";
import { availableServer } from "./available-server.ts";
import { createNatsPublisher } from "./nats-publisher.ts";
import { openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";

const { server, skip } = await availableServer(startNatsServer);

const servers = server?.url ?? "";
const publisher = createNatsPublisher({ url: servers });

test("natsSource declares that it delivers at most once and drops, and refuses what is no subject", () => {
  const { name, delivery, durability, overflow } = natsSource({ servers, subject: "buckets.>" });
  assert.deepEqual([name, delivery, durability, overflow], ["nats-buckets.>", "atMostOnce", "process", "dropOldest"]);
  for (const wrong of [
    { subject: "" },
    { subject: "a b" },
    { subject: "a", queue: "" },
    { subject: "a", capacity: 0 },
  ]) {
    assert.throws(
      () => natsSource({ servers, ...wrong }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});

test("natsSource yields what is published to its subjects, in its order, and drops what cannot be read", {
  skip,
}, async () => {
  await using source = openSource(natsSource({ servers, subject: "order.*" }));
  await publisher.publishHeard("order.first", "1");
  for (const data of ["{", new Uint8Array([0xff]), "2", "3"]) await publisher.publish("order.more", data);
  await publisher.publish("order.too.deep", "4");
  assert.deepEqual(
    (await source.take(3)).map(({ event, hold }) => {
      hold.done();
      return event.object;
    }),
    [1, 2, 3],
  );
  const dropped = source.warnings.filter(({ message }) => message === "Cannot read a message: it is dropped");
  assert.equal(dropped.length, 2);
});

test("natsSource gives each message to one of a queue group", { skip }, async () => {
  const options = { servers, subject: "shared", queue: "operators" };
  await using one = openSource(natsSource({ ...options, name: "one" }));
  await using two = openSource(natsSource({ ...options, name: "two" }));
  await publisher.publishHeard("shared", "0");
  for (let n = 1; n <= 20; n += 1) await publisher.publish("shared", String(n));
  const told: unknown[] = [];
  const end = new AbortController();
  const read = async (source: typeof one): Promise<void> => {
    while (told.length < 21) {
      const { event, hold } = await source.next(end.signal);
      hold.done();
      told.push(event.object);
    }
    end.abort(new Error("all were told"));
  };
  await Promise.allSettled([read(one), read(two)]);
  assert.deepEqual(
    told.toSorted((a, b) => Number(a) - Number(b)),
    Array.from({ length: 21 }, (_, n) => n),
  );
});

test("natsSource fails when its server is killed, and listens again when it is back", { skip }, async () => {
  await using source = openSource(natsSource({ servers, subject: "again" }));
  await publisher.publishHeard("again", "1");
  (await source.next()).hold.done();
  await server?.kill();
  assert.match((await source.failing()).lastError ?? "", /^Cannot read source nats-again from NATS: /);
  await server?.restart();
  await publisher.publishHeard("again", "2");
  assert.equal((await source.next()).event.object, 2);
});

toleratesSilence({
  name: "natsSource",
  skip,
  async create() {
    assert.ok(server);
    return {
      source: natsSource<number>({ servers, subject: "silent" }),
      server,
      publish: (number) => publisher.publishHeard("silent", String(number)),
      async [Symbol.asyncDispose](): Promise<void> {},
    };
  },
  at: (port) => natsSource<number>({ servers: `nats://127.0.0.1:${port}`, subject: "silent" }),
});
