import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeEvents } from "./merge-events.ts";
import type { ObjectEvent, SourceEvent } from "./source-event.ts";

const ack = { done() {}, retry() {} };
const create = (object: string, inInitialList = false): ObjectEvent<string> => ({
  type: "create",
  object,
  inInitialList,
});
const update = (oldObject: string, object: string): ObjectEvent<string> => ({ type: "update", oldObject, object, ack });
const gone = (object: string): ObjectEvent<string> => ({ type: "delete", object, stateUnknown: false });

test("merged events are one event from the first old state to the last new one", () => {
  assert.deepEqual(mergeEvents(create("1", true), update("1", "2")), { ...create("2", true), ack });
  assert.deepEqual(mergeEvents(update("1", "2"), update("2", "3")), update("1", "3"));
  assert.deepEqual(mergeEvents(create("1"), gone("1")), gone("1"));
  assert.deepEqual(mergeEvents(update("1", "2"), gone("2")), gone("2"));
  assert.deepEqual(mergeEvents(gone("1"), create("2")), create("2"));
  const generic = (object: string): SourceEvent<string> => ({ type: "generic", object });
  assert.deepEqual(mergeEvents(generic("1"), generic("2")), generic("2"));
  assert.deepEqual(mergeEvents(update("1", "2"), generic("3")), generic("3"));
  assert.deepEqual(mergeEvents(generic("3"), update("1", "2")), update("1", "2"));
});
