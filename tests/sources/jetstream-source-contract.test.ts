import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sourceContract, startNatsServer } from "@farwatch/testing";
import { jetStreamSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { createJetStreamQueue, type JetStreamQueue } from "./jetstream-queue.ts";

const available = await availableServer(startNatsServer);
const server = "server" in available ? available.server : undefined;
const skip = "skip" in available ? available.skip : false;
after(() => server?.[Symbol.asyncDispose]());

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
      source: jetStreamSource<number>({ servers: url, stream, consumer: "farwatch", ackWait: "1s" }),
      async begin(): Promise<void> {
        assert.ok(server);
        queue = await createJetStreamQueue(server, { stream });
      },
      emit: (n) => queue?.publish([n]),
      async open(): Promise<number> {
        await eventually("nobody is connected", async () => (await server?.clients())?.length === 0);
        return 0;
      },
    };
  },
});
