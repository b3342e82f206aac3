import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannel } from "../flow/channel.ts";
import { readUntilAborted } from "./read-until-aborted.ts";

function reading() {
  const channel = createChannel<number>();
  const controller = new AbortController();
  return { channel, controller, values: readUntilAborted((signal) => channel.receive(signal), controller.signal) };
}

test("readUntilAborted gives what comes until there is no more", async () => {
  const { channel, values } = reading();
  channel.trySend(0);
  channel.trySend(1);
  channel.close();
  assert.deepEqual(await Array.fromAsync(values), [0, 1]);
});

test("readUntilAborted ends when the signal aborts, and leaves what nobody asked for", async () => {
  const { channel, controller, values } = reading();
  channel.trySend(1);
  channel.trySend(2);
  assert.deepEqual(await values.next(), { done: false, value: 1 });
  controller.abort(new Error("closed"));
  assert.deepEqual(await values.next(), { done: true, value: undefined });
  assert.equal(channel.size, 1);
});

test("readUntilAborted ends when the signal aborts while it waits", async () => {
  const { controller, values } = reading();
  const next = values.next();
  controller.abort(new Error("closed"));
  assert.deepEqual(await next, { done: true, value: undefined });
});

test("readUntilAborted throws what reading fails with", async () => {
  const failure = new Error("broken");
  const values = readUntilAborted(() => Promise.reject(failure), new AbortController().signal);
  await assert.rejects(values.next(), failure);
});

test("readUntilAborted says once that it has ended, whether its reader leaves, it is aborted or there is no more", async () => {
  for (const ends of ["reader leaves", "aborted", "no more"] as const) {
    const channel = createChannel<number>();
    const controller = new AbortController();
    let ended = 0;
    const values = readUntilAborted(channel.receive, controller.signal, () => {
      ended += 1;
    });
    channel.trySend(1);
    await values.next();
    assert.equal(ended, 0, ends);
    if (ends === "aborted") controller.abort();
    else if (ends === "no more") channel.close();
    else await values.return?.();
    assert.deepEqual(await values.next(), { done: true, value: undefined }, ends);
    await values.return?.();
    assert.equal(ended, 1, ends);
  }
});
