import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createCertificateAuthority } from "@farwatch/apiserver/access";
import { systemClock } from "farwatch";
import { httpCall } from "../process/http-call.ts";
import { type RecordingProxy, type RecordingProxyOptions, startRecordingProxy } from "./recording-proxy.ts";

interface Setup extends AsyncDisposable {
  readonly proxy: RecordingProxy;
  /** A new HTTP/2 connection to the proxy. */
  connect(): ClientHttp2Session;
}

/** A server of plain HTTP/1.1 behind a proxy that speaks TLS. */
async function setUp(listener: RequestListener, options: Partial<RecordingProxyOptions> = {}): Promise<Setup> {
  await using undo = new AsyncDisposableStack();
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const authority = await createCertificateAuthority();
  const issued = await authority.issue({ commonName: "proxy", hosts: ["127.0.0.1"], usage: "server" });
  const proxy = undo.use(
    await startRecordingProxy({
      target: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      tls: { ...issued, ca: authority.cert },
      ...options,
    }),
  );
  const owned = undo.move();
  return {
    proxy,
    connect(): ClientHttp2Session {
      const session = connect(proxy.url, { ca: proxy.ca });
      session.on("error", () => {});
      owned.defer(() => session.destroy());
      return session;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request over HTTP/2; rejects when its stream is reset or its connection ends. */
async function get(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answer> {
  const stream = session.request({ ":path": path, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return await new Promise((resolve, reject) => {
    let answered: IncomingHttpHeaders = {};
    let text = "";
    stream.once("response", (given) => {
      answered = given;
    });
    stream.on("data", (part: Buffer) => {
      text += part.toString("utf8");
    });
    stream.once("error", reject);
    stream.once("close", () => {
      if (answered[":status"] === undefined) reject(new Error("closed without an answer"));
      else resolve({ status: Number(answered[":status"]), headers: answered, text });
    });
  });
}

const hello: RequestListener = (request, response) => {
  response.writeHead(200, { "x-path": request.url, "x-host": request.headers.host, connection: "keep-alive" });
  request.pipe(response);
};

test("recording proxy forwards HTTP/2 requests and records them without their credentials", async () => {
  await using setup = await setUp(hello);
  const before = systemClock.elapsed();
  const answer = await get(
    setup.connect(),
    "/api/v1/pods?limit=5&x=a%20b",
    { ":method": "POST", authorization: "Bearer secret", "x-a": "b" },
    "body",
  );
  assert.deepEqual(
    [answer.status, answer.text, answer.headers["x-path"]],
    [200, "body", "/api/v1/pods?limit=5&x=a%20b"],
  );
  // A signature covers the host that the client named.
  assert.equal(answer.headers["x-host"], new URL(setup.proxy.url).host);
  const [recorded] = setup.proxy.requests;
  assert.ok(recorded !== undefined);
  const { at, query, headers, ...rest } = recorded;
  assert.deepEqual(rest, {
    method: "POST",
    path: "/api/v1/pods",
    protocol: "h2",
    connection: 1,
    body: "body",
    status: 200,
    outcome: "answered",
  });
  assert.deepEqual(
    [...query],
    [
      ["limit", "5"],
      ["x", "a b"],
    ],
  );
  assert.deepEqual({ ...headers }, { "x-a": "b" });
  assert.ok(at >= before && at <= systemClock.elapsed());
});

test("recording proxy serves HTTP/1.1 over TLS and in the clear", async () => {
  await using secure = await setUp(hello);
  const answer = await httpCall(`${secure.proxy.url}/a`, { ca: secure.proxy.ca });
  assert.deepEqual([answer.status, secure.proxy.requests[0]?.protocol], [200, "http/1.1"]);
  await using plain = await startRecordingProxy({ target: { url: "http://127.0.0.1:1" } });
  assert.ok(plain.url.startsWith("http:"));
  using _answer = plain.intercept({}, { type: "answer", status: 204, body: "" });
  assert.equal((await httpCall(`${plain.url}/a`)).status, 204);
});

test("recording proxy numbers connections, not requests", async () => {
  await using setup = await setUp(hello);
  const [one, two] = [setup.connect(), setup.connect()];
  await get(one, "/a");
  await get(two, "/b");
  await get(one, "/c");
  assert.deepEqual(
    setup.proxy.requests.map(({ connection }) => connection),
    [1, 2, 1],
  );
});

test("recording proxy passes the parts of a streamed answer on as they come, and its headers before the first", async () => {
  const parts = Promise.withResolvers<void>();
  await using setup = await setUp((_request, response) => {
    response.writeHead(200).flushHeaders();
    parts.promise.then(() => response.write("first"));
  });
  const stream: ClientHttp2Stream = setup.connect().request({ ":path": "/watch" });
  stream.on("error", () => {});
  await once(stream, "response");
  parts.resolve();
  const [part] = (await once(stream, "data")) as [Buffer];
  assert.equal(part.toString("utf8"), "first");
  assert.equal(setup.proxy.requests[0]?.outcome, "open");
  stream.close();
  while (setup.proxy.requests[0]?.outcome === "open") await systemClock.sleep("5ms");
  assert.equal(setup.proxy.requests[0]?.outcome, "broken");
});

test("recording proxy ends its request to the server when the client gives up", async () => {
  const gone = Promise.withResolvers<void>();
  await using setup = await setUp((_request, response) => {
    response.writeHead(200).flushHeaders();
    response.once("close", gone.resolve);
  });
  const stream = setup.connect().request({ ":path": "/watch" });
  stream.on("error", () => {});
  await once(stream, "response");
  stream.close();
  await gone.promise;
});

test("recording proxy does not read more of an answer than its client takes", async () => {
  const chunk = Buffer.alloc(64 * 1_024);
  let written = 0;
  await using setup = await setUp((_request, response) => {
    const more = (): void => {
      while (written < 2_000 * chunk.length && !response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) {
          response.once("drain", more);
          return;
        }
      }
    };
    more();
  });
  const stream = setup.connect().request({ ":path": "/large" });
  stream.on("error", () => {});
  await once(stream, "response");
  await systemClock.sleep("300ms");
  assert.ok(written < 40_000_000, `${written} bytes were taken from the server`);
  stream.close();
});

test("recording proxy resets the stream when the server breaks off, and keeps the connection", async () => {
  await using setup = await setUp((request, response) => {
    if (request.url === "/ok") response.end("ok");
    else response.writeHead(200, { "content-length": "10" }).write("12", () => response.destroy());
  });
  const session = setup.connect();
  await assert.rejects(get(session, "/broken"), { code: "ERR_HTTP2_STREAM_ERROR" });
  assert.equal((await get(session, "/ok")).text, "ok");
  assert.deepEqual(
    setup.proxy.requests.map(({ outcome, connection }) => [outcome, connection]),
    [
      ["broken", 1],
      ["answered", 1],
    ],
  );
});

test("recording proxy cuts an HTTP/1.1 answer off when the server breaks off, and does not end it", async () => {
  await using setup = await setUp((_request, response) => {
    response.writeHead(200).write("12", () => response.destroy());
  });
  await assert.rejects(httpCall(setup.proxy.url, { ca: setup.proxy.ca }), { code: "ECONNRESET" });
});

test("recording proxy answers in the server's place as often as it was asked to", async () => {
  await using setup = await setUp(hello);
  const session = setup.connect();
  setup.proxy.intercept({ path: "/a" }, { type: "answer", status: 429, headers: { "retry-after": "2" } }, { times: 1 });
  const { status, headers, text } = await get(session, "/a");
  assert.deepEqual([status, headers["retry-after"]], [429, "2"]);
  assert.deepEqual(JSON.parse(text), {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message: "proxy: TooManyRequests",
    reason: "TooManyRequests",
    code: 429,
  });
  assert.equal((await get(session, "/a")).status, 200);
  assert.deepEqual(
    setup.proxy.requests.map((request) => request.status),
    [429, 200],
  );
});

test("recording proxy intercepts by method, path, query, token and body, and lets the newest rule win", async () => {
  await using setup = await setUp(hello);
  const { proxy } = setup;
  const session = setup.connect();
  const by = (status: number) => ({ type: "answer", status }) as const;
  proxy.intercept({ method: ["PUT", "PATCH"] }, by(401));
  proxy.intercept({ path: /^\/apis\// }, by(402));
  proxy.intercept({ query: { watch: "true" } }, by(403));
  proxy.intercept({ bearer: "old" }, by(404));
  proxy.intercept({ when: ({ body }) => body.includes("holder") }, by(405));
  const statusOf = async (...args: [string, Record<string, string>?, string?]): Promise<number> =>
    (await get(session, ...args)).status;
  assert.equal(await statusOf("/a", { ":method": "PATCH" }, "x"), 401);
  assert.equal(await statusOf("/apis/b"), 402);
  assert.equal(await statusOf("/apis/b?watch=true&x=y"), 403);
  assert.equal(await statusOf("/a", { authorization: "Bearer old" }), 404);
  assert.equal(await statusOf("/a", { ":method": "PUT" }, '{"holder":1}'), 405);
  assert.equal(await statusOf("/a?watch=false", { authorization: "Bearer new" }), 200);
});

test("recording proxy stops intercepting when the rule is disposed of", async () => {
  await using setup = await setUp(hello);
  const session = setup.connect();
  {
    using _rule = setup.proxy.intercept({}, { type: "answer", status: 500 });
    assert.equal((await get(session, "/a")).status, 500);
  }
  assert.equal((await get(session, "/a")).status, 200);
});

test("recording proxy holds a request back while others pass", async () => {
  await using setup = await setUp(hello);
  const session = setup.connect();
  const release = Promise.withResolvers<void>();
  setup.proxy.intercept({ path: "/held" }, { type: "hold", until: release.promise });
  setup.proxy.intercept({ path: "/short" }, { type: "hold", until: "20ms" });
  let answered = false;
  const held = get(session, "/held").then((answer) => {
    answered = true;
    return answer;
  });
  await setup.proxy.received({ path: "/held" });
  assert.equal((await get(session, "/other")).status, 200);
  assert.equal((await get(session, "/short")).status, 200);
  assert.equal(answered, false);
  release.resolve();
  assert.equal((await held).status, 200);
});

test("recording proxy resets a connection with everything on it", async () => {
  await using setup = await setUp((_request, response) => response.writeHead(200).flushHeaders());
  const session = setup.connect();
  setup.proxy.intercept({ path: "/cut" }, { type: "cut" });
  const watch = session.request({ ":path": "/watch" });
  watch.on("error", () => {});
  await once(watch, "response");
  const closed = once(session, "close");
  await assert.rejects(get(session, "/cut"));
  await closed;
  assert.ok(watch.destroyed);
});

test("recording proxy ignores a request without ending it", async () => {
  await using setup = await setUp(hello);
  const session = setup.connect();
  setup.proxy.intercept({ path: "/ignored" }, { type: "ignore" });
  const stream = session.request({ ":path": "/ignored" });
  stream.on("error", () => {});
  await setup.proxy.received({ path: "/ignored" });
  assert.equal((await get(session, "/other")).status, 200);
  assert.deepEqual(
    setup.proxy.requests.map(({ outcome }) => outcome),
    ["open", "answered"],
  );
  stream.close();
});

test("recording proxy tells of a request that came before, of one that comes later, and stops waiting when asked", async () => {
  await using setup = await setUp(hello);
  const session = setup.connect();
  await get(session, "/before", { authorization: "Bearer t" });
  assert.equal((await setup.proxy.received({ path: "/before", bearer: "t" })).path, "/before");
  const later = setup.proxy.received({ path: "/later" });
  await get(session, "/later");
  assert.equal((await later).path, "/later");
  const reason = new Error("enough");
  await assert.rejects(setup.proxy.received({ path: "/never" }, AbortSignal.abort(reason)), reason);
  const stop = new AbortController();
  const waiting = setup.proxy.received({ path: "/never" }, stop.signal);
  stop.abort(reason);
  await assert.rejects(waiting, reason);
});

test("recording proxy goes silent without a sign to its clients, not even an answer to their pings", async () => {
  await using setup = await setUp(hello);
  const session = setup.connect();
  await get(session, "/a");
  setup.proxy.silence();
  let pong = false;
  session.ping((error) => {
    pong = error === null;
  });
  const answer = get(session, "/b");
  await systemClock.sleep("100ms");
  assert.deepEqual([pong, session.closed, setup.proxy.requests.length], [false, false, 1]);
  await setup.proxy.resume();
  assert.equal((await answer).status, 200);
  assert.ok(pong);
});

test("recording proxy offers HTTP/1.1 alone when it was told so", async () => {
  await using setup = await setUp(hello, { http2: false });
  const session = setup.connect();
  await assert.rejects(get(session, "/a"));
  assert.equal((await httpCall(setup.proxy.url, { ca: setup.proxy.ca })).status, 200);
});
