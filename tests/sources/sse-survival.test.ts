import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodedError } from "farwatch";
import { readPlace } from "./place-file.ts";
import { startSseServer } from "./sse-server.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

survives({
  name: "sseSource with a checkpoint",
  skip: false,
  many: true,
  async create(): Promise<SurvivingQueue> {
    const folder = await mkdtempDisposable(join(tmpdir(), "farwatch-sse-"));
    const file = join(folder.path, "place");
    const server = await startSseServer();
    const { stream, url } = server.serve();
    return {
      source: { type: "sse", url, placeFile: file },
      server,
      async publish(numbers): Promise<void> {
        if (!server.isUp()) throw new CodedError("ConnectionFailed", "Cannot publish: the server is down");
        for (const n of numbers) stream.send(String(n));
      },
      left: async () => stream.sent - Number.parseInt((await readPlace(file)) ?? "0", 10),
      async [Symbol.asyncDispose](): Promise<void> {
        await server[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  },
});
