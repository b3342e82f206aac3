import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { type Logger, lateChild } from "./logger.ts";

test("lateChild says what a child says, and is made once, when it first says something", () => {
  const recording = createRecordingLogger();
  let made = 0;
  const parent: Logger = {
    ...recording,
    child(fields) {
      made += 1;
      return recording.child(fields);
    },
  };
  const log = lateChild(parent, { name: "a" });
  assert.equal(made, 0);
  for (const level of ["debug", "info", "warn", "error"] as const) log[level](level, { attempt: 1 });
  log.child({ part: "b" }).info("part");
  assert.equal(made, 1);
  assert.deepEqual(
    recording.lines.map(({ level, message, fields }) => [level, message, fields]),
    [
      ["debug", "debug", { name: "a", attempt: 1 }],
      ["info", "info", { name: "a", attempt: 1 }],
      ["warn", "warn", { name: "a", attempt: 1 }],
      ["error", "error", { name: "a", attempt: 1 }],
      ["info", "part", { name: "a", part: "b" }],
    ],
  );
});
