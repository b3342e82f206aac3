import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { createChannel } from "../flow/channel.ts";
import { createHttpTransport } from "./http-transport.ts";
import { failure, http1, listen, manualClock, rejection, tcp, text } from "./loopback-servers.fixture.ts";
import { TransportError } from "./transport-error.ts";

/** A server that plays this text at each request, in the pieces given, and then does as told. */
function playing(pieces: readonly string[], then: (socket: Socket) => void = () => {}): ReturnType<typeof tcp> {
  return tcp((socket) => {
    socket.on("data", () => {
      const write = (index: number): void => {
        const piece = pieces[index];
        if (piece === undefined) then(socket);
        else socket.write(piece, () => write(index + 1));
      };
      write(0);
    });
  });
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

test("http/1.1 connection is used again for the next request, and by one request at a time", async () => {
  let busy = 0;
  await using server = await listen(
    http1((_request, response) => {
      busy += 1;
      assert.ok(busy <= 3);
      response.end("ok", () => {
        busy -= 1;
      });
    }),
  );
  await using transport = createHttpTransport({ maxConnections: 3 });
  const get = (): Promise<string> => transport.request({ method: "GET", url: `http://${server.host}/` }).then(text);
  for (let i = 0; i < 5; i += 1) assert.equal(await get(), "ok");
  assert.equal(server.accepted, 1);
  assert.deepEqual(await Promise.all(Array.from({ length: 20 }, get)), Array(20).fill("ok"));
  assert.ok(server.accepted <= 3);
});

test("http/1.1 connection reads an answer that drips in byte by byte", async () => {
  await using server = await listen(
    playing([..."HTTP/1.1 200 OK\r\nx-a: b\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"]),
  );
  await using transport = createHttpTransport();
  const response = await transport.request({ method: "GET", url: `http://${server.host}/` });
  assert.equal(response.headers["x-a"], "b");
  assert.equal(await text(response), "ok");
});

test("http/1.1 connection fails on garbage, without keeping its bytes in the error", async () => {
  await using server = await listen(playing(["\u001b[31msecret garbage\r\n\r\n"]));
  await using transport = createHttpTransport();
  const error = await failure(transport.request({ method: "GET", url: `http://${server.host}/` }));
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["response", "HPE_INVALID_CONSTANT", true]);
  assert.ok(error.message.startsWith(`Cannot get an answer to GET from ${server.host}: Parse Error`), error.message);
  assert.ok(error.cause instanceof Error && !("rawPacket" in error.cause));
  await server.open(0);
});

test("http/1.1 connection refuses an answer with both a length and chunks", async () => {
  const smuggled = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  await using server = await listen(playing([smuggled]));
  await using transport = createHttpTransport();
  const error = await failure(transport.request({ method: "GET", url: `http://${server.host}/` }));
  assert.deepEqual([error.phase, error.sent], ["response", true]);
  await server.open(0);
});

test("http/1.1 connection refuses headers beyond the limit, one large or many small without end", async () => {
  const endless = (socket: Socket): void => {
    const more = (): void => {
      if (!socket.destroyed) socket.write("x-a: b\r\n".repeat(100), more);
    };
    more();
  };
  await using large = await listen(playing([`HTTP/1.1 200 OK\r\nx-a: ${"b".repeat(40_000)}\r\n\r\n`]));
  await using many = await listen(playing(["HTTP/1.1 200 OK\r\n"], endless));
  await using transport = createHttpTransport();
  for (const server of [large, many]) {
    const error = await rejection(transport.request({ method: "GET", url: `http://${server.host}/` }));
    assert.ok(isCodedError(error, "ProtocolError"));
    assert.equal(error.message, `Cannot read the answer of ${server.host}: its headers are larger than 32768 bytes`);
    await server.open(0);
  }
  const allowed = await transport.request({ method: "GET", url: `http://${large.host}/`, maxHeaderBytes: 65_536 });
  assert.equal(allowed.headers["x-a"]?.length, 40_000);
});

test("http/1.1 connection keeps every header below the limit, however many", async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `h${index}: v\r\n`).join("");
  await using server = await listen(playing([`HTTP/1.1 200 OK\r\n${lines}content-length: 0\r\n\r\n`]));
  await using transport = createHttpTransport();
  const response = await transport.request({ method: "GET", url: `http://${server.host}/` });
  assert.equal(Object.keys(response.headers).length, 3_001);
});

test("http/1.1 connection that is reset amid the headers fails the request as sent", async () => {
  await using server = await listen(playing(["HTTP/1.1 200 OK\r\nx-"], (socket) => socket.resetAndDestroy()));
  await using transport = createHttpTransport();
  const error = await failure(transport.request({ method: "GET", url: `http://${server.host}/` }));
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["response", "ECONNRESET", true]);
});

test("http/1.1 connection that is closed without an answer fails the request as sent", async () => {
  await using server = await listen(playing([], (socket) => socket.end()));
  await using transport = createHttpTransport();
  const error = await failure(transport.request({ method: "GET", url: `http://${server.host}/` }));
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["response", "ECONNRESET", true]);
});

