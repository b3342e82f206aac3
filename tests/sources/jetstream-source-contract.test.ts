import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceContract, startNatsServer } from "@farwatch/testing";
import { jetStreamSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { createJetStreamQueue, type JetStreamQueue } from "./jetstream-queue.ts";

const { server, skip } = await availableServer(startNatsServer);

let made = 0;

sourceContract({
  name: "jetStreamSource",
  time: "real",
  numberOf: ({ object }) => object,
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const stream = `contract-${made}`;
    let queue: JetStreamQueue | undefined;
    const url = server?.url ?? "";
    return {
      source: jetStreamSource<number>({
        servers: url,
        stream,
        consumer: "farwatch",
        ackWait: "1s",
        maxUnacknowledged: 50,
      }),
      async begin(): Promise<void> {
        assert.ok(server);
        queue = await createJetStreamQueue(server, { stream });
      },
      emit: (n) => queue?.publish([n]),
      async open(): Promise<number> {
        await eventually("nobody is connected", async () => (await server?.clients())?.length === 0);
        return 0;
      },
      taken: async () => (await queue?.left())?.unacknowledged ?? 0,
    };
  },
});
