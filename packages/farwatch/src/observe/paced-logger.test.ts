import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { pacedLogger } from "./paced-logger.ts";

test("pacedLogger writes a message once a minute, and says how often it was left out", async () => {
  const clock = createVirtualClock();
  const log = createRecordingLogger();
  const paced = pacedLogger(log, clock);
  for (let n = 0; n < 1_000; n += 1) paced.warn("Cannot check", { n });
  paced.error("Cannot check");
  paced.warn("Cannot read");
  await clock.advance("59s");
  paced.warn("Cannot check", { n: 1_000 });
  await clock.advance("1s");
  for (let n = 1_001; n < 1_003; n += 1) paced.warn("Cannot check", { n });
  await clock.advance("1m");
  paced.warn("Cannot read");
  assert.deepEqual(
    log.lines.map(({ level, message, fields }) => [level, message, fields]),
    [
      ["warn", "Cannot check", { n: 0 }],
      ["error", "Cannot check", {}],
      ["warn", "Cannot read", {}],
      ["warn", "Cannot check", { n: 1_001, leftOut: 1_000 }],
      ["warn", "Cannot read", {}],
    ],
  );
});

test("pacedLogger gives each child a pace of its own", () => {
  const log = createRecordingLogger();
  const paced = pacedLogger(log, createVirtualClock());
  const [one, two] = [paced.child({ source: "one" }), paced.child({ source: "two" })];
  for (const each of [one, one, two, two]) each.info("Cannot check");
  assert.deepEqual(
    log.lines.map(({ fields }) => fields),
    [{ source: "one" }, { source: "two" }],
  );
});
