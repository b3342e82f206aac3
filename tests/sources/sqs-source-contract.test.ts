import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sourceContract, startSqs, startTcpRelay, type TcpRelay } from "@farwatch/testing";
import { sqsSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { createQueue, type TestQueue } from "./sqs-queues.ts";

const { server, skip } = await availableServer(startSqs);
/** Counts connections. */
const relay: TcpRelay | undefined = server && (await startTcpRelay({ targetPort: server.port }));
after(() => relay?.[Symbol.asyncDispose]());

let made = 0;

sourceContract({
  name: "sqsSource",
  time: "real",
  numberOf: ({ object }) => Number(object),
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const name = `contract-${made}`;
    const endpoint = `http://127.0.0.1:${relay?.port}`;
    let queue: TestQueue | undefined;
    return {
      source: sqsSource({
        queueUrl: `${endpoint}/000000000000/${name}`,
        endpoint,
        region: "us-east-1",
        visibility: "3s",
        maxUnacknowledged: 50,
      }),
      async begin(): Promise<void> {
        assert.ok(server);
        queue = await createQueue(server, { name });
      },
      emit: (n) => queue?.send([String(n)]),
      async open(): Promise<number> {
        await eventually("nobody is connected", () => relay?.connections === 0);
        return 0;
      },
      taken: async () => Number(await queue?.attribute("ApproximateNumberOfMessagesNotVisible")),
      end: async () => queue?.[Symbol.asyncDispose](),
    };
  },
});
