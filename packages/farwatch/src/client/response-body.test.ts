import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { gunzip, readStart, readText } from "./response-body.ts";

const clock = createVirtualClock();
const doing = (): string => "get pods a/b";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

// B24
test("readText joins characters that are split over chunks", async () => {
  const texts = fc.string({ unit: "binary", maxLength: 40 }).map((text) => `バケット🪣\u2028${text}`);
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, size) => {
      const bytes = Buffer.from(text);
      assert.equal(await readText(chunksOf(bytes, size), 1_000, doing), bytes.toString("utf8"));
      const packed = gunzip(chunksOf(gzipSync(bytes), size), { clock, maxBytes: 1_000, doing });
      assert.equal(await readText(packed, 1_000, doing), bytes.toString("utf8"));
    }),
    { numRuns: 50 },
  );
});

test("readText refuses a body over its bound and stops reading it", async () => {
  let pulled = 0;
  let closed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        pulled += 1;
        yield new Uint8Array(10);
      }
    } finally {
      closed = true;
    }
  }
  await assert.rejects(readText(endless(), 25, doing), (error) => {
    assert.ok(isCodedError(error, "ProtocolError"));
    assert.equal(error.message, "Cannot get pods a/b: the answer is longer than the 25 bytes that are read at most");
    return true;
  });
  assert.deepEqual([pulled, closed], [3, true]);
  assert.equal(await readStart(endless(), 25).then((text) => text.length), 25);
});

test("gunzip refuses a small body that grows beyond its bound", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  assert.ok(bomb.byteLength < 100_000);
  let most = 0;
  const reading = (async () => {
    for await (const chunk of gunzip(chunksOf(bomb, 16_384), { clock, maxBytes: 1_000_000, doing }))
      most += chunk.byteLength;
  })();
  await assert.rejects(reading, (error) => isCodedError(error, "ProtocolError"));
  assert.ok(most <= 1_000_000);
});

test("gunzip refuses what is no gzip, and one that is cut short", async () => {
  const whole = gzipSync(Buffer.from("x".repeat(10_000)));
  for (const bytes of [Buffer.from("not gzip at all"), whole.subarray(0, whole.byteLength - 6)]) {
    await assert.rejects(readText(gunzip(chunksOf(bytes, 7), { clock, maxBytes: 1e6, doing }), 1e6, doing), (error) => {
      assert.ok(isCodedError(error, "ProtocolError"));
      assert.match(
        error.message,
        /^Cannot get pods a\/b: the answer is said to be gzip, and cannot be decompressed \(.+\)$/,
      );
      return true;
    });
  }
});

test("gunzip hands on what the body itself throws", async () => {
  const cut = new Error("cut");
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield gzipSync(Buffer.from("x")).subarray(0, 5);
    throw cut;
  }
  await assert.rejects(
    readText(gunzip(broken(), { clock, maxBytes: 1e6, doing }), 1e6, doing),
    (error) => error === cut,
  );
});
