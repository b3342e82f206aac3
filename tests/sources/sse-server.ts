import { createServer, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../loopback-server.ts";

/** A stream of events on a server of node:http, which begins behind the id that a client names. */
function createStream() {
  const sent: string[] = [];
  const following = new Set<ServerResponse>();
  const lastIds: (string | undefined)[] = [];
  const text = (place: number): string => `id: ${place} größe\ndata: ${sent[place - 1]}\n\n`;
  return {
    lastIds,
    get sent() {
      return sent.length;
    },
    get followers() {
      return following.size;
    },
    follow(lastId: string | undefined, response: ServerResponse): void {
      lastIds.push(lastId);
      following.add(response);
      response.once("close", () => following.delete(response));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("retry: 1000\n\n");
      for (let place = Number.parseInt(lastId ?? "0", 10) + 1; place <= sent.length; place += 1)
        response.write(text(place));
      response.flushHeaders();
    },
    send(data: string): void {
      const place = sent.push(data);
      for (const response of following) response.write(text(place));
    },
    cut(): void {
      for (const response of following) response.destroy();
    },
    /** Bytes that wait for the client. */
    get waiting() {
      return [...following].reduce((sum, { writableLength }) => sum + writableLength, 0);
    },
  };
}

/** Serves streams of events on loopback, each under a URL of its own; what was sent outlives `kill`. */
export async function startSseServer() {
  const streams: ReturnType<typeof createStream>[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    const { "last-event-id": lastId } = headers;
    // What a header holds are bytes.
    const text = typeof lastId === "string" ? Buffer.from(lastId, "latin1").toString("utf8") : undefined;
    streams[Number(url.slice(1))]?.follow(text, response);
  });
  const loopback = await listenOnLoopback(server);
  return {
    ...loopback,
    serve() {
      const stream = createStream();
      return { stream, url: `http://127.0.0.1:${loopback.port}/${streams.push(stream) - 1}` };
    },
  };
}
