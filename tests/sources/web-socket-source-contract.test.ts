import { after, test } from "node:test";
import { sourceContract } from "@farwatch/testing";
import { type WebSocketData, webSocketSource } from "farwatch";
import type { WebSocket } from "ws";
import { eventually } from "../eventually.ts";
import { keptPlace } from "./kept-place.ts";
import { startWebSocketServer } from "./web-socket-server.ts";

/** Sends numbers, beginning behind the one that a client names: `all` of them, or those that are `new`. */
function createFeed() {
  const sent: number[] = [];
  const following = new Set<WebSocket>();
  let connected = 0;
  return {
    serve(socket: WebSocket): void {
      connected += 1;
      socket.on("close", () => {
        connected -= 1;
        following.delete(socket);
      });
      socket.on("message", (after: Buffer) => {
        const from = after.toString() === "new" ? Number.POSITIVE_INFINITY : Number(after);
        for (const n of sent) if (n > from) socket.send(String(n));
        following.add(socket);
      });
    },
    send(n: number): void {
      sent.push(n);
      for (const socket of following) socket.send(String(n));
    },
    get connected() {
      return connected;
    },
    get followers() {
      return following.size;
    },
  };
}

const feeds: ReturnType<typeof createFeed>[] = [];
const server = await startWebSocketServer((socket, { url }) => feeds[Number(url?.slice(1))]?.serve(socket));
after(() => server[Symbol.asyncDispose]());

for (const hasCheckpoint of [false, true]) {
  sourceContract({
    name: `webSocketSource ${hasCheckpoint ? "with" : "without"} a checkpoint`,
    time: "real",
    numberOf: ({ object }) => object,
    test,
    create() {
      const feed = createFeed();
      const place = feeds.push(feed) - 1;
      let taken = 0;
      const read = (data: WebSocketData): number => {
        taken += 1;
        return Number(data);
      };
      return {
        source: webSocketSource({
          url: `ws://127.0.0.1:${server.port}/${place}`,
          read,
          maxUnacknowledged: 50,
          placeOf: String,
          onOpen: ({ send, place = hasCheckpoint ? "0" : "new" }) => send(place),
          ...(hasCheckpoint ? { checkpoint: keptPlace() } : {}),
        }),
        taken: () => taken,
        async emit(n): Promise<void> {
          // What nobody hears is lost.
          if (!hasCheckpoint) await eventually("somebody follows", () => feed.followers > 0);
          feed.send(n);
        },
        async open(): Promise<number> {
          await eventually("nobody is connected", () => feed.connected === 0);
          return 0;
        },
      };
    },
  });
}
