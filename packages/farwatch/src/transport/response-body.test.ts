import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { ResponseBody } from "./response-body.ts";

interface Watched {
  readonly body: ResponseBody;
  readonly calls: string[];
}

function watched(signal?: AbortSignal): Watched {
  const calls: string[] = [];
  const body = new ResponseBody({
    clock: createVirtualClock(),
    source: {
      pause: () => calls.push("pause"),
      resume: () => calls.push("resume"),
      cancel: () => calls.push("cancel"),
    },
    signal,
    onClosed: () => calls.push("closed"),
  });
  return { body, calls };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const ended = { done: true, value: undefined };

test("body hands on chunks in order, whether they come before or after they are asked for", async () => {
  const { body, calls } = watched();
  body.push(bytes("a"));
  body.push(bytes("b"));
  const reads = [body.next(), body.next(), body.next(), body.next()];
  body.push(bytes("c"));
  body.end();
  const values = (await Promise.all(reads)).map(({ value }) => value && Buffer.from(value).toString());
  assert.deepEqual(values, ["a", "b", "c", undefined]);
  assert.deepEqual(await body.next(), ended);
  assert.deepEqual(calls, ["closed"]);
});

test("body pauses its source when 256 KiB wait for the reader, and resumes it when half is read", async () => {
  const { body, calls } = watched();
  const quarter = new Uint8Array(64 * 1024);
  for (let i = 0; i < 3; i += 1) body.push(quarter);
  assert.deepEqual(calls, []);
  body.push(quarter);
  body.push(quarter);
  assert.deepEqual(calls, ["pause"]);
  for (let i = 0; i < 3; i += 1) await body.next();
  assert.deepEqual(calls, ["pause"]);
  await body.next();
  assert.deepEqual(calls, ["pause", "resume"]);
});

test("body that its reader leaves cancels the source at once, even while a read is pending", async () => {
  const { body, calls } = watched();
  const pending = body.next();
  assert.deepEqual(await body.return(), ended);
  assert.deepEqual(await pending, ended);
  assert.deepEqual(calls, ["closed", "cancel"]);
  body.push(bytes("late"));
  body.fail(new Error("late"));
  assert.deepEqual(await body.next(), ended);
  await body.return();
  assert.deepEqual(calls, ["closed", "cancel"]);
});

test("body that has arrived cancels nothing when its reader leaves", async () => {
  const { body, calls } = watched();
  body.push(bytes("a"));
  body.end();
  await body.return();
  assert.deepEqual(calls, ["closed"]);
  assert.deepEqual(await body.next(), ended);
});

test("body that fails gives what had arrived, then throws once", async () => {
  const { body } = watched();
  const error = new Error("cut");
  body.push(bytes("a"));
  body.fail(error);
  assert.equal((await body.next()).value?.length, 1);
  await assert.rejects(body.next(), error);
  assert.deepEqual(await body.next(), ended);
});

test("body of an aborted request throws the reason instead of what had arrived", async () => {
  const caller = new AbortController();
  const { body } = watched(caller.signal);
  const reason = new Error("enough");
  body.push(bytes("a"));
  caller.abort(reason);
  body.fail(reason);
  await assert.rejects(body.next(), reason);
  assert.deepEqual(await body.next(), ended);
});
