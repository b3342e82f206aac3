import { after, test } from "node:test";
import { sourceContract } from "@farwatch/testing";
import { type SseMessage, sseSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { keptPlace } from "./kept-place.ts";
import { startSseServer } from "./sse-server.ts";

const server = await startSseServer();
after(() => server[Symbol.asyncDispose]());

sourceContract({
  name: "sseSource on a socket",
  time: "real",
  numberOf: ({ object }) => object,
  test,
  create() {
    const { stream, url } = server.serve();
    let taken = 0;
    const read = ({ data }: SseMessage): number => {
      taken += 1;
      return Number(data);
    };
    return {
      source: sseSource({ url, checkpoint: keptPlace(), read, maxUnacknowledged: 50 }),
      taken: () => taken,
      emit: (n) => stream.send(String(n)),
      async open(): Promise<number> {
        await eventually("nobody is connected", () => stream.followers === 0);
        return 0;
      },
    };
  },
});
