import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { systemClock } from "farwatch";
import { startTcpRelay } from "./tcp-relay.ts";

interface Echo extends AsyncDisposable {
  readonly port: number;
  readonly sockets: Set<Socket>;
}

/** Sends back what it is sent. */
async function startEcho(): Promise<Echo> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Connects, or rejects with Node's error. */
async function dial(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port });
  await once(socket, "connect");
  // What a test does not await must not end the process.
  socket.on("error", () => {});
  return socket;
}

async function ask(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = (await once(socket, "data")) as [Buffer];
  return answer.toString("utf8");
}

/** Resolves when the socket is closed, after an error or without one. */
const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once("close", () => resolve()));

/** Resolves once everything that is on its way over loopback has had every chance to arrive. */
const aWhile = (): Promise<void> => systemClock.sleep("100ms");

test("tcp relay passes bytes and the end of each direction", async () => {
  await using echo = await startEcho();
  await using relay = await startTcpRelay({ targetPort: echo.port });
  const socket = await dial(relay.port);
  assert.equal(await ask(socket, "hello"), "hello");
  assert.equal(relay.connections, 1);
  socket.end("bye");
  const parts: string[] = [];
  for await (const part of socket) parts.push(String(part));
  assert.deepEqual(parts, ["bye"]);
  await aWhile();
  assert.equal(relay.connections, 0);
});

test("tcp relay resets open connections when it cuts, and serves new ones", async () => {
  await using echo = await startEcho();
  await using relay = await startTcpRelay({ targetPort: echo.port });
  const socket = await dial(relay.port);
  await ask(socket, "hello");
  const failed = once(socket, "error");
  relay.cut();
  const [error] = (await failed) as [NodeJS.ErrnoException];
  assert.equal(error.code, "ECONNRESET");
  const again = await dial(relay.port);
  assert.equal(await ask(again, "again"), "again");
  again.destroy();
});

test("tcp relay refuses connections until it resumes, on the same port", async () => {
  await using echo = await startEcho();
  await using relay = await startTcpRelay({ targetPort: echo.port });
  const socket = await dial(relay.port);
  const failed = once(socket, "error");
  await relay.refuse();
  await relay.refuse();
  const [error] = (await failed) as [NodeJS.ErrnoException];
  assert.equal(error.code, "ECONNRESET");
  await assert.rejects(dial(relay.port), { code: "ECONNREFUSED" });
  await relay.resume();
  const again = await dial(relay.port);
  assert.equal(await ask(again, "again"), "again");
  again.destroy();
});

test("tcp relay in silence keeps connections open, accepts new ones, and passes nothing until it resumes", async () => {
  await using echo = await startEcho();
  await using relay = await startTcpRelay({ targetPort: echo.port });
  const old = await dial(relay.port);
  await ask(old, "hello");
  relay.silence();
  const fresh = await dial(relay.port);
  const heard: string[] = [];
  for (const socket of [old, fresh]) socket.on("data", (part: Buffer) => heard.push(part.toString("utf8")));
  old.write("old");
  fresh.write("fresh");
  await aWhile();
  assert.deepEqual(heard, []);
  assert.ok(!old.destroyed && !fresh.destroyed);
  await relay.resume();
  while (heard.length < 2) await aWhile();
  assert.deepEqual(heard.toSorted(), ["fresh", "old"]);
  old.destroy();
  fresh.destroy();
});

test("tcp relay in silence does not tell its clients that the server is gone", async () => {
  await using echo = await startEcho();
  await using relay = await startTcpRelay({ targetPort: echo.port });
  const socket = await dial(relay.port);
  await ask(socket, "hello");
  relay.silence();
  for (const served of echo.sockets) served.resetAndDestroy();
  await aWhile();
  assert.equal(socket.destroyed, false);
  const ended = closed(socket);
  await relay.resume();
  await ended;
  assert.equal(relay.connections, 0);
});

test("tcp relay closes a client whose server refuses the connection", async () => {
  const echo = await startEcho();
  await echo[Symbol.asyncDispose]();
  await using relay = await startTcpRelay({ targetPort: echo.port });
  const socket = await dial(relay.port);
  await closed(socket);
});

test("tcp relay leaves nothing open when it is disposed of, in silence and refusal too", async () => {
  await using echo = await startEcho();
  for (const state of ["normal", "silent", "refusing"] as const) {
    const relay = await startTcpRelay({ targetPort: echo.port });
    const socket = await dial(relay.port);
    const ended = closed(socket);
    if (state === "silent") relay.silence();
    if (state === "refusing") await relay.refuse();
    await relay[Symbol.asyncDispose]();
    await ended;
    await assert.rejects(dial(relay.port), { code: "ECONNREFUSED" });
  }
});
