import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { joinSignals } from "./join-signals.ts";

test("joinSignals aborts with the reason of whichever aborts first, and hangs on neither after that", () => {
  for (const index of [0, 1]) {
    const controllers = [new AbortController(), new AbortController()] as const;
    const [first, second] = controllers;
    const joined = joinSignals(first.signal, second.signal);
    controllers[index]?.abort(`reason ${index}`);
    assert.equal(joined.reason, `reason ${index}`);
    for (const { signal } of controllers) assert.equal(getEventListeners(signal, "abort").length, 0);
    assert.equal(joinSignals(first.signal, second.signal).reason, `reason ${index}`);
  }
});

test("joinSignals lets go of both when it is disposed of", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  {
    using joined = joinSignals(first.signal, second.signal);
    assert.equal(joined.aborted, false);
  }
  for (const { signal } of [first, second]) assert.equal(getEventListeners(signal, "abort").length, 0);
});
