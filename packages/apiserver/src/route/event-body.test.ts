import assert from "node:assert/strict";
import { test } from "node:test";
import { EventBody } from "./event-body.ts";

function opened(): { readonly body: EventBody; readonly left: () => number } {
  let times = 0;
  const body = new EventBody(() => {
    times += 1;
  });
  return { body, left: () => times };
}

const line = (text: string): Buffer => Buffer.from(`${text}\n`);

async function textOf(read: Promise<IteratorResult<Uint8Array, undefined>>): Promise<string> {
  const { value } = await read;
  return value === undefined ? "the end" : Buffer.from(value).toString();
}

test("event body gives lines in their order, all that wait at once", async () => {
  const { body } = opened();
  const first = body.next();
  body.push(line("a"));
  body.push(line("b"));
  body.push(line("c"));
  assert.equal(await textOf(first), "a\n");
  assert.equal(await textOf(body.next()), "b\nc\n");
  body.push(line("d"));
  body.end();
  assert.equal(await textOf(body.next()), "d\n", "what came before the end is read");
  assert.equal(await textOf(body.next()), "the end");
  body.push(line("e"));
  assert.equal(await textOf(body.next()), "the end");
});

test("event body ends a read that waits, and is not left by its own end", async () => {
  const { body, left } = opened();
  const read = body.next();
  body.end();
  assert.equal(await textOf(read), "the end");
  await body.return();
  assert.equal(left(), 0);
});

test("event body tells once that its reader has left", async () => {
  const { body, left } = opened();
  body.push(line("a"));
  for await (const _ of body) break;
  await body.return();
  assert.equal(left(), 1);
  assert.equal(await textOf(body.next()), "the end");
});

test("event body cuts a reader off that falls too far behind, and keeps nothing for it", async () => {
  const { body, left } = opened();
  const much = Buffer.alloc(1024 * 1024, "x");
  for (let count = 0; count < 100; count += 1) body.push(much);
  assert.equal(left(), 1);
  assert.equal(await textOf(body.next()), "the end");
});
