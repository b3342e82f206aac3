import assert from "node:assert/strict";
import { test } from "node:test";
import { requestTokenOf, waitsForRun } from "./runtime-annotation.ts";

const requestedAt = "farwatch.dev/requested-at";
const handledAt = "farwatch.dev/handled-at";
const asked = (annotations: Readonly<Record<string, string>> | undefined, status?: unknown) => ({
  metadata: annotations === undefined ? {} : { annotations },
  status,
});

test("request token is a text of 1 to 253 characters", () => {
  assert.equal(requestTokenOf(asked({ [requestedAt]: "t" })), "t");
  assert.equal(requestTokenOf(asked({ [requestedAt]: "t".repeat(253) })), "t".repeat(253));
  for (const annotations of [undefined, {}, { [requestedAt]: "" }, { [requestedAt]: "t".repeat(254) }]) {
    assert.equal(requestTokenOf(asked(annotations)), undefined);
  }
});

test("object waits for a run until its status or its annotation has the token", () => {
  assert.equal(waitsForRun(asked({ [requestedAt]: "t" })), true);
  assert.equal(waitsForRun(asked({ [requestedAt]: "t", [handledAt]: "s" }, { lastHandledRequest: "s" })), true);
  assert.equal(waitsForRun(asked({ [requestedAt]: "t", [handledAt]: "t" }, { lastHandledRequest: "s" })), false);
  assert.equal(waitsForRun(asked({ [requestedAt]: "t" }, { lastHandledRequest: "t" })), false);
});

test("object without a token that counts waits for no run, whatever else it has", () => {
  for (const annotations of [undefined, {}, { [requestedAt]: "t".repeat(254) }, { [requestedAt]: 1, [handledAt]: 2 }]) {
    assert.equal(waitsForRun(asked(annotations as Readonly<Record<string, string>>)), false);
  }
  for (const status of [null, "t", 1, []]) assert.equal(waitsForRun(asked({ [requestedAt]: "t" }, status)), true);
});
