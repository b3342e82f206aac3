import assert from "node:assert/strict";
import { test } from "node:test";
import { isThenable } from "./thenable.ts";

const having = (then: unknown): object => ({ then });

test("isThenable knows what is awaited by what it can do", () => {
  for (const value of [Promise.resolve(), having(() => {})]) assert.equal(isThenable<unknown>(value), true);
  for (const value of [undefined, null, 1, "then", [], having(true)]) assert.equal(isThenable<unknown>(value), false);
});
