import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { forgetAbort, onAbort } from "./abort-hub.ts";

test("abort hub calls everybody who waits, in order, over one listener, and nobody who left", () => {
  const caller = new AbortController();
  const { signal } = caller;
  const calls: string[] = [];
  const leaver = (): number => calls.push("leaver");
  onAbort(signal, leaver);
  onAbort(signal, () => calls.push("a"));
  onAbort(signal, () => calls.push("b"));
  forgetAbort(signal, leaver);
  assert.equal(getEventListeners(signal, "abort").length, 1);
  caller.abort();
  caller.abort();
  assert.deepEqual(calls, ["a", "b"]);
});

test("abort hub leaves no listener once nobody waits, and starts anew after that", () => {
  const caller = new AbortController();
  const { signal } = caller;
  const calls: string[] = [];
  const run = (): number => calls.push("run");
  onAbort(signal, run);
  forgetAbort(signal, run);
  forgetAbort(signal, run);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  onAbort(signal, run);
  caller.abort();
  assert.deepEqual(calls, ["run"]);
  forgetAbort(signal, run);
});

test("abort hub does not call one whom another has let go meanwhile", () => {
  const caller = new AbortController();
  const { signal } = caller;
  const calls: string[] = [];
  const second = (): number => calls.push("second");
  onAbort(signal, () => {
    calls.push("first");
    forgetAbort(signal, second);
  });
  onAbort(signal, second);
  caller.abort();
  assert.deepEqual(calls, ["first"]);
});
