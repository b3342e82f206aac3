import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect } from "node:net";
import { test } from "node:test";
import { createCertificateAuthority, startTcpRelay } from "@farwatch/testing";
import { createMetrics, isCodedError, systemClock, type WebSocketSourceOptions, webSocketSource } from "farwatch";
import { createScriptedHub, createVirtualClock } from "farwatch/doubles";
import { type WebSocket, WebSocketServer } from "ws";
import { eventually } from "../eventually.ts";
import { listenOnLoopback } from "../loopback-server.ts";
import { keptPlace } from "./kept-place.ts";
import { openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";
import { startWebSocketServer } from "./web-socket-server.ts";

const failuresOf = (source: ReturnType<typeof openSource>, name: string): number =>
  source.metrics
    .counter({ name: `farwatch_source_${name}_total`, help: "", labelNames: ["source"] })
    .read({ source: "ws" });

function opened<T>(options: WebSocketSourceOptions<T>) {
  return openSource(webSocketSource({ name: "ws", ...options }));
}

test("webSocketSource gives text and bytes, says who it is, and subscribes at each connection", async () => {
  const heard: string[] = [];
  await using server = await startWebSocketServer(
    (socket) => {
      socket.on("message", (data: Buffer) => {
        heard.push(data.toString());
        socket.send("größe €");
        socket.send(Buffer.of(0, 255));
      });
    },
    { handleProtocols: (protocols) => (protocols.has("v2") ? "v2" : false) },
  );
  let asked = 0;
  await using source = opened({
    url: server.url,
    protocols: ["v1", "v2"],
    headers() {
      asked += 1;
      return { Authorization: `Bearer ${asked}` };
    },
    async onOpen({ protocol, send, place }) {
      send(`subscribe by ${protocol} after ${place}`);
    },
  });
  for (const n of [1, 2]) {
    const [text, bytes] = await source.take(2);
    assert.equal(text?.event.object, "größe €");
    assert.deepEqual(bytes?.event.object, Buffer.of(0, 255));
    assert.equal(source.state.phase, "serving");
    text?.hold.done();
    bytes?.hold.done();
    assert.equal(server.connections[n - 1]?.request.headers.authorization, `Bearer ${n}`);
    (await server.connection(n)).close(1012, "restarting");
  }
  assert.deepEqual(heard, ["subscribe by v2 after undefined", "subscribe by v2 after undefined"]);
});

test("webSocketSource fails when onOpen does not end within 30 s, and closes its connection", async () => {
  await using server = await startWebSocketServer();
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock });
  const silent = webSocketSource({ url: server.url, name: "ws", onOpen: () => new Promise(() => {}) });
  await using _watch = hub.subscribe(silent, { name: "test" });
  const end = new AbortController();
  const closed = hub.open("leader", end.signal);
  await clock.settle();
  assert.equal(hub.states[0]?.phase, "starting");
  await clock.advance("30s");
  assert.equal(hub.states[0]?.phase, "failing");
  assert.match(hub.states[0]?.lastError ?? "", /: onOpen did not answer within 30000 ms$/);
  assert.equal(server.connections.length, 1);
  await eventually("the connection is closed", () => server.open === 0);
  end.abort(new Error("the test is over"));
  await clock.advance("10s");
  await closed;
});

test("webSocketSource fails with the code and reason of a closing, without secrets, and is opened again", async () => {
  await using server = await startWebSocketServer();
  await using source = opened({ url: server.url });
  (await server.connection(1)).close(4001, "ask https://me:hunter2@login.test/?token=1 first");
  const failing = await source.failing();
  assert.equal(
    failing.lastError,
    `Cannot read source ws from 127.0.0.1:${server.port}: the connection was closed with code 4001 (ask https://login.test/ first)`,
  );
  (await server.connection(2)).terminate();
  await eventually("the cut shows", () => source.state.lastError?.endsWith("was closed with code 1006"));
  await server.connection(3);
});

