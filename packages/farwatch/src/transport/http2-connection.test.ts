import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, type ServerHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { isCodedError } from "../error/coded-error.ts";
import { createChannel } from "../flow/channel.ts";
import { createHttpTransport } from "./http-transport.ts";
import {
  failure,
  http2,
  type Loopback,
  listen,
  manualClock,
  pem,
  rejection,
  tcp,
  text,
  trusted,
} from "./loopback-servers.fixture.ts";
import type { TransportRequest } from "./transport.ts";

/** A server whose streams a test is handed one by one; `/now` is answered at once. */
async function holding(
  settings: { readonly maxConcurrentStreams?: number } = {},
): Promise<Loopback & { stream(): Promise<ServerHttp2Stream> }> {
  const streams = createChannel<ServerHttp2Stream>({ capacity: 10_000 });
  const server = http2({ settings });
  server.on("stream", (stream: ServerHttp2Stream, headers: { ":path"?: string }) => {
    stream.on("error", () => {});
    if (headers[":path"] === "/now") {
      stream.respond({ ":status": 200 });
      stream.end("now");
    } else {
      streams.trySend(stream);
    }
  });
  const loopback = await listen(server);
  return Object.defineProperties({} as Loopback & { stream(): Promise<ServerHttp2Stream> }, {
    ...Object.getOwnPropertyDescriptors(loopback),
    stream: {
      value: async () => {
        const stream = await streams.receive();
        assert.ok(stream);
        return stream;
      },
    },
  });
}

function get(server: Loopback, path = "/", more: Partial<TransportRequest> = {}): TransportRequest {
  return { method: "GET", url: `https://${server.host}${path}`, tls: trusted, ...more };
}

test("http/2 sessions are opened as the server's limit of streams asks for, no request waits for another", async () => {
  await using server = await holding({ maxConcurrentStreams: 2 });
  await using transport = createHttpTransport();
  const answers = Promise.all(Array.from({ length: 7 }, () => transport.request(get(server)).then(text)));
  const streams: ServerHttp2Stream[] = [];
  for (let i = 0; i < 7; i += 1) streams.push(await server.stream());
  assert.equal(server.accepted, 4);
  for (const stream of streams) {
    stream.respond({ ":status": 200 });
    stream.end("x");
  }
  assert.deepEqual(await answers, Array(7).fill("x"));
});

test("http/2 session carries requests beside twelve watches", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  const watches = Array.from({ length: 12 }, () => transport.request(get(server, "/watch", { streaming: true })));
  for (let i = 0; i < 12; i += 1) (await server.stream()).respond({ ":status": 200 });
  const bodies = (await Promise.all(watches)).map(({ body }) => body[Symbol.asyncIterator]());
  assert.equal(await text(await transport.request(get(server, "/now"))), "now");
  assert.equal(server.accepted, 1);
  for (const body of bodies) await body.return?.();
  await transport.request(get(server, "/now"));
  assert.equal(server.accepted, 1);
});

test("http/2 session that says goodbye finishes its streams, and new requests go to another", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  const watching = transport.request(get(server, "/watch", { streaming: true }));
  const stream = await server.stream();
  stream.respond({ ":status": 200 });
  const watch = await watching;
  const body = watch.body[Symbol.asyncIterator]();
  stream.session?.goaway();
  stream.write("after the goodbye");
  assert.equal(Buffer.from((await body.next()).value ?? []).toString(), "after the goodbye");
  assert.equal(await text(await transport.request(get(server, "/now"))), "now");
  assert.equal(server.accepted, 2);
  stream.end("the end");
  assert.equal(Buffer.from((await body.next()).value ?? []).toString(), "the end");
  assert.deepEqual(await body.next(), { done: true, value: undefined });
  await server.open(1);
});

test("http/2 request that a goodbye or the server left unseen is begun again, and asks beforeWrite again", async () => {
  for (const refuse of [
    (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
    // Only the first stream of the session was looked at.
    (stream: ServerHttp2Stream) => stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 1),
  ]) {
    await using server = await holding();
    await using transport = createHttpTransport();
    await text(await transport.request(get(server, "/now")));
    let writes = 0;
    const beforeWrite = (): void => {
      writes += 1;
    };
    const asked = transport.request(get(server, "/", { method: "POST", body: "x", beforeWrite })).then(text);
    refuse(await server.stream());
    const again = await server.stream();
    again.respond({ ":status": 200 });
    again.end("ok");
    assert.equal(await asked, "ok");
    assert.equal(writes, 2);
    assert.equal(transport.inFlight, 0);
  }
});

test("http/2 request that is refused each time fails as not sent", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  const asked = failure(transport.request(get(server, "/", { method: "POST" })));
  for (let i = 0; i < 3; i += 1) (await server.stream()).close(constants.NGHTTP2_REFUSED_STREAM);
  const error = await asked;
  assert.deepEqual([error.phase, error.sent], ["request", false]);
  assert.equal(transport.inFlight, 0);
});

