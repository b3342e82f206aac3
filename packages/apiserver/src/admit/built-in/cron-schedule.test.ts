import assert from "node:assert/strict";
import { test } from "node:test";
import { cronScheduleFault } from "./cron-schedule.ts";

test("cronScheduleFault takes the schedules of crontab", () => {
  for (const good of [
    "* * * * *",
    "*/5 0-23/2 1,15 jan-DEC sun",
    "0 0 1 1 0",
    "59 23 31 12 6",
    "@daily",
    "@every 1h30m",
    "TZ=UTC 0 * * * *",
  ]) {
    assert.equal(cronScheduleFault(good), undefined, good);
  }
});

test("cronScheduleFault says what is wrong with others", () => {
  for (const bad of ["", "x", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "*/0 * * * *", "@x"]) {
    assert.equal(typeof cronScheduleFault(bad), "string", bad);
  }
  assert.equal(cronScheduleFault("* * * *"), "expected exactly 5 fields, found 4: [* * * *]");
});
