import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { systemClock } from "../clock/system-clock.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createHeldBytes, createIngressRequest } from "./socket-request.ts";

/** A request whose body comes as these chunks, and how many bytes of bodies are held now. */
function setUp(chunks: AsyncIterable<Buffer>, { maxBodyBytes = 1_000_000, mostBytes = 2_000_000 } = {}) {
  let bytes = 0;
  const held = createHeldBytes(mostBytes, (now) => {
    bytes = now;
  });
  const body = Readable.from(chunks, { objectMode: true });
  const message = Object.assign(body, { rawHeaders: [], socket: {} }) as unknown as IncomingMessage;
  const request = createIngressRequest(message, {
    path: "/hook",
    query: new URLSearchParams(),
    maxBodyBytes,
    held,
    clock: createVirtualClock(),
    signal: new AbortController().signal,
  });
  return { request, heldBytes: () => bytes };
}

test("body of a request is what its chunks are, however they are cut, and holds at most twice as much", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 50 }), async (parts) => {
      const whole = Buffer.concat(parts);
      const { request, heldBytes } = setUp(Readable.from(parts.map((part) => Buffer.from(part))));
      assert.deepEqual(Buffer.from(await request.body()), whole);
      assert.ok(heldBytes() >= whole.length && heldBytes() <= 2 * whole.length, `${heldBytes()} of ${whole.length}`);
      request[Symbol.dispose]();
      assert.equal(heldBytes(), 0);
    }),
  );
});

test("body of a request keeps none of the chunks that it came in, which may cost many times what they hold", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const count = 2_000;
  const alive = new Set<WeakRef<Buffer>>();
  const rest = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < count; sent += 1) {
      const chunk = Buffer.alloc(1, "x");
      alive.add(new WeakRef(chunk));
      yield chunk;
    }
    read.resolve();
    await rest.promise;
  }
  const { request, heldBytes } = setUp(chunks());
  const body = request.body();
  await read.promise;
  // In the turn in which a reference was made it holds what it refers to.
  await systemClock.sleep(0);
  collect();
  // The stream has some of them yet.
  const kept = [...alive].filter((chunk) => chunk.deref() !== undefined).length;
  assert.ok(kept < 100, `${kept} of ${count}`);
  assert.ok(heldBytes() >= count - 100 && heldBytes() <= 2 * count);
  rest.resolve();
  assert.equal((await body).length, count);
  request[Symbol.dispose]();
});

test("body of a request is refused beyond its limit and beyond what all may hold, and is counted until then", async () => {
  const chunks = () => Readable.from(Array.from({ length: 11 }, () => Buffer.alloc(100)));
  const large = setUp(chunks(), { maxBodyBytes: 1_000 });
  await assert.rejects(large.request.body(), { code: "BodyTooLarge" });
  assert.equal(large.heldBytes(), 1_000);
  const full = setUp(chunks(), { mostBytes: 500 });
  await assert.rejects(full.request.body(), { code: "IngressFull" });
  assert.equal(full.heldBytes(), 400);
  for (const { request, heldBytes } of [large, full]) {
    request[Symbol.dispose]();
    assert.equal(heldBytes(), 0);
  }
});