test("http/2 stream that is reset before its headers fails the request as sent", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  for (const code of [constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]) {
    const asked = failure(transport.request(get(server)));
    (await server.stream()).close(code);
    const error = await asked;
    assert.deepEqual([error.phase, error.sent], ["response", true]);
  }
  assert.equal(await text(await transport.request(get(server, "/now"))), "now");
  assert.equal(server.accepted, 1);
});

test("http/2 stream that is cut amid the body gives what had arrived, then an error", async () => {
  const cuts: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
    reset: (stream) => stream.destroy(new Error("reset")),
    session: (stream) => stream.session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR),
    "calm down": (stream) => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM),
    socket: (stream) => (stream.session?.socket as Socket | undefined)?.destroy(),
  };
  for (const [name, cut] of Object.entries(cuts)) {
    await using server = await holding();
    await using transport = createHttpTransport();
    const asked = transport.request(get(server));
    const stream = await server.stream();
    stream.respond({ ":status": 200 });
    stream.write("part");
    const body = (await asked).body[Symbol.asyncIterator]();
    assert.equal(Buffer.from((await body.next()).value ?? []).toString(), "part", name);
    cut(stream);
    const error = await failure(body.next());
    assert.deepEqual([name, error.phase, error.sent], [name, "body", true]);
    assert.ok(error.systemCode, name);
    assert.equal(transport.inFlight, 0);
    assert.equal(await text(await transport.request(get(server, "/now"))), "now");
  }
});

test("http/2 answer that is shorter than it said fails", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  for (const end of [(stream: ServerHttp2Stream) => stream.end(), (stream: ServerHttp2Stream) => stream.destroy()]) {
    const asked = transport.request(get(server));
    const stream = await server.stream();
    stream.respond({ ":status": 200, "content-length": "100" });
    stream.write("short");
    const body = (await asked).body[Symbol.asyncIterator]();
    await body.next();
    end(stream);
    const error = await failure(body.next());
    assert.deepEqual([error.phase, error.sent], ["body", true]);
  }
});

