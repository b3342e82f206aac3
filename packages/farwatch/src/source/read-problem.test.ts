import assert from "node:assert/strict";
import { test } from "node:test";
import { readProblem } from "./read-problem.ts";

test("readProblem quotes nothing of what a parser could not read", () => {
  for (const parse of [JSON.parse, BigInt]) {
    try {
      parse("hunter2");
      assert.fail("it was read");
    } catch (error) {
      assert.match(String(error), /hunter2/);
      assert.equal(readProblem(error), "it is no JSON, or what else its reader parses");
    }
  }
});

test("readProblem says what any other error does, without secrets", () => {
  assert.equal(readProblem(new Error("no bucket in https://me:hunter2@broker/")), "no bucket in https://broker/");
});