test("webSocketSource fails with the closing of a server that leaves the connection open", async () => {
  const http = createServer();
  http.on("upgrade", ({ headers }, socket) => {
    socket.on("error", () => {});
    const accepted = createHash("sha1")
      .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accepted}\r\n\r\n`,
    );
    // Closes with code 4001, as its first and last frame.
    socket.write(Buffer.of(0x88, 2, 0x0f, 0xa1));
  });
  await using server = await listenOnLoopback(http);
  // Long after, its silence would be noticed.
  await using source = opened({ url: `ws://127.0.0.1:${server.port}`, pingEvery: "5s" });
  assert.match(String((await source.failing()).lastError), /closed with code 4001$/);
});

test("webSocketSource fails with a message that is larger than it reads, and with what is no WebSocket", async () => {
  await using server = await startWebSocketServer((socket) => {
    socket.send("x".repeat(1_000));
    socket.send("x".repeat(1_001));
  });
  await using source = opened({ url: server.url, maxMessageBytes: 1_000 });
  assert.equal((await source.next()).event.object, "x".repeat(1_000));
  assert.match(String((await source.failing()).lastError), /from 127\.0\.0\.1:\d+: Max payload size exceeded$/);

  await using plain = await startHttpServer();
  for (const [status, error] of [
    [401, "Cannot read source ws: 127.0.0.1:PORT answered 401"],
    [302, "Cannot read source ws: 127.0.0.1:PORT answered 302"],
    [200, "Cannot read source ws: 127.0.0.1:PORT answered 200"],
  ] as const) {
    await using refused = opened({ url: `ws://127.0.0.1:${plain.port}/${status}` });
    assert.equal((await refused.failing()).lastError, error.replace("PORT", String(plain.port)));
  }
  assert.equal(await eventually("no connection is left", async () => (await plain.connections()) === 0), true);
});

/** Answers each request with the status that its path names, and never an upgrade. */
async function startHttpServer() {
  const server = createServer();
  server.on("upgrade", ({ url }, socket) => {
    const status = Number(url?.slice(1));
    socket.end(`HTTP/1.1 ${status} No\r\nlocation: ws://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n`);
  });
  server.on("request", ({ url }, response) => response.writeHead(Number(url?.slice(1))).end());
  return {
    ...(await listenOnLoopback(server)),
    connections: () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
  };
}

test("webSocketSource connects to no address that its policy refuses, and speaks to no server of another subprotocol", async () => {
  await using server = await startWebSocketServer(() => {}, { handleProtocols: () => false });
  await using refused = opened({
    url: server.url,
    connectPolicy({ ip }) {
      throw new Error(`${ip} is not ours`);
    },
  });
  assert.equal((await refused.failing()).lastError, "127.0.0.1 is not ours");
  assert.equal(server.connections.length, 0);
  await using other = opened({ url: server.url, protocols: ["v1"] });
  assert.match(String((await other.failing()).lastError), /Server sent no subprotocol/);
  await using wrong = opened({ url: server.url, protocols: ["no token"] });
  assert.match(String((await wrong.failing()).lastError), /subprotocol/);
});

test("webSocketSource leaves out what is no event, answers the server while it reads, and counts what cannot be read", async () => {
  const answers: string[] = [];
  await using server = await startWebSocketServer((socket) => {
    socket.on("message", (data: Buffer) => answers.push(data.toString()));
    for (const data of ['{"hello":1}', '{"id":"a","n":1}', "no JSON", '{"id":"b","n":2}']) socket.send(data);
  });
  await using source = opened<number>({
    url: server.url,
    read(data, { send }) {
      const { id, n } = JSON.parse(String(data)) as { readonly id?: string; readonly n?: number };
      if (id !== undefined) send(`ack ${id}`);
      return n;
    },
  });
  const events = await source.take(2);
  assert.deepEqual(
    events.map(({ event }) => event.object),
    [1, 2],
  );
  assert.equal(failuresOf(source, "dead_letters"), 1);
  assert.deepEqual(
    source.warnings.map(({ message }) => message),
    ["Cannot read a message: it is left out"],
  );
  await eventually("answers arrive", () => answers.length === 2);
  assert.deepEqual(answers, ["ack a", "ack b"]);
});

test("webSocketSource goes on behind the last message before which all was worked on, a message that cannot be read too", async () => {
  const asked: string[] = [];
  await using server = await startWebSocketServer((socket) => {
    socket.once("message", (data: Buffer) => {
      asked.push(data.toString());
      if (asked.length === 1) for (const n of [1, 2, 3]) socket.send(String(n));
    });
  });
  const checkpoint = keptPlace();
  const options: WebSocketSourceOptions<number> = {
    url: server.url,
    checkpoint,
    placeOf: String,
    read(data) {
      if (data === "3") throw new Error("no number of ours");
      return Number(data);
    },
    onOpen: ({ send, place }) => send(`after ${place}`),
  };
  {
    await using source = opened(options);
    const [one, two] = await source.take(2);
    two?.hold.done();
    one?.hold.done();
    await eventually("the checkpoint is written", () => checkpoint.read() === "3");
  }
  {
    await using _again = opened(options);
    await eventually("it asks to go on", () => asked.length === 2);
  }
  assert.deepEqual(asked, ["after undefined", "after 3"]);
});

test("webSocketSource takes a server for gone that answers no ping, and none that does", async () => {
  for (const autoPong of [true, false]) {
    const clock = createVirtualClock();
    await using server = await startWebSocketServer(() => {}, { autoPong });
    const hub = createScriptedHub({ clock, metrics: createMetrics() });
    const watch = hub.subscribe(webSocketSource({ name: "ws", url: server.url, pingEvery: "10s" }), { name: "w" });
    const controller = new AbortController();
    const closed = hub.open("leader", controller.signal);
    const socket = await server.connection(1);
    await eventually("it serves", () => hub.states[0]?.phase === "serving");
    for (let turn = 0; turn < (autoPong ? 5 : 1); turn += 1) {
      const pinged = once(socket, "ping");
      await clock.advance("10s");
      await pinged;
      // Answered after our pong was read.
      const answered = once(socket, "pong");
      socket.ping();
      await answered;
    }
    if (autoPong) {
      assert.equal(hub.states[0]?.phase, "serving");
    } else {
      await clock.advance("10s");
      assert.equal(hub.states[0]?.phase, "failing");
      assert.equal(
        hub.states[0]?.lastError,
        `Cannot read source ws: 127.0.0.1:${server.port} answers no ping in 10000 ms`,
      );
    }
    controller.abort(new Error("closed"));
    await closed;
    await watch[Symbol.asyncDispose]();
    assert.equal(clock.pendingTimers, 0);
  }
});

test("webSocketSource reads the socket no faster than its messages are taken, and loses none", async () => {
  const count = 48;
  await using server = await startWebSocketServer((socket) => {
    for (let n = 0; n < count; n += 1) socket.send(Buffer.alloc(1_000_000, n));
  });
  const source = webSocketSource({
    url: server.url,
    maxUnacknowledged: 1,
    read: (data) => Number((data as Uint8Array)[0]),
  });
  await using reader = openSource(source);
  const first = await reader.next();
  const socket = await server.connection(1);
  let [before, quiet] = [-1, 0];
  while (quiet < 20) {
    quiet = socket.bufferedAmount === before ? quiet + 1 : 0;
    before = socket.bufferedAmount;
    await systemClock.sleep(5);
  }
  assert.ok(before > 10_000_000, `${before} bytes wait at the server`);
  const told = [first.event.object];
  first.hold.done();
  while (told.length < count) {
    const { event, hold } = await reader.next();
    told.push(event.object);
    hold.done();
  }
  assert.deepEqual(
    told,
    Array.from({ length: count }, (_, n) => n),
  );
});

test("webSocketSource checks the server's certificate, shows its own, and goes through a proxy", async () => {
  const authority = await createCertificateAuthority();
  const [forServer, forClient] = await Promise.all([
    authority.issue({ commonName: "server", hosts: ["127.0.0.1"], usage: "server" }),
    authority.issue({ commonName: "client", usage: "client" }),
  ]);
  const https = createHttpsServer({ ...forServer, ca: authority.cert, requestCert: true });
  const server = new WebSocketServer({ server: https });
  server.on("connection", (socket) => socket.send("hello"));
  await using secure = await listenOnLoopback(https);
  await using plain = await startWebSocketServer((socket) => socket.send("plain"));
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    tunnels.push(url);
    const [host = "", to] = url.split(":");
    const far = connect(Number(to), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(far).pipe(socket);
    });
    far.on("error", () => {}).on("close", () => socket.destroy());
    socket.on("error", () => {}).on("close", () => far.destroy());
  });
  await using tunnel = await listenOnLoopback(proxy);
  const through = `http://127.0.0.1:${tunnel.port}`;
  const url = `wss://127.0.0.1:${secure.port}`;
  await using stranger = opened({ url });
  assert.match(String((await stranger.failing()).lastError), /certificate/);
  const tls = { ca: authority.cert, ...forClient };
  await using direct = opened({ url, tls });
  assert.equal((await direct.next()).event.object, "hello");
  await using tunnelled = opened({ url, tls, proxy: through });
  assert.equal((await tunnelled.next()).event.object, "hello");
  await using bare = opened({ url: plain.url, proxy: through });
  assert.equal((await bare.next()).event.object, "plain");
  assert.deepEqual(tunnels, [`127.0.0.1:${secure.port}`, `127.0.0.1:${plain.port}`]);
});

