import assert from "node:assert/strict";
import { test } from "node:test";
import { type Instant, instantOf, parseTime } from "../clock/instant.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { type CronSourceOptions, cronSource } from "./cron-source.ts";
import { opened, readAll } from "./pushed-source.fixture.ts";

/**
 * Runs of a cron source in order: hour and minute of the wall clock when told, what the run says of itself, and `!` for
 * missed.
 */
function running(options: CronSourceOptions, now = "2030-01-01T00:00:00Z") {
  const clock = createVirtualClock({ now });
  const log = createRecordingLogger();
  const hub = createScriptedHub({ clock, log });
  const source = cronSource(options);
  const watch = hub.subscribe(source, { name: "w" });
  const told: string[] = [];
  const time = (at: Instant): string => at.toISOString().slice(11, 16);
  let leave = async (): Promise<void> => await watch[Symbol.asyncDispose]();
  let term: ReturnType<typeof opened> | undefined;
  return {
    clock,
    log,
    source,
    hub,
    watch,
    told,
    /** Reads for ever. */
    read(): void {
      ({ leave } = readAll(watch, ({ object: { at, missed } }) => {
        told.push(`${time(clock.now())} ${time(at)}${missed ? "!" : ""}`);
      }));
    },
    async open(): Promise<void> {
      term = opened({ hub });
      await clock.settle();
    },
    async close(): Promise<void> {
      await term?.close();
      await clock.settle();
      assert.equal(clock.pendingTimers, 0);
    },
    /** Closes, and leaves. */
    async end(): Promise<void> {
      await this.close();
      await leave();
    },
    /** Everything that was told since the last call. */
    take: () => told.splice(0),
  };
}

test("cron source tells each run at its time, in its time zone, without drift", async () => {
  const run = running({ pattern: "15,45 9 * * *", timeZone: "Asia/Kathmandu" });
  run.read();
  await run.open();
  await run.clock.advance("48h");
  assert.deepEqual(run.take(), ["03:30 03:30", "04:00 04:00", "03:30 03:30", "04:00 04:00"]);
  await run.end();
});

test("cron source tells a run of a repeated hour once, and one in a gap at its end", async () => {
  const autumn = running({ pattern: "30 2 * * *", timeZone: "Europe/Berlin" }, "2026-10-24T22:00:00Z");
  autumn.read();
  await autumn.open();
  await autumn.clock.advance("24h");
  assert.deepEqual(autumn.take(), ["00:30 00:30"]);
  await autumn.end();
  const spring = running({ pattern: "30 2 * * *", timeZone: "America/New_York" }, "2026-03-08T05:00:00Z");
  spring.read();
  await spring.open();
  await spring.clock.advance("24h");
  assert.deepEqual(spring.take(), ["07:00 07:00"]);
  await spring.end();
});

for (const [missed, expected] of [
  ["skip", []],
  ["once", ["05:30 05:00!"]],
  ["all", ["05:30 03:00!", "05:30 04:00!", "05:30 05:00!"]],
] as const) {
  test(`cron source with missed: ${missed} is told by since what passed before this process started`, async () => {
    const since = () => parseTime("2030-01-01T02:00:30Z");
    const run = running({ pattern: "0 * * * *", missed, since }, "2030-01-01T05:30:00Z");
    run.read();
    await run.open();
    assert.deepEqual(run.take(), expected);
    await run.clock.advance("1h");
    assert.deepEqual(run.take(), ["06:00 06:00"]);
    await run.end();
  });

  test(`cron source with missed: ${missed} finds what passed while it was closed, and nothing before its first opening`, async () => {
    const run = running({ pattern: "0 * * * *", missed }, "2030-01-01T02:10:00Z");
    run.read();
    await run.open();
    assert.deepEqual(run.take(), []);
    await run.close();
    await run.clock.advance("3h");
    await run.clock.advance("20m");
    await run.open();
    assert.deepEqual(run.take(), expected);
    await run.end();
  });

  test(`cron source with missed: ${missed} does the same when the wall clock is set across runs`, async () => {
    const run = running({ pattern: "0 * * * *", missed }, "2030-01-01T02:29:40Z");
    run.read();
    await run.open();
    run.clock.jump(3 * 3_600_000);
    await run.clock.advance("30s");
    assert.deepEqual(run.take(), expected);
    await run.end();
  });
}

test("cron source takes a run that is less than a minute late for one that is on time", async () => {
  const since = () => parseTime("2030-01-01T02:00:00Z");
  const run = running({ pattern: "0 * * * *", since }, "2030-01-01T05:00:40Z");
  run.read();
  await run.open();
  assert.deepEqual(run.take(), ["05:00 05:00"]);
  await run.end();
});

test("cron source is not told anew of runs that it told, whatever since answers", async () => {
  const run = running({ pattern: "0 * * * *", missed: "all", since: () => parseTime("2029-12-31T23:00:00Z") });
  run.read();
  await run.open();
  await run.clock.advance("2h");
  assert.deepEqual(run.take(), ["00:00 00:00", "01:00 01:00", "02:00 02:00"]);
  await run.close();
  await run.open();
  assert.deepEqual(run.take(), []);
  await run.end();
});

test("cron source that another replica worked for is told so by since", async () => {
  let last = "2029-12-31T23:30:00Z";
  const run = running({ pattern: "0 * * * *", missed: "all", since: async () => parseTime(last) });
  run.read();
  await run.open();
  await run.close();
  await run.clock.advance("3h");
  last = "2030-01-01T02:00:00Z";
  run.take();
  await run.open();
  assert.deepEqual(run.take(), ["03:00 03:00"]);
  await run.end();
});

