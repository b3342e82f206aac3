import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { abortable } from "./abortable.ts";

const reason = new Error("enough");

test("abortable settles as its work does, and lets go of the signal", async () => {
  const { signal } = new AbortController();
  assert.equal(await abortable(Promise.resolve(7), signal), 7);
  await assert.rejects(abortable(Promise.reject(reason), signal), reason);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("abortable rejects with the signal's reason, whatever its work does then", async () => {
  const controller = new AbortController();
  const work = Promise.withResolvers<void>();
  const waiting = abortable(work.promise, controller.signal);
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(abortable(work.promise, controller.signal), reason);
  work.reject(new Error("late"));
});