test("webSocketSource refuses options that it cannot keep", () => {
  const url = "wss://feed.test";
  for (const options of [
    { url: "https://feed.test" },
    { url: "wss://me:hunter2@feed.test" },
    { url, pingEvery: 0 },
    { url, maxMessageBytes: 0 },
    { url, checkpoint: { read: () => undefined, write() {} } },
  ] as const) {
    assert.throws(
      () => webSocketSource(options),
      (error) => isCodedError(error, "InvalidOption") && !error.message.includes("hunter2"),
    );
  }
});

const silentSource = (port: number) =>
  webSocketSource({
    url: `ws://127.0.0.1:${port}/feed`,
    pingEvery: "1s",
    placeOf: String,
    onOpen: ({ send, place = "0" }) => send(place),
    read: Number,
  });

toleratesSilence({
  name: "webSocketSource",
  skip: false,
  async create() {
    await using stack = new AsyncDisposableStack();
    const sent: number[] = [];
    const following = new Set<WebSocket>();
    const server = stack.use(
      await startWebSocketServer((socket) => {
        socket.on("message", (after: Buffer) => {
          for (const n of sent) if (n > Number(after)) socket.send(String(n));
          following.add(socket);
        });
      }),
    );
    const relay = stack.use(await startTcpRelay({ targetPort: server.port }));
    const owned = stack.move();
    return {
      source: silentSource(relay.port),
      server: { pause: () => relay.silence(), resume: () => relay.resume() },
      async publish(number): Promise<void> {
        sent.push(number);
        for (const socket of following) socket.send(String(number));
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  },
  at: silentSource,
});