test("cron source tells the latest of too many missed runs, and warns", async () => {
  const since = () => parseTime("1970-01-01T00:00:00Z");
  const run = running({ pattern: "* * * * * *", missed: "all", missedLimit: 3, since }, "2030-01-01T00:00:30Z");
  run.read();
  await run.open();
  assert.deepEqual(run.take(), ["00:00 00:00", "00:00 00:00", "00:00 00:00"]);
  assert.deepEqual(
    run.log.lines.map(({ level, message }) => [level, message]),
    [["warn", "Too many runs were missed, only the latest are told"]],
  );
  await run.end();
});

test("cron source on a clock that was set back repeats runs when that was by a minute or more", async () => {
  const run = running({ pattern: "*/5 * * * *" }, "2030-01-01T00:04:00Z");
  run.read();
  await run.open();
  await run.clock.advance("70s");
  run.clock.jump(-30_000);
  await run.clock.advance("1m");
  assert.deepEqual(run.take(), ["00:05 00:05"]);
  run.clock.jump(-3_600_000);
  await run.clock.advance("10m");
  assert.deepEqual(run.take(), ["23:10 23:10", "23:15 23:15"]);
  await run.end();
});

test("cron source does not tell more while its runs are not worked on, and makes up for them under all alone", async () => {
  for (const [missed, count] of [
    ["skip", 1],
    ["once", 1],
    ["all", 30],
  ] as const) {
    const run = running({ pattern: "* * * * *", missed });
    await run.open();
    await run.clock.advance("30m");
    assert.ok(run.hub.states[0]?.buffered === count, `${missed}: ${run.hub.states[0]?.buffered}`);
    run.read();
    await run.clock.settle();
    assert.equal(run.take().length, count);
    await run.end();
  }
});

test("cron source keeps a run that is given back, unless it skips", async () => {
  for (const missed of ["skip", "once", "all"] as const) {
    const run = running({ pattern: "0 3 * * *", missed }, "2030-01-01T02:59:00Z");
    await run.open();
    await run.clock.advance("2m");
    const received = await run.watch.receive();
    await run.close();
    received?.hold.giveBack();
    await run.open();
    run.read();
    await run.clock.settle();
    assert.deepEqual(run.take(), missed === "skip" ? [] : ["03:01 03:00"]);
    await run.end();
  }
});

test("cron source fails, and is opened again, when since cannot tell", async () => {
  let asked = 0;
  const run = running({
    pattern: "0 * * * *",
    missed: "once",
    async since() {
      asked += 1;
      if (asked === 1) throw new Error("no answer");
      return parseTime("2029-12-31T22:30:00Z");
    },
  });
  run.read();
  await run.open();
  assert.equal(run.hub.states[0]?.phase, "failing");
  await run.clock.advance("2s");
  assert.deepEqual(run.take(), ["00:00 00:00"]);
  await run.end();
});

test("cron source fails when since does not answer within 30 s, and waits for it no longer than it is open", async () => {
  const run = running({ pattern: "* * * * *", since: () => new Promise(() => {}) });
  run.read();
  await run.open();
  await run.clock.advance("29s");
  assert.equal(run.hub.states[0]?.phase, "starting");
  await run.clock.advance("1s");
  assert.equal(run.hub.states[0]?.phase, "failing");
  assert.match(run.hub.states[0]?.lastError ?? "", /since did not answer within 30000 ms/);
  await run.clock.advance("5s");
  await run.end();
  assert.deepEqual(
    run.log.lines.filter(({ message }) => message.includes("did not close")),
    [],
  );
});

test("cron source fails while since answers what is no time, and no longer", async () => {
  const answers = [instantOf(Number.NaN), instantOf(Number.NaN), parseTime("2029-12-30T00:00:00Z")];
  const run = running({ pattern: "0 9 * * *", missed: "once", since: () => answers.shift() });
  run.read();
  await run.open();
  assert.match(run.hub.states[0]?.lastError ?? "", /"0 9 \* \* \*".*no time/);
  await run.clock.advance("10s");
  assert.deepEqual(run.take(), ["00:00 09:00!"]);
  await run.end();
});

test("cron source that names no more time waits without end and without a burst of work", async () => {
  const run = running({ pattern: "0 0 0 1 1 * 2020" });
  run.read();
  await run.open();
  await run.clock.advance("24h");
  assert.deepEqual(run.take(), []);
  assert.equal(run.hub.states[0]?.restarts, 0);
  await run.end();
});

test("cron source refuses a pattern, a time zone, a limit, a choice and what is no function when it is made", () => {
  for (const options of [
    { pattern: "every day" },
    { pattern: "* * * * *", timeZone: "Berlin" },
    { pattern: "* * * * *", missedLimit: 0 },
  ]) {
    assert.throws(
      () => cronSource(options),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
  assert.throws(() => cronSource({ pattern: "every day" }), {
    message: /^Cannot read cron pattern "every day": invalid configuration format .* are required; give five fields /,
  });
  assert.throws(() => cronSource({} as never), {
    message: /^Cannot make source cron: pattern is missing, give five fields /,
  });
  assert.throws(() => cronSource({ pattern: "@daily", missed: "latest" as never }), {
    code: "InvalidOption",
    message: 'Cannot make source cron @daily: missed is "latest", give "skip", "once" or "all"',
  });
  assert.throws(() => cronSource({ pattern: "@daily", since: "yesterday" as never }), { code: "InvalidOption" });
});
