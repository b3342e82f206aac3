/**
 * An operator that is killed: `consumer.ts OPTIONS`, where OPTIONS are ConsumerOptions as JSON. Each message is a number, and is
 * one request; its reconcile says `started`, works for a while, and says `ended`.
 */
import { writeSync } from "node:fs";
import { createApiServer } from "@farwatch/apiserver";
import {
  ConfigMap,
  createClient,
  createManager,
  createPinoLogger,
  type Duration,
  defineController,
  enqueueRequestsFromMapFunc,
  shutdownSignal,
  watch,
} from "farwatch";
import { type ConsumedSource, consumedSource } from "../consumed-source.ts";

export interface ConsumerOptions {
  readonly source: ConsumedSource;
  /** How long a reconcile works. */
  readonly work: Duration;
  readonly concurrency: number;
}

const { source, work, concurrency } = JSON.parse(process.argv[2] ?? "") as ConsumerOptions;
/** At once, so that what was said was said also by who is killed in the next moment. */
const say = (msg: string, n: string): void => {
  writeSync(1, `${JSON.stringify({ msg, n: Number(n) })}\n`);
};

await using server = createApiServer();
await using client = createClient({ transport: server.transport, config: server.config });
await using manager = createManager({
  client,
  http: false,
  leaderElection: false,
  log: createPinoLogger({ level: "warn" }),
});
manager.add(
  defineController({
    name: "consumer",
    for: ConfigMap,
    concurrency,
    watches: [
      watch(
        consumedSource(source),
        enqueueRequestsFromMapFunc((n: number) => [{ namespace: "messages", name: `${n}` }]),
      ),
    ],
    async reconcile({ namespace, name }, { clock, signal }) {
      // The server has some of its own.
      if (namespace !== "messages") return;
      say("started", name);
      await clock.sleep(work, signal);
      say("ended", name);
    },
  }),
);
await manager.start({ signal: shutdownSignal() });
