import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createChannel } from "../flow/channel.ts";
import { createHttpTransport } from "./http-transport.ts";
import {
  failure,
  http1,
  http2,
  listen,
  manualClock,
  rejection,
  tcp,
  text,
  trusted,
} from "./loopback-servers.fixture.ts";

const reason = new Error("the deadline has passed");

test("pool rejects with the signal's reason and sends nothing when it has aborted already", async () => {
  await using server = await listen(http1((_request, response) => response.end()));
  await using transport = createHttpTransport();
  const signal = AbortSignal.abort(reason);
  assert.equal(await rejection(transport.request({ method: "GET", url: `http://${server.host}/`, signal })), reason);
  assert.equal(server.accepted, 0);
});

test("pool gives up a name lookup when the request is aborted, and connects to nothing later", async () => {
  const lookup = Promise.withResolvers<readonly string[]>();
  await using server = await listen(http1((_request, response) => response.end()));
  await using transport = createHttpTransport({ lookup: () => lookup.promise });
  const caller = new AbortController();
  const url = `http://slow.example:${server.port}/`;
  const asked = rejection(transport.request({ method: "GET", url, signal: caller.signal }));
  caller.abort(reason);
  assert.equal(await asked, reason);
  lookup.resolve(["127.0.0.1"]);
  assert.equal((await transport.request({ method: "GET", url })).status, 200);
  assert.equal(server.accepted, 1);
});

test("pool asks the resolver once for many requests to one name", async () => {
  let lookups = 0;
  await using server = await listen(http1((_request, response) => response.end()));
  await using transport = createHttpTransport({
    lookup: async () => {
      lookups += 1;
      return ["127.0.0.1"];
    },
  });
  const url = `http://many.example:${server.port}/`;
  await Promise.all(Array.from({ length: 20 }, () => transport.request({ method: "GET", url })));
  assert.equal(lookups, 1);
});

test("pool closes the socket of a request that is aborted during TLS, before an answer, or amid the body", async () => {
  await using hung = await listen(tcp(() => {}));
  await using drip = await listen(http1((request, response) => request.url === "/body" && response.write("a")));
  await using transport = createHttpTransport();
  for (const [server, url] of [
    [hung, `https://${hung.host}/`],
    [drip, `http://${drip.host}/`],
  ] as const) {
    const caller = new AbortController();
    const asked = rejection(transport.request({ method: "GET", url, signal: caller.signal }));
    await server.open(1);
    caller.abort(reason);
    assert.equal(await asked, reason);
    await server.open(0);
  }
  const caller = new AbortController();
  const response = await transport.request({ method: "GET", url: `http://${drip.host}/body`, signal: caller.signal });
  const body = response.body[Symbol.asyncIterator]();
  assert.equal((await body.next()).value?.length, 1);
  const pending = rejection(body.next());
  caller.abort(reason);
  assert.equal(await pending, reason);
  assert.deepEqual(await body.next(), { done: true, value: undefined });
  await drip.open(0);
  assert.equal(transport.inFlight, 0);
});

