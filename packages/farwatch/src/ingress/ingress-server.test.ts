import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { gzipSync } from "node:zlib";
import { systemClock } from "../clock/system-clock.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { pem } from "../transport/loopback-servers.fixture.ts";
import { createIngress } from "./create-ingress.ts";
import type { IngressRequest, IngressRoute } from "./ingress.ts";
import type { IngressOptions } from "./ingress-options.ts";
import { startIngressServer } from "./ingress-server.ts";

type Handle = IngressRoute["handle"];

/** Reads the whole body and says how long it is. */
const measure: Handle = async (request) => ({ status: 202, body: String((await request.body()).length) });

async function setUp(
  handle: Handle = measure,
  options: Partial<IngressOptions> & { readonly clock?: typeof systemClock; readonly maxBodyBytes?: number } = {},
) {
  const { clock = systemClock, maxBodyBytes = 1_000, ...rest } = options;
  const router = createIngress();
  const place = router.reserve("hooks", { path: "/hook", methods: ["POST"], maxBodyBytes });
  place.serve({ handle });
  const log = createRecordingLogger();
  const metrics = createMetrics();
  const server = await startIngressServer({ host: "127.0.0.1", port: 0, ...rest, router, clock, log, metrics });
  const sockets = new Set<Socket>();
  const counts = async (): Promise<Readonly<Record<string, number>>> => {
    const { body } = await metrics.expose();
    return Object.fromEntries(
      [...body.matchAll(/^farwatch_ingress_requests_total\{source="([^"]*)",code="([^"]*)"\} (\d+)/gm)].map(
        ([, source, code, count]) => [`${source} ${code}`, Number(count)],
      ),
    );
  };
  return {
    server,
    log,
    metrics,
    counts,
    url: `http://127.0.0.1:${server.address.port}/hook`,
    open(localAddress = "127.0.0.1"): Socket {
      const socket = connect({ port: server.address.port, host: "127.0.0.1", localAddress });
      socket.on("error", () => {});
      sockets.add(socket);
      return socket;
    },
    /** Sends bytes as they are, and gives all that comes back until the server closes. */
    async exchange(bytes: string | Buffer): Promise<string> {
      const socket = this.open();
      socket.write(bytes);
      return text(socket);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Whether it was ended or reset. */
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("close", resolve));
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const post = (more = "", body = "") =>
  `POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more || `Content-Length: ${body.length}\r\n`}\r\n${body}`;

test("ingress server hands a request to its route, as it was sent", async () => {
  let seen: IngressRequest | undefined;
  await using stage = await setUp(async (request) => {
    seen = request;
    return { status: 202, headers: { "retry-after": "1" }, body: Buffer.from(await request.body()).toString() };
  });
  const response = await fetch(`${stage.url}?a=1&a=2`, { method: "POST", body: "héllo", headers: { "X-One": "1" } });
  assert.equal(response.status, 202);
  assert.equal(await response.text(), "héllo");
  assert.deepEqual(
    ["retry-after", "cache-control", "x-content-type-options"].map((name) => response.headers.get(name)),
    ["1", "no-store", "nosniff"],
  );
  assert.deepEqual([seen?.method, seen?.path, seen?.query.getAll("a")], ["POST", "/hook", ["1", "2"]]);
  assert.equal(seen?.headers.get("x-one"), "1");
  assert.equal(seen?.remoteAddress, "127.0.0.1");
  assert.equal(seen?.peerCertificate, undefined);
});

test("ingress server finds no path but the exact one, by the exact method", async () => {
  await using stage = await setUp();
  for (const path of ["/", "/hook/", "/HOOK", "/%68ook", "/./hook", "//hook", "/hook;a"]) {
    const answer = await stage.exchange(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    assert.equal(statusOf(answer), 404, path);
    assert.match(answer, /\r\n\r\nnothing is served under this path$/);
  }
  const get = await fetch(stage.url);
  assert.deepEqual([get.status, get.headers.get("allow"), await get.text()], [405, "POST", "this path takes POST"]);
  const whole = await stage.exchange(
    "POST http://x/hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
  );
  assert.equal(statusOf(whole), 400);
  assert.deepEqual(await stage.counts(), { "<none> 404": 7, "hooks 405": 1, "<none> 400": 1 });
});

test("ingress server answers 413 before it reads, and while it reads a body of no announced length", async () => {
  await using stage = await setUp();
  assert.equal((await fetch(stage.url, { method: "POST", body: "x".repeat(1_000) })).status, 202);
  assert.equal((await fetch(stage.url, { method: "POST", body: "x".repeat(1_001) })).status, 413);
  const socket = stage.open();
  socket.write(post("Content-Length: 1000000\r\n"));
  assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 413/, "before a byte of it was sent");
  const chunk = `${(500).toString(16)}\r\n${"x".repeat(500)}\r\n`;
  const chunked = await stage.exchange(post("Transfer-Encoding: chunked\r\n") + chunk.repeat(3));
  assert.equal(statusOf(chunked), 413);
});

test("ingress server lets a sender read why its large body was refused", async () => {
  await using stage = await setUp();
  const response = await fetch(stage.url, { method: "POST", body: Buffer.alloc(20_000_000) });
  assert.equal(response.status, 413);
  assert.equal(await response.text(), "the body may have 1000 bytes at the most");
});

test("ingress server unpacks nothing", async () => {
  await using stage = await setUp();
  const bomb = gzipSync(Buffer.alloc(900_000));
  for (const coding of ["gzip", "br", "deflate", "gzip, identity", "x-unknown"]) {
    const response = await fetch(stage.url, {
      method: "POST",
      body: bomb.subarray(0, 900),
      headers: { "content-encoding": coding },
    });
    assert.equal(response.status, 415, coding);
    assert.equal(await response.text(), "send the body without Content-Encoding");
  }
  const identity = await fetch(stage.url, { method: "POST", body: "x", headers: { "content-encoding": "Identity" } });
  assert.equal(identity.status, 202);
});

test("ingress server reads no request that two servers could read differently", async () => {
  await using stage = await setUp();
  for (const [what, bytes] of Object.entries({
    "two lengths": post("Content-Length: 1\r\nContent-Length: 2\r\n", "xx"),
    "length and chunks": post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
    "a chunk of no length": post("Transfer-Encoding: chunked\r\n", "zz\r\nx\r\n0\r\n\r\n"),
    "a chunk that lies": post("Transfer-Encoding: chunked\r\n", "1\r\nxxxx\r\n0\r\n\r\n"),
    "a coding that is none": post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
    "a bare line feed": "POST /hook HTTP/1.1\nHost: x\nContent-Length: 0\n\n",
    "a folded header": post("A: b\r\n c: d\r\nContent-Length: 0\r\n"),
    "a null in a header": post("A: \0\r\nContent-Length: 0\r\n"),
    "no host": "POST /hook HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    "no HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  })) {
    assert.equal(statusOf(await stage.exchange(bytes)), 400, what);
  }
  assert.equal((await fetch(stage.url, { method: "POST" })).status, 202, "it still serves");
});

test("ingress server serves no version, coding or second Host that makes a request another one elsewhere, and closes", async () => {
  let asked = 0;
  await using stage = await setUp(async () => {
    asked += 1;
    return { status: 202 };
  });
  const chunks = "5\r\nhello\r\n0\r\n\r\n";
  const next = "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
  for (const [status, bytes] of [
    [505, "POST /hook\r\n\r\n"],
    [501, `POST /hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${chunks}`],
    [501, "POST /hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n"],
    [501, `POST /hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked\r\n\r\n${chunks}`],
    [400, `POST /hook HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`],
    [400, "POST /hook HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 0\r\n\r\n"],
  ] as const) {
    const answer = await stage.exchange(bytes);
    assert.equal(statusOf(answer), status, bytes);
    assert.match(answer, /\r\nconnection: close\r\n/i);
  }
  assert.equal(asked, 0);
  assert.equal(
    statusOf(
      await stage.exchange(
        `POST /hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n${chunks}`,
      ),
    ),
    202,
  );
  assert.equal(statusOf(await stage.exchange("POST /hook HTTP/1.0\r\nContent-Length: 0\r\n\r\n")), 202);
  assert.equal(
    (await stage.exchange(`${next}no request\r\n\r\n`)).match(/HTTP\/1\.1 \d+/g)?.join(),
    "HTTP/1.1 202",
    "no 400 in its place",
  );
});

test("ingress server asks a sender for the body that it waits with when somebody reads it, and for none that is refused", async () => {
  await using stage = await setUp(async (request) => (request.query.has("no") ? { status: 401 } : measure(request)));
  const expecting = (target: string, bytes: number): string =>
    `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`;
  for (const [target, bytes, status] of [
    ["/hook?no", 5, 401],
    ["/hook", 1_001, 413],
    ["/other", 5, 404],
  ] as const) {
    assert.equal(statusOf(await stage.exchange(expecting(target, bytes))), status);
  }
  const socket = stage.open();
  socket.write(expecting("/hook", 5));
  assert.equal(statusOf(String((await once(socket, "data"))[0])), 100);
  socket.write("hello");
  assert.match(await text(socket), /^HTTP\/1\.1 202.*\r\n\r\n5$/s);
});

test("ingress server leaves out no header, however many there are within its bytes", async () => {
  let seen: string | undefined;
  await using stage = await setUp(
    async ({ headers }) => {
      seen = headers.get("authorization");
      return { status: 202 };
    },
    { maxHeaderBytes: 1_048_576 },
  );
  const fill = "a: b\r\n".repeat(5_000);
  await stage.exchange(post(`Authorization: Bearer a\r\n${fill}Authorization: Bearer b\r\nContent-Length: 0\r\n`));
  assert.equal(seen, "Bearer a, Bearer b");
});

test("ingress server answers 431 to huge headers", async () => {
  await using stage = await setUp();
  assert.equal(statusOf(await stage.exchange(post(`A: ${"x".repeat(100_000)}\r\nContent-Length: 0\r\n`))), 431);
});

test("ingress server joins a header that comes several times, so that none of them counts for all", async () => {
  let seen: string | undefined;
  await using stage = await setUp(async ({ headers }) => {
    seen = headers.get("authorization");
    return { status: 202 };
  });
  await stage.exchange(post("Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Length: 0\r\n"));
  assert.equal(seen, "Bearer a, Bearer b");
});

test("ingress server answers pipelined requests in their order, each by itself", async () => {
  await using stage = await setUp();
  const one = (body: string) => `POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await stage.exchange(one("a") + one("bb") + one("x".repeat(1_001)) + post("", "cccc"));
  assert.deepEqual(
    answers.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => Number(line.slice(-3))),
    [202, 202, 413, 202],
  );
});

test("ingress server hands on headers that are called like what every object has", async () => {
  let seen: IngressRequest["headers"] = new Map();
  await using stage = await setUp(async ({ headers }) => {
    seen = headers;
    return { status: 202 };
  });
  await stage.exchange(post("__proto__: a\r\nconstructor: b\r\ntoString: c\r\ntostring: d\r\nContent-Length: 0\r\n"));
  assert.deepEqual(
    ["__proto__", "constructor", "tostring", "valueof"].map((name) => seen.get(name)),
    ["a", "b", "c, d", undefined],
  );
});

const ways = [
  ["", {}],
  [", by TLS too", { tls: { cert: pem("server"), key: pem("server") } }],
] as const;

/** A connection to a stage, with TLS where it wants that. */
function openTo(stage: { open(): Socket }, { tls }: Partial<IngressOptions>): Socket {
  const socket = stage.open();
  if (tls === undefined) return socket;
  return connectTls({ socket, rejectUnauthorized: false }).on("error", () => {});
}

for (const [how, options] of ways) {
  test(`ingress server closes on who sends more requests than it waits for answers of, and parses few of them however many come at once${how}`, async () => {
    let asked = 0;
    await using stage = await setUp((request) => {
      asked += 1;
      return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
    }, options);
    const bytes = "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".repeat(20_000);
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    subscribe("http.server.request.start", count);
    for (const _ of ["first", "second"]) {
      const plain = stage.open();
      const socket =
        how === "" ? plain : connectTls({ socket: plain, rejectUnauthorized: false }).on("error", () => {});
      socket.resume().write(bytes);
      await closed(socket);
    }
    unsubscribe("http.server.request.start", count);
    assert.equal(asked, 32);
    assert.ok(parsed < 100, `${parsed} requests were parsed`);
    const { body } = await stage.metrics.expose();
    assert.match(body, /^farwatch_ingress_refused_connections_total 2$/m);
  });
}

for (const [how, options] of ways) {
  test(`ingress server leaves a body that nobody reads yet with its sender, however small its chunks${how}`, async () => {
    const release = Promise.withResolvers<void>();
    const unread = Promise.withResolvers<IncomingMessage>();
    const note = (message: unknown): void => unread.resolve((message as { readonly request: IncomingMessage }).request);
    subscribe("http.server.request.start", note);
    await using stage = await setUp(
      async (request) => {
        await release.promise;
        return measure(request);
      },
      { ...options, maxBodyBytes: 200_000 },
    );
    const socket = openTo(stage, options);
    socket.write(`${post("Transfer-Encoding: chunked\r\n")}${"1\r\nx\r\n".repeat(200_000)}0\r\n\r\n`);
    const message = await unread.promise;
    unsubscribe("http.server.request.start", note);
    let before = 0;
    // Until no more comes.
    while (message.readableLength === 0 || message.readableLength > before) {
      before = message.readableLength;
      await systemClock.sleep(20);
    }
    assert.ok(before < 5_000, `${before} chunks`);
    release.resolve();
    assert.match(await text(socket), /^HTTP\/1\.1 202.*200000$/s);
  });
}

test("ingress server answers all that came at once though its sender reads the answers late", async () => {
  // More than the kernel takes for who does not read.
  const whole = 16 * 1024 * 1024;
  await using stage = await setUp(async ({ headers }) => ({
    status: 202,
    body: "x".repeat(headers.has("b") ? whole : 1),
  }));
  const one = (more: string) =>
    `POST /hook HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(1_500)}\r\n${more}Content-Length: 0\r\n\r\n`;
  const socket = stage.open().pause();
  socket.write(one("B: 1\r\n"));
  while ((await stage.counts())["hooks 202"] !== 1) await systemClock.sleep(1);
  socket.write(one("").repeat(5) + one("Connection: close\r\n"));
  while ((await stage.counts())["hooks 202"] === 1) await systemClock.sleep(1);
  const answers = await text(socket);
  assert.equal(answers.match(/HTTP\/1\.1 202/g)?.length, 7);
});

test("ingress server answers others though some do not read what they are answered, and closes on these", async () => {
  const whole = 16 * 1024 * 1024;
  const limits = { maxRequests: 2, answerTimeout: "200ms", requestTimeout: "300ms", headersTimeout: "200ms" } as const;
  await using stage = await setUp(
    async ({ query }) => ({ status: 202, body: "x".repeat(query.has("all") ? whole : 1) }),
    limits,
  );
  const deaf = Array.from({ length: 3 }, () => stage.open().pause());
  for (const socket of deaf) socket.write("POST /hook?all HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  while ((await stage.counts())["hooks 202"] !== deaf.length) await systemClock.sleep(1);
  assert.equal((await fetch(stage.url, { method: "POST" })).status, 202);
  await connectionsAre(stage.metrics, 1);
  for (const socket of deaf) {
    let bytes = 0;
    socket.on("data", (data: Buffer) => {
      bytes += data.length;
    });
    await closed(socket.resume());
    assert.ok(bytes < whole, `${bytes} bytes came`);
  }
});

test("ingress server makes room for who comes by closing on those that ask nothing more", async () => {
  await using stage = await setUp(measure, { maxConnections: 2 });
  for (const _ of ["first", "second", "third", "fourth"]) {
    const socket = stage.open();
    socket.write("POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    assert.equal(statusOf(String((await once(socket, "data"))[0])), 202);
  }
});

test("ingress server closes on who takes too long for headers or body", async () => {
  await using stage = await setUp(measure, { headersTimeout: 100, requestTimeout: 200 });
  assert.equal(statusOf(await stage.exchange("POST /hook HTTP/1.1\r\nHost: x\r\nA: ")), 408);
  assert.equal(statusOf(await stage.exchange(post("Content-Length: 10\r\n", "x"))), 408);
});

test("ingress server gives one answer to a request that it refuses, however its body goes on", async () => {
  await using stage = await setUp(measure, { requestTimeout: "500ms", headersTimeout: "400ms" });
  const start = `${post("Transfer-Encoding: chunked\r\n")}3e9\r\n${"x".repeat(1_001)}\r\n`;
  for (const rest of ["", "no chunk\r\n"]) {
    const socket = stage.open();
    socket.write(start);
    assert.equal(statusOf(String((await once(socket, "data"))[0])), 413);
    socket.write(rest);
    assert.equal(await text(socket), "");
  }
  const answers = await stage.exchange(`${start}${"no chunk\r\n".repeat(10_000)}`);
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d{3}/g), ["HTTP/1.1 400"], "it was malformed by then");
});

test("ingress server takes no more connections than it may", async () => {
  await using stage = await setUp(measure, { maxConnections: 2 });
  const first = [stage.open(), stage.open()];
  for (const socket of first) socket.write("POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n");
  await connectionsAre(stage.metrics, 2);
  assert.equal(await stage.exchange(post()), "");
  for (const socket of first) {
    socket.write("hi");
    assert.equal(statusOf(String((await once(socket, "data"))[0])), 202);
  }
  assert.match((await stage.metrics.expose()).body, /farwatch_ingress_refused_connections_total 1/);
});

for (const [how, options] of ways) {
  test(`ingress server takes a place for who comes from elsewhere from those who have the most${how}`, async () => {
    await using stage = await setUp(measure, { maxConnections: 4, ...options });
    const half = "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n";
    const open = (from: string): Socket => openTo({ open: () => stage.open(from) }, options).on("error", () => {});
    const greedy = [1, 2, 3, 4].map(() => open("127.0.0.2"));
    for (const socket of greedy) socket.write(half);
    await connectionsAre(stage.metrics, 4);
    const more = open("127.0.0.2");
    more.write(half);
    await closed(more.resume());
    const others = [open("127.0.0.3"), open("127.0.0.4")];
    for (const socket of others) {
      socket.write(`${half}hi`);
      assert.equal(statusOf(String((await once(socket, "data"))[0])), 202);
      socket.write(half);
    }
    for (const socket of greedy) socket.resume();
    while (greedy.filter(({ destroyed }) => destroyed).length < others.length) await systemClock.sleep(1);
    assert.deepEqual(
      greedy.map(({ destroyed }) => destroyed),
      [true, true, false, false],
    );
    assert.match((await stage.metrics.expose()).body, /farwatch_ingress_refused_connections_total 3/);
  });
}

test("ingress server answers 503 beyond its requests at once, and beyond the bytes that it may hold", async () => {
  const release = Promise.withResolvers<void>();
  const hold: Handle = async (request) => {
    await request.body();
    await release.promise;
    return { status: 202 };
  };
  await using stage = await setUp(hold, { maxRequests: 3, maxHeldBytes: 1_500 });
  const send = (bytes: number) => fetch(stage.url, { method: "POST", body: "x".repeat(bytes) });
  const first = send(1_000);
  await heldIs(stage.metrics, 1_000);
  const second = await send(501);
  assert.deepEqual([second.status, second.headers.get("retry-after")], [503, "5"]);
  const more = [send(1), send(1)];
  await heldIs(stage.metrics, 1_002);
  assert.equal((await send(0)).status, 503);
  release.resolve();
  for (const response of await Promise.all([first, ...more])) assert.equal(response.status, 202);
  await heldIs(stage.metrics, 0);
});

test("ingress server answers 503 when an answer is overdue", async () => {
  const clock = createVirtualClock();
  const asked = Promise.withResolvers<AbortSignal>();
  const never: Handle = ({ signal }) => {
    asked.resolve(signal);
    return new Promise(() => {});
  };
  await using stage = await setUp(never, { clock, answerTimeout: "10s" });
  const response = fetch(stage.url, { method: "POST" });
  const signal = await asked.promise;
  await clock.advance("10s");
  const { status, headers } = await response;
  assert.deepEqual([status, headers.get("retry-after"), signal.aborted], [503, "5", true]);
});

test("ingress server holds nothing of a body that comes after its answer", async () => {
  await using stage = await setUp(measure, { answerTimeout: "50ms", maxHeldBytes: 600 });
  for (let round = 0; round < 3; round += 1) {
    const socket = stage.open();
    socket.write(post("Content-Length: 1000\r\n", "x".repeat(100)));
    assert.equal(statusOf(String((await once(socket, "data"))[0])), 503, "its answer is overdue");
    socket.end("x".repeat(400));
    await once(socket, "close");
  }
  assert.match((await stage.metrics.expose()).body, /^farwatch_ingress_held_bytes 0$/m);
});

test("ingress server tells a route that the sender has gone", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  await using stage = await setUp(({ signal }) => {
    asked.resolve(signal);
    return new Promise(() => {});
  });
  const socket = stage.open();
  socket.write(post());
  const signal = await asked.promise;
  socket.destroy();
  await once(signal, "abort");
});

test("ingress server tells the routes of all requests of a connection that their sender has gone, and stops", async () => {
  const signals: AbortSignal[] = [];
  const stage = await setUp(
    ({ signal }) => {
      signals.push(signal);
      const answer = { status: 202, body: "x" };
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(answer)));
    },
    { answerTimeout: "1h" },
  );
  const socket = stage.open();
  socket.write("POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".repeat(5));
  while (signals.length < 5) await systemClock.sleep(1);
  socket.destroy();
  while (!signals.every(({ aborted }) => aborted)) await systemClock.sleep(1);
  await stage[Symbol.asyncDispose]();
});

test("ingress server stops though senders of many requests went before they had the answers", async () => {
  const release = Promise.withResolvers<void>();
  let asked = 0;
  const stage = await setUp(async () => {
    asked += 1;
    await release.promise;
    return { status: 202 };
  });
  const socket = stage.open();
  socket.write("POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".repeat(5));
  while (asked < 5) await systemClock.sleep(1);
  release.resolve();
  socket.destroy();
  await connectionsAre(stage.metrics, 0);
  await stage[Symbol.asyncDispose]();
});

test("ingress server answers 500 with no detail to what a route throws, and logs it once, without the path", async () => {
  await using stage = await setUp(() => Promise.reject(new Error("broken")));
  const response = await fetch(stage.url, { method: "POST" });
  assert.deepEqual([response.status, await response.text()], [500, ""]);
  for (let n = 0; n < 10; n += 1) await (await fetch(stage.url, { method: "POST" })).text();
  assert.deepEqual(
    stage.log.lines.map(({ message, fields }) => [message, fields.source]),
    [["Cannot answer a request", "hooks"]],
  );
  assert.doesNotMatch(JSON.stringify(stage.log.lines.map(({ fields }) => ({ ...fields, error: "" }))), /\/hook/);
});

test("ingress server stops while senders that it refused have left in the middle of their bodies", async () => {
  const stage = await setUp();
  const sockets = Array.from({ length: 5 }, () => stage.open());
  for (const socket of sockets) socket.write(post("Content-Length: 1000000\r\n", "x"));
  await Promise.all(sockets.map((socket) => once(socket, "data")));
  for (const socket of sockets) socket.destroy();
  await stage[Symbol.asyncDispose]();
  assert.deepEqual(await stage.counts(), { "hooks 413": 5 });
});

test("ingress server stops though senders that spoke no HTTP keep their connections", async () => {
  const stage = await setUp(measure, { clock: createVirtualClock() });
  const socket = connect({ port: stage.server.address.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  socket.write("no HTTP at all\r\n\r\n");
  assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 400/);
  await stage[Symbol.asyncDispose]();
  socket.destroy();
});

test("ingress server stops in the middle of requests, and leaves nothing open", async () => {
  const asked = Promise.withResolvers<void>();
  const stage = await setUp(async () => {
    asked.resolve();
    return { status: 202, body: "done" };
  });
  const idle = stage.open();
  await once(idle, "connect");
  const response = fetch(stage.url, { method: "POST" });
  await asked.promise;
  await stage[Symbol.asyncDispose]();
  assert.equal(await (await response).text(), "done");
  await assert.rejects(fetch(stage.url, { method: "POST" }));
});

test("ingress server says which address it cannot listen on", async () => {
  await using stage = await setUp();
  const { port } = stage.server.address;
  await assert.rejects(setUp(measure, { port }), {
    code: "InvalidOption",
    message: new RegExp(`^Cannot serve the ingress on 127\\.0\\.0\\.1:${port}: .*EADDRINUSE.*choose another address`),
  });
});

test("ingress server refuses limits, times and ports that are none", async () => {
  for (const options of [
    { maxConnections: 0 },
    { maxRequests: Number.NaN },
    { maxHeldBytes: -1 },
    { maxHeaderBytes: 1.5 },
  ]) {
    await assert.rejects(setUp(measure, options), { code: "InvalidOption" });
  }
  await assert.rejects(setUp(measure, { port: 99_999 }), { code: "InvalidOption", message: /127\.0\.0\.1:99999/ });
  await assert.rejects(setUp(measure, { answerTimeout: "soon" as "1s" }), { code: "InvalidDuration" });
});

const tls = { cert: pem("server"), key: pem("server"), clientCa: pem("ca") };

async function postTls(
  port: number,
  options: RequestOptions,
): Promise<{ readonly status: number; readonly body: string }> {
  const request = httpsRequest({
    host: "127.0.0.1",
    port,
    path: "/hook",
    method: "POST",
    agent: false,
    ca: pem("ca"),
    ...options,
  });
  request.end("{}");
  const [response] = await once(request, "response");
  return { status: response.statusCode, body: await text(response) };
}

test("ingress server with TLS gives the certificate of a sender that its CA has signed, and of no other", async () => {
  const show: Handle = async ({ peerCertificate }) => ({ status: 202, body: JSON.stringify(peerCertificate ?? null) });
  await using stage = await setUp(show, { tls });
  const { port } = stage.server.address;
  const known = JSON.parse((await postTls(port, { cert: pem("client"), key: pem("client") })).body);
  assert.match(known.fingerprint, /^[0-9a-f]{64}$/);
  assert.match(known.subject, /^CN=/);
  assert.equal((await postTls(port, { cert: pem("other-server"), key: pem("other-server") })).body, "null");
  assert.equal((await postTls(port, {})).body, "null");
});

test("ingress server with TLS closes on whoever speaks none, and goes on", async () => {
  await using stage = await setUp(measure, { tls });
  for (const bytes of [post(), "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03garbage", Buffer.alloc(10_000, 0xff)]) {
    const socket = stage.open();
    socket.write(bytes);
    socket.resume();
    await once(socket, "close");
  }
  assert.equal((await postTls(stage.server.address.port, {})).status, 202);
  assert.match((await stage.metrics.expose()).body, /farwatch_ingress_refused_connections_total 3/);
});

test("ingress server takes up a renewed certificate within a minute, and keeps the old one while there is none", async () => {
  const clock = createVirtualClock();
  let current = tls.cert;
  let reads = 0;
  await using stage = await setUp(measure, {
    clock,
    tls: async () => {
      reads += 1;
      return { cert: current, key: current };
    },
  });
  const { port } = stage.server.address;
  assert.equal((await postTls(port, {})).status, 202);
  current = "no certificate";
  await clock.advance("1m");
  assert.equal((await postTls(port, {})).status, 202);
  current = pem("other-server");
  await clock.advance("1m");
  assert.equal((await postTls(port, { ca: pem("other-ca") })).status, 202);
  assert.equal(reads, 3);
  assert.deepEqual(
    stage.log.lines.map(({ level }) => level),
    ["error"],
  );
});

test("ingress server asks for a renewed certificate again when it got no answer, and waits for none when it starts or stops", async () => {
  // What is asked for never comes, so that this clock must not wait for it.
  const inner = createVirtualClock();
  const clock = { ...inner, outside: <T>(work: Promise<T>) => work };
  const never = new Promise<never>(() => {});
  let reads = 0;
  const stage = await setUp(measure, {
    clock,
    tls() {
      reads += 1;
      return reads === 1
        ? { cert: tls.cert, key: tls.cert }
        : reads === 3
          ? { cert: pem("other-server"), key: pem("other-server") }
          : never;
    },
  });
  const { port } = stage.server.address;
  await inner.advance("90s");
  assert.equal(reads, 2);
  const [line] = stage.log.lines;
  assert.match(line?.message ?? "", /^Cannot renew the certificate/);
  assert.ok(isCodedError(line?.fields.error, "Timeout"));
  await inner.advance("30s");
  assert.equal((await postTls(port, { ca: pem("other-ca") })).status, 202);
  await inner.advance("1m");
  assert.equal(reads, 4);
  await stage[Symbol.asyncDispose]();
  assert.equal(stage.log.lines.length, 1);
  assert.equal(inner.pendingTimers, 0);
  const starting = assert.rejects(setUp(measure, { clock, tls: () => never }), { code: "InvalidOption" });
  await inner.advance("30s");
  await starting;
});

test("ingress server goes on with the CA of senders when renewed TLS material has none, or an empty one", async () => {
  const clock = createVirtualClock();
  const show: Handle = async ({ peerCertificate }) => ({ status: 202, body: JSON.stringify(peerCertificate ?? null) });
  let clientCa: string | undefined = tls.clientCa;
  await using stage = await setUp(show, { clock, tls: () => ({ ...tls, clientCa }) });
  const client = { cert: pem("client"), key: pem("client") };
  for (const gone of [undefined, ""]) {
    clientCa = gone;
    await clock.advance("1m");
    assert.match((await postTls(stage.server.address.port, client)).body, /"subject":"CN=/);
  }
  assert.deepEqual(
    stage.log.lines.map(({ level }) => level),
    ["error", "error"],
  );
});

test("ingress server refuses TLS material that is none, and times that contradict each other", async () => {
  await assert.rejects(setUp(measure, { tls: { cert: "x", key: "y" } }), { code: "InvalidOption" });
  await assert.rejects(setUp(measure, { tls: { ...tls, clientCa: "" } }), { code: "InvalidOption" });
  const tlsFails = (): never => {
    throw new Error("no such file");
  };
  await assert.rejects(setUp(measure, { tls: tlsFails }), { code: "InvalidOption", message: /no such file/ });
  await assert.rejects(setUp(measure, { headersTimeout: "20s", requestTimeout: "10s" }), { code: "InvalidOption" });
});

async function heldIs(metrics: ReturnType<typeof createMetrics>, bytes: number): Promise<void> {
  const gauge = metrics.gauge({ name: "farwatch_ingress_held_bytes", help: "" });
  while ((gauge.read() ?? 0) !== bytes) await systemClock.sleep(1);
}

async function connectionsAre(metrics: ReturnType<typeof createMetrics>, count: number): Promise<void> {
  const gauge = metrics.gauge({ name: "farwatch_ingress_connections", help: "" });
  while ((gauge.read() ?? 0) !== count) await systemClock.sleep(1);
}
