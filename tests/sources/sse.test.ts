import assert from "node:assert/strict";
import { test } from "node:test";
import { startTcpRelay } from "@farwatch/testing";
import { createHttpTransport, sseSource, systemClock } from "farwatch";
import { eventually } from "../eventually.ts";
import { openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";
import { startSseServer } from "./sse-server.ts";

test("sseSource that was cut goes on behind the last id, in whatever letters, and the transport that was given is still of use", async () => {
  await using server = await startSseServer();
  const { stream, url } = server.serve();
  await using transport = createHttpTransport();
  {
    await using source = openSource(sseSource({ url, transport, read: ({ data }) => data }));
    stream.send("one");
    assert.equal((await source.next()).event.object, "one");
    stream.cut();
    await source.failing();
    stream.send("two");
    assert.equal((await source.next()).event.object, "two");
    assert.equal(source.state.phase, "serving");
    assert.equal(source.state.restarts, 0);
  }
  assert.deepEqual(stream.lastIds, [undefined, "1 größe"]);
  await eventually("nobody is connected", () => stream.followers === 0);
  assert.equal(transport.inFlight, 0);
});

test("sseSource reads the socket no faster than its events are taken", async () => {
  await using server = await startSseServer();
  const { stream, url } = server.serve();
  const count = 64;
  for (let n = 0; n < count; n += 1) stream.send(`${n} ${"x".repeat(500_000)}`);
  await using source = openSource(
    sseSource({ url, maxUnacknowledged: 1, read: ({ data }) => Number.parseInt(data, 10) }),
  );
  const first = await source.next();
  let [before, quiet] = [-1, 0];
  while (quiet < 20) {
    quiet = stream.waiting === before ? quiet + 1 : 0;
    before = stream.waiting;
    await systemClock.sleep(5);
  }
  assert.ok(before > 5_000_000, `${before} bytes wait at the server`);
  const told = [first.event.object];
  first.hold.done();
  while (told.length < count) {
    const { event, hold } = await source.next();
    told.push(event.object);
    hold.done();
  }
  assert.deepEqual(
    told,
    Array.from({ length: count }, (_, n) => n),
  );
});

const silentSource = (url: string) => sseSource({ url, idle: "3s", read: ({ data }) => Number(data) });

toleratesSilence({
  name: "sseSource",
  skip: false,
  async create() {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await startSseServer());
    const relay = stack.use(await startTcpRelay({ targetPort: server.port }));
    const { stream, url } = server.serve();
    const owned = stack.move();
    return {
      source: silentSource(url.replace(`:${server.port}/`, `:${relay.port}/`)),
      server: { pause: () => relay.silence(), resume: () => relay.resume() },
      async publish(number): Promise<void> {
        stream.send(String(number));
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  },
  at: (port) => silentSource(`http://127.0.0.1:${port}/`),
});
