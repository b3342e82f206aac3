import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodedError } from "farwatch";
import type { WebSocket } from "ws";
import { readPlace } from "./place-file.ts";
import { type SurvivingQueue, survives } from "./survival.ts";
import { startWebSocketServer } from "./web-socket-server.ts";

survives({
  name: "webSocketSource with a checkpoint",
  skip: false,
  many: true,
  async create(): Promise<SurvivingQueue> {
    const folder = await mkdtempDisposable(join(tmpdir(), "farwatch-websocket-"));
    const file = join(folder.path, "place");
    const following = new Set<WebSocket>();
    /** Numbers ascend: each is its own place. */
    const sent: number[] = [];
    const server = await startWebSocketServer((socket) => {
      socket.on("close", () => following.delete(socket));
      socket.once("message", (after: Buffer) => {
        for (const n of sent) if (n > Number(after)) socket.send(String(n));
        following.add(socket);
      });
    });
    return {
      source: { type: "web-socket", url: server.url, placeFile: file },
      server,
      async publish(numbers): Promise<void> {
        if (!server.isUp()) throw new CodedError("ConnectionFailed", "Cannot publish: the server is down");
        for (const n of numbers) {
          sent.push(n);
          for (const socket of following) socket.send(String(n));
        }
      },
      async left(): Promise<number> {
        const place = Number((await readPlace(file)) ?? 0);
        return sent.filter((n) => n > place).length;
      },
      async [Symbol.asyncDispose](): Promise<void> {
        await server[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  },
});