test("http/1.1 connection that is cut amid the body gives what had arrived, then an error", async () => {
  for (const head of ["content-length: 9", "transfer-encoding: chunked"]) {
    const part = head.startsWith("content") ? "part" : "4\r\npart\r\n";
    for (const cut of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const arrived = Promise.withResolvers<Socket>();
      await using server = await listen(playing([`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, part], arrived.resolve));
      await using transport = createHttpTransport();
      const response = await transport.request({ method: "GET", url: `http://${server.host}/` });
      const body = response.body[Symbol.asyncIterator]();
      const first = await body.next();
      assert.equal(Buffer.from(first.value ?? []).toString(), "part");
      cut(await arrived.promise);
      const error = await failure(body.next());
      assert.deepEqual([error.phase, error.systemCode, error.sent], ["body", "ECONNRESET", true]);
      assert.ok(
        error.message.startsWith(`Cannot read the answer to GET from ${server.host} to its end: `),
        error.message,
      );
      assert.deepEqual(await body.next(), { done: true, value: undefined });
      assert.equal(transport.inFlight, 0);
    }
  }
});

test("http/1.1 connection fails the request when the server wants another protocol", async () => {
  await using server = await listen(
    playing(["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"]),
  );
  await using transport = createHttpTransport();
  const error = await failure(transport.request({ method: "GET", url: `http://${server.host}/` }));
  assert.deepEqual([error.phase, error.sent], ["response", true]);
});

test("http/1.1 connection passes over interim answers", async () => {
  await using server = await listen(
    playing(["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", ok]),
  );
  await using transport = createHttpTransport();
  const response = await transport.request({ method: "GET", url: `http://${server.host}/` });
  assert.deepEqual([response.status, response.headers.link, await text(response)], [200, undefined, "ok"]);
});

test("http/1.1 connection that the server closed while it was idle is replaced", async () => {
  await using server = await listen(playing([ok]));
  await using transport = createHttpTransport();
  const get = (): Promise<string> => transport.request({ method: "POST", url: `http://${server.host}/` }).then(text);
  assert.equal(await get(), "ok");
  for (const socket of server.sockets) socket.end();
  await server.open(0);
  assert.equal(await get(), "ok");
  assert.equal(server.accepted, 2);
});

test("http/1.1 connection that the server closes at the moment of its reuse fails at worst as sent", async () => {
  await using server = await listen(playing([ok], (socket) => socket.end()));
  await using transport = createHttpTransport();
  let failed = 0;
  for (let round = 0; round < 100; round += 1) {
    const outcome = await transport
      .request({ method: "GET", url: `http://${server.host}/` })
      .then(text)
      .catch((error: unknown) => error);
    if (outcome === "ok") continue;
    assert.ok(outcome instanceof TransportError, String(outcome));
    assert.deepEqual([outcome.phase, outcome.sent], ["response", true]);
    failed += 1;
  }
  assert.ok(failed < 100);
  assert.equal(transport.inFlight, 0);
});

test("http/1.1 connection is dropped when the server sends what nobody asked for", async () => {
  await using server = await listen(playing([ok], (socket) => socket.write(ok.replace("ok", "no"))));
  await using transport = createHttpTransport();
  const get = (): Promise<string> => transport.request({ method: "GET", url: `http://${server.host}/` }).then(text);
  assert.equal(await get(), "ok");
  await server.open(0);
  assert.equal(await get(), "ok");
});

test("http/1.1 connection is given up before the server's own keep-alive time is over", async () => {
  await using server = await listen(playing(["HTTP/1.1 200 OK\r\nkeep-alive: timeout=5\r\ncontent-length: 0\r\n\r\n"]));
  const clock = manualClock();
  await using transport = createHttpTransport({ clock });
  const get = { method: "GET", url: `http://${server.host}/` } as const;
  await text(await transport.request({ ...get, keepAlive: "1s" }));
  clock.fire(1_000);
  await server.open(0);
  await text(await transport.request(get));
  clock.fire(4_000);
  await server.open(0);
});

test("http/1.1 requests beyond the limit of connections wait their turn, and can be aborted there", async () => {
  const held = createChannel<() => void>();
  await using server = await listen(http1((request, response) => held.trySend(() => response.end(request.url))));
  await using transport = createHttpTransport({ maxConnections: 2 });
  const get = (path: string, signal?: AbortSignal): Promise<string> =>
    transport.request({ method: "GET", url: `http://${server.host}${path}`, signal }).then(text);
  const caller = new AbortController();
  const reason = new Error("not needed any more");
  const first = [get("/1"), get("/2")];
  const aborted = rejection(get("/3", caller.signal));
  const last = get("/4");
  const answers = [await held.receive(), await held.receive()];
  caller.abort(reason);
  assert.equal(await aborted, reason);
  assert.equal(server.accepted, 2);
  for (const answer of answers) answer?.();
  assert.deepEqual(await Promise.all(first), ["/1", "/2"]);
  (await held.receive())?.();
  assert.equal(await last, "/4");
  assert.equal(server.accepted, 2);
  assert.equal(transport.inFlight, 0);
});

test("http/1.1 body larger than any buffer reaches a slow reader whole", async () => {
  const block = Buffer.alloc(64 * 1024, "x");
  await using server = await listen(
    http1((_request, response) => {
      let left = 128;
      const more = (): void => {
        while (left > 0) {
          left -= 1;
          if (!response.write(block)) {
            response.once("drain", more);
            return;
          }
        }
        response.end();
      };
      more();
    }),
  );
  await using transport = createHttpTransport();
  const response = await transport.request({ method: "GET", url: `http://${server.host}/` });
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    await new Promise((resolve) => process.nextTick(resolve));
  }
  assert.equal(bytes, 128 * block.length);
});