test("http/2 session refuses headers beyond the limit and stays in use", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  const asked = rejection(transport.request(get(server)));
  (await server.stream()).respond({ ":status": 200, "x-bomb": "b".repeat(40_000) });
  const error = await asked;
  assert.ok(isCodedError(error, "ProtocolError"));
  assert.equal(error.message, `Cannot read the answer of ${server.host}: its headers are larger than 32768 bytes`);
  const many = rejection(transport.request(get(server)));
  const lines = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name-${index}`, "value"]));
  (await server.stream()).respond({ ":status": 200, ...lines });
  assert.ok(isCodedError(await many, "ProtocolError"));
  assert.equal(await text(await transport.request(get(server, "/now"))), "now");
  assert.equal(server.accepted, 1);
  assert.equal(transport.inFlight, 0);
});

test("http/2 stream is reset when its request is aborted, and when its reader leaves", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  const caller = new AbortController();
  const reason = new Error("enough");
  const asked = rejection(transport.request(get(server, "/", { signal: caller.signal })));
  const silent = await server.stream();
  caller.abort(reason);
  assert.equal(await asked, reason);
  await once(silent, "close");
  assert.equal(silent.rstCode, constants.NGHTTP2_CANCEL);

  const watching = transport.request(get(server, "/watch", { streaming: true }));
  const watched = await server.stream();
  watched.respond({ ":status": 200 });
  watched.write("event");
  for await (const _event of (await watching).body) break;
  await once(watched, "close");
  assert.equal(watched.rstCode, constants.NGHTTP2_CANCEL);
  assert.equal(server.accepted, 1);
});

test("http/2 session survives 1,000 requests that are aborted at once", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on("warning", onWarning);
  await using server = await holding();
  await using transport = createHttpTransport();
  const caller = new AbortController();
  const reason = new Error("all of them");
  const outcomes = Array.from({ length: 1_000 }, () =>
    rejection(transport.request(get(server, "/", { signal: caller.signal }))),
  );
  const last = Promise.all(Array.from({ length: 1_000 }, () => server.stream()));
  const streams = await last;
  caller.abort(reason);
  assert.deepEqual(new Set(await Promise.all(outcomes)), new Set([reason]));
  await Promise.all(streams.map((stream) => stream.closed || once(stream, "close")));
  assert.equal(await text(await transport.request(get(server, "/now"))), "now");
  assert.equal(transport.inFlight, 0);
  assert.ok(server.accepted <= 2);
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
});

test("http/2 session that does not answer a ping is closed, and its streams fail", async () => {
  await using server = await holding();
  const relayed: Socket[] = [];
  await using relay = await listen(
    tcp((client) => {
      const upstream = connect(server.port, "127.0.0.1");
      upstream.on("error", () => {});
      client.pipe(upstream).pipe(client);
      client.once("close", () => upstream.destroy());
      relayed.push(client, upstream);
    }),
  );
  const clock = manualClock();
  await using transport = createHttpTransport({ clock });
  const watching = transport.request(get(relay, "/watch", { streaming: true }));
  (await server.stream()).respond({ ":status": 200 });
  const watch = await watching;
  // Alive: the ping is answered, and its timer disarmed.
  const watchdogs = (): number => clock.armed.filter((ms) => ms === 15_000).length;
  clock.fire(30_000);
  assert.equal(watchdogs(), 1);
  await text(await transport.request(get(relay, "/now")));
  assert.equal(watchdogs(), 0);
  // Gone, without a word.
  for (const socket of relayed) socket.unpipe().pause();
  clock.fire(30_000);
  clock.fire(15_000);
  const error = await failure(text(watch));
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["body", "ETIMEDOUT", true]);
  assert.equal(
    error.message,
    `Cannot read the answer to GET from ${relay.host} to its end: no answer to a ping within 15000 ms (ETIMEDOUT)`,
  );
  assert.equal(await text(await transport.request(get(relay, "/now"))), "now");
  assert.equal(relay.accepted, 2);
});

test("http/2 session is asked whether it is alive when a request on it was aborted without an answer", async () => {
  await using server = await holding();
  const clock = manualClock();
  await using transport = createHttpTransport({ clock });
  const caller = new AbortController();
  const asked = rejection(transport.request(get(server, "/", { signal: caller.signal })));
  const { session } = await server.stream();
  assert.ok(session);
  const ping = once(session, "ping");
  caller.abort();
  await asked;
  await ping;
});

test("http/2 connection to a server that offers it but does not speak it fails as not sent", async () => {
  for (const speak of [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
  ]) {
    await using server = await listen(
      createTlsServer({ cert: pem("server"), key: pem("server"), ALPNProtocols: ["h2"] }, (socket) => {
        socket.on("error", () => {}).resume();
        speak(socket);
      }),
    );
    await using transport = createHttpTransport();
    const error = await failure(transport.request(get(server)));
    assert.deepEqual([error.phase, error.sent], ["connect", false]);
    await server.open(0);
  }
});

test("http/2 requests wait for the session there is when one more cannot be opened, unless it is closing", async () => {
  await using server = await holding({ maxConcurrentStreams: 1 });
  await using transport = createHttpTransport();
  const refusal = new Error("one connection is enough");
  const refused = createChannel<void>();
  let connections = 0;
  const connectPolicy = (): void => {
    connections += 1;
    if (connections === 1) return;
    refused.trySend();
    throw refusal;
  };
  const first = transport.request(get(server, "/", { connectPolicy })).then(text);
  const stream = await server.stream();
  const second = transport.request(get(server, "/now", { connectPolicy })).then(text);
  await refused.receive();
  stream.respond({ ":status": 200 });
  stream.end("first");
  assert.deepEqual(await Promise.all([first, second]), ["first", "now"]);

  const watching = transport.request(get(server, "/watch", { connectPolicy, streaming: true }));
  const watched = await server.stream();
  watched.respond({ ":status": 200 });
  const body = (await watching).body[Symbol.asyncIterator]();
  watched.session?.goaway();
  watched.write("event");
  await body.next();
  assert.equal(await rejection(transport.request(get(server, "/now", { connectPolicy }))), refusal);
  assert.equal(server.accepted, 1);
});

test("http/2 connection to a server that takes no streams fails as not sent, instead of opening more", async () => {
  await using server = await holding({ maxConcurrentStreams: 0 });
  await using transport = createHttpTransport();
  const error = await failure(transport.request(get(server)));
  assert.equal(error.message, `Cannot connect to ${server.host}: the server allows no streams in its HTTP/2 session`);
  assert.equal(error.sent, false);
  assert.equal(server.accepted, 1);
});

test("http/2 body larger than any window reaches a slow reader whole, and does not hold up others", async () => {
  await using server = await holding();
  await using transport = createHttpTransport();
  const asked = transport.request(get(server));
  const stream = await server.stream();
  stream.respond({ ":status": 200 });
  const size = 24 * 1024 * 1024;
  stream.end(Buffer.alloc(size, "x"));
  const response = await asked;
  let bytes = 0;
  for await (const chunk of response.body) {
    if (bytes === 0) assert.equal(await text(await transport.request(get(server, "/now"))), "now");
    bytes += chunk.length;
  }
  assert.equal(bytes, size);
  assert.equal(server.accepted, 1);
});
