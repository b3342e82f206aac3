import assert from "node:assert/strict";
import { test } from "node:test";
import { CostExceeded, measured, strain } from "./value.ts";

const most = 5_000_000;
const look = (times: number): void => {
  for (let time = 0; time < times; time += 1) strain();
};

test("measured counts what one evaluation looks at, and nothing of one within it, before it or after it", () => {
  measured(() => {
    look(most - 1);
    measured(() => look(most));
    assert.throws(() => measured(() => look(most + 1)), CostExceeded);
    look(1);
    assert.throws(() => strain(), CostExceeded);
  });
  measured(() => look(most));
});
