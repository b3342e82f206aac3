import assert from "node:assert/strict";
import { test } from "node:test";
import type { TransportResponse } from "../transport/transport.ts";
import { createScriptedStream, createScriptedTransport } from "./scripted-transport.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const get = { method: "GET", url: "https://api.example/watch" } as const;
const textOf = (read: IteratorResult<Uint8Array>): string => Buffer.from(read.value ?? []).toString();

test("scripted transport closes a request whose body nobody reads, as sockets do for a small one", async () => {
  const transport = createScriptedTransport(createVirtualClock());
  transport.on({ path: "/watch" }, { status: 409, body: { kind: "Status" } });
  const { status } = await transport.request(get);
  assert.equal(status, 409);
  assert.equal(transport.open, 0);
  assert.equal(transport.inFlight, 0);
});

test("scripted transport keeps a stream open until it ends, its reader leaves or its signal aborts", async () => {
  const transport = createScriptedTransport(createVirtualClock());
  const streams = [createScriptedStream(), createScriptedStream(), createScriptedStream()] as const;
  const [ending, left, aborted] = streams;
  transport.on({}, { body: ending }, { body: left }, { body: aborted });
  const caller = new AbortController();
  const responses: TransportResponse[] = [];
  for (const _stream of streams) {
    responses.push(await transport.request({ ...get, streaming: true, signal: caller.signal }));
  }
  const [first, second, third] = responses.map(({ body }) => body[Symbol.asyncIterator]());
  assert.ok(first && second && third);
  assert.equal(transport.open, 3);
  assert.equal(transport.inFlight, 0);

  ending.write({ a: 1 });
  ending.end();
  assert.equal(textOf(await first.next()), '{"a":1}\n');
  assert.equal((await first.next()).done, true);
  assert.equal(transport.open, 2);

  const pending = second.next();
  await second.return?.();
  assert.equal((await pending).done, true);
  assert.equal(transport.open, 1);

  const reason = new Error("enough");
  const waiting = third.next();
  caller.abort(reason);
  await assert.rejects(waiting, reason);
  assert.equal(transport.open, 0);
});

test("scripted transport cuts a stream with the error that ends it, after what was written", async () => {
  const transport = createScriptedTransport(createVirtualClock());
  const stream = createScriptedStream();
  transport.on({}, { body: stream });
  const { body } = await transport.request({ ...get, streaming: true });
  const reads = body[Symbol.asyncIterator]();
  const cut = new Error("cut");
  stream.write("part");
  stream.end(cut);
  assert.equal(textOf(await reads.next()), "part");
  await assert.rejects(reads.next(), cut);
  assert.equal(transport.open, 0);
});

test("scripted transport answers after its time, and says so in the timings", async () => {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  transport.on({}, { after: "2s", body: "late" });
  const asked = transport.request(get);
  await clock.advance("2s");
  assert.equal((await asked).timings.firstByte, 2_000);
});
