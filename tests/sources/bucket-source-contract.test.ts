// Core NATS, and bucket events over it and over JetStream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceContract, startNatsServer } from "@farwatch/testing";
import { bucketEventSource, jetStreamSource, natsSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { createJetStreamQueue, type JetStreamQueue } from "./jetstream-queue.ts";
import { createNatsPublisher } from "./nats-publisher.ts";

const { server, skip } = await availableServer(startNatsServer);

const servers = server?.url ?? "";
const publisher = createNatsPublisher({ url: servers });
let made = 0;

async function open(): Promise<number> {
  await eventually("nobody is connected", async () => (await server?.clients())?.length === 0);
  return 0;
}

/** One change that counts among two that do not. */
function notification(n: number): string {
  const recordOf = (bucket: string, key: string) => ({
    eventName: "s3:ObjectCreated:Put",
    eventTime: "2030-01-01T00:00:00Z",
    s3: { bucket: { name: bucket }, object: { key } },
  });
  return JSON.stringify({
    Records: [recordOf("others", "a"), recordOf("photos", String(n)), recordOf("photos", ".farwatch/a")],
  });
}

sourceContract({
  name: "natsSource",
  time: "real",
  numberOf: ({ object }) => object,
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const subject = `contract.${made}`;
    return {
      source: natsSource<number>({ servers, subject }),
      emit: (n) => publisher.publishHeard(subject, String(n)),
      open,
    };
  },
});

sourceContract({
  name: "bucketEventSource over NATS",
  time: "real",
  numberOf: ({ object }) => Number(object.key),
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const subject = `contract.${made}`;
    return {
      source: bucketEventSource({
        provider: "s3",
        buckets: ["photos"],
        from: ({ read }) => natsSource({ servers, subject, read: ({ data }) => read(data) }),
      }),
      emit: (n) => publisher.publishHeard(subject, notification(n)),
      open,
    };
  },
});

sourceContract({
  name: "bucketEventSource over JetStream",
  time: "real",
  numberOf: ({ object }) => Number(object.key),
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const stream = `contract-${made}`;
    let queue: JetStreamQueue | undefined;
    return {
      source: bucketEventSource({
        provider: "s3",
        buckets: ["photos"],
        from: ({ read }) =>
          jetStreamSource({
            ...{ servers, stream, consumer: "farwatch", ackWait: "1s", maxUnacknowledged: 50 },
            read: ({ data }) => read(data),
          }),
      }),
      async begin(): Promise<void> {
        assert.ok(server);
        queue = await createJetStreamQueue(server, { stream });
      },
      emit: (n) => queue?.send(notification(n)),
      open,
      taken: async () => (await queue?.left())?.unacknowledged ?? 0,
    };
  },
});