test("pool leaves no listener on a signal that many requests share", async () => {
  await using server = await listen(http1((_request, response) => response.end("ok")));
  await using transport = createHttpTransport();
  const { signal } = new AbortController();
  for (let i = 0; i < 10; i += 1) {
    await text(await transport.request({ method: "GET", url: `http://${server.host}/`, signal }));
  }
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

// B10 Sixty requests to an endpoint that accepts and never answers, over HTTP and over TLS; the abort stands for their
// deadline.
test("pool of a silent endpoint holds up no other, and is empty after the deadline", async () => {
  await using silent = await listen(tcp(() => {}));
  await using good = await listen(http1((_request, response) => response.end("good")));
  await using transport = createHttpTransport({ maxConnections: 50 });
  const get = (): Promise<string> => transport.request({ method: "GET", url: `http://${good.host}/` }).then(text);
  for (const [scheme, sockets] of [
    ["http", 50],
    ["https", 1],
  ] as const) {
    const deadline = new AbortController();
    const bad = Array.from({ length: 60 }, () =>
      rejection(transport.request({ method: "HEAD", url: `${scheme}://${silent.host}/`, signal: deadline.signal })),
    );
    await silent.open(sockets);
    assert.equal(await get(), "good");
    assert.equal(transport.inFlight, 60);
    deadline.abort(reason);
    assert.deepEqual(await Promise.all(bad), Array(60).fill(reason));
    await silent.open(0);
    assert.equal(transport.inFlight, 0);
    assert.equal(await get(), "good");
  }
});

test("pool survives 1,000 requests over HTTP/1.1 that are aborted at once", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on("warning", onWarning);
  await using server = await listen(http1((request, response) => request.url === "/now" && response.end("now")));
  await using transport = createHttpTransport();
  const caller = new AbortController();
  const url = `http://${server.host}/`;
  const outcomes = Array.from({ length: 1_000 }, () =>
    rejection(transport.request({ method: "GET", url, signal: caller.signal })),
  );
  await server.open(256);
  caller.abort(reason);
  assert.deepEqual(new Set(await Promise.all(outcomes)), new Set([reason]));
  await server.open(0);
  assert.equal(await text(await transport.request({ method: "GET", url: `${url}now` })), "now");
  assert.equal(transport.inFlight, 0);
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
});

test("pool tries again for those who came later when the request that began a hung connection gives up", async () => {
  const secure = http2().on("request", (_request, response) => response.end("ok"));
  let connections = 0;
  await using server = await listen(
    tcp((socket) => {
      connections += 1;
      if (connections > 1) secure.emit("connection", socket);
    }),
  );
  await using transport = createHttpTransport();
  const get = { method: "GET", url: `https://${server.host}/`, tls: trusted } as const;
  const caller = new AbortController();
  const first = rejection(transport.request({ ...get, signal: caller.signal }));
  const second = transport.request(get).then(text);
  await server.open(1);
  caller.abort(reason);
  assert.equal(await first, reason);
  assert.equal(await second, "ok");
  assert.equal(connections, 2);
});

test("pool fails a connection that is not ready in time, whatever the request's own deadline", async () => {
  await using hung = await listen(tcp(() => {}));
  const clock = manualClock();
  await using transport = createHttpTransport({ clock, connectTimeout: "7s" });
  const asked = failure(transport.request({ method: "GET", url: `https://${hung.host}/` }));
  await hung.open(1);
  clock.fire(7_000);
  const error = await asked;
  assert.equal(error.message, `Cannot connect to ${hung.host}: it was not ready after 7000 ms (ETIMEDOUT)`);
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["connect", "ETIMEDOUT", false]);
  await hung.open(0);
});

test("pool fails everybody who waits when the one connection for all cannot be made", async () => {
  const closed = await listen(http1(() => {}));
  await closed.close();
  await using transport = createHttpTransport();
  const asked = Array.from({ length: 20 }, () =>
    failure(transport.request({ method: "GET", url: `https://${closed.host}/` })),
  );
  for (const error of await Promise.all(asked)) assert.equal(error.systemCode, "ECONNREFUSED");
});

test("pool keeps a connection that its request did not wait for, and closes it like any idle one", async () => {
  const gate = Promise.withResolvers<void>();
  const held = createChannel<() => void>();
  const lookups: Promise<void>[] = [Promise.resolve(), gate.promise];
  await using server = await listen(http1((_request, response) => held.trySend(() => response.end())));
  const clock = manualClock();
  await using transport = createHttpTransport({
    clock,
    lookup: async () => {
      await lookups.shift();
      return ["127.0.0.1"];
    },
  });
  const get = { method: "GET", url: `http://spare.example:${server.port}/` } as const;
  const first = transport.request(get);
  const answerFirst = await held.receive();
  const second = transport.request(get);
  answerFirst?.();
  await first;
  (await held.receive())?.();
  await second;
  assert.equal(server.accepted, 1);
  gate.resolve();
  await server.open(2);
  await clock.arming(60_000);
  clock.fire(4_000); // Of the other, as its server asks for.
  clock.fire(60_000);
  await server.open(0);
});

test("pool serves requests in the order of their arrival", async () => {
  const seen: string[] = [];
  const held = createChannel<() => void>();
  await using server = await listen(
    http1((request, response) => {
      seen.push(request.url ?? "");
      held.trySend(() => response.end());
    }),
  );
  await using transport = createHttpTransport({ maxConnections: 1 });
  const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
  const answers = paths.map((path) => transport.request({ method: "GET", url: `http://${server.host}${path}` }));
  for (const _path of paths) (await held.receive())?.();
  await Promise.all(answers);
  assert.deepEqual(seen, paths);
});
