import { after, test } from "node:test";
import { sourceContract } from "@farwatch/testing";
import { sseSource } from "farwatch";
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
    return {
      source: sseSource({ url, checkpoint: keptPlace(), read: ({ data }) => Number(data) }),
      emit: (n) => stream.send(String(n)),
      async open(): Promise<number> {
        await eventually("nobody is connected", () => stream.followers === 0);
        return 0;
      },
    };
  },
});
