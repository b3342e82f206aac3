import assert from "node:assert/strict";
import { test } from "node:test";
import { isThenable } from "./thenable.ts";

test("isThenable knows what is awaited by what it can do", () => {
  const promises = [Promise.resolve(), { then(): void {} }, Object.assign(() => {}, { then(): void {} })];
  for (const value of promises) assert.equal(isThenable<unknown>(value), true);
  for (const value of [undefined, null, 1, "then", [], { then: true }]) assert.equal(isThenable<unknown>(value), false);
});
