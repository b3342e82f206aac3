import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { type CheckpointStore, openCheckpoint } from "./checkpoint.ts";

async function setUp(write: CheckpointStore["write"]) {
  const clock = createVirtualClock();
  const log = createRecordingLogger();
  const controller = new AbortController();
  const { signal } = controller;
  const ctx = createScriptedHub({ clock, log }).context(signal);
  const checkpoint = await openCheckpoint({ read: () => undefined, write }, ctx);
  const kept = checkpoint.keep(signal);
  return {
    clock,
    log,
    signal,
    checkpoint,
    async close(): Promise<void> {
      controller.abort(new Error("closed"));
      await clock.advance("4s");
      await kept;
      assert.equal(clock.pendingTimers, 0);
    },
  };
}

test("checkpoint remembers 10,000 events after one that is not worked on, and lets no more in before that is", async () => {
  const writes: string[] = [];
  const write = (place: string): void => {
    writes.push(place);
  };
  const { clock, checkpoint, signal, close } = await setUp(write);
  const first = await checkpoint.hold("0", signal);
  for (let n = 1; n < 10_000; n += 1) (await checkpoint.hold(String(n), signal))();
  let isIn = false;
  const waiting = checkpoint.hold("10000", signal).then((done) => {
    isIn = true;
    return done;
  });
  await clock.advance("1m");
  assert.equal(isIn, false);
  assert.deepEqual(writes, []);
  first();
  await clock.settle();
  assert.equal(isIn, true);
  assert.deepEqual(writes, ["9999"]);
  const end = checkpoint.allDone(signal);
  (await waiting)();
  await end;
  await close();
  assert.deepEqual(writes, ["9999", "10000"]);
});

test("checkpoint needs one place for any number of them between which there is no event", async () => {
  const writes: string[] = [];
  const write = (place: string): void => {
    writes.push(place);
  };
  const { checkpoint, signal, close } = await setUp(write);
  const done = await checkpoint.hold("a", signal);
  for (let n = 0; n < 20_000; n += 1) checkpoint.passTo(String(n));
  const next = await checkpoint.hold("b", signal);
  done();
  await close();
  assert.deepEqual(writes, ["19999"]);
  next();
});

test("checkpoint waits four seconds for a store that does not answer, and is closed after four more at most", async () => {
  const { clock, log, checkpoint, signal, close } = await setUp(() => new Promise(() => {}));
  (await checkpoint.hold("a", signal))();
  await clock.advance("4s");
  assert.equal(log.lines.filter(({ level }) => level === "warn").length, 1);
  await close();
});

test("checkpoint waits 30 s for a store that does not say its place, and no longer than its source is open", async () => {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const ctx = createScriptedHub({ clock }).context(controller.signal);
  const silent: CheckpointStore = { read: () => new Promise(() => {}), write() {} };
  const late = assert.rejects(openCheckpoint(silent, ctx), {
    code: "Timeout",
    message: /store of its checkpoints/,
  });
  await clock.advance("30s");
  await late;
  const reason = new Error("this replica leads no more");
  const stopped = assert.rejects(openCheckpoint(silent, ctx), reason);
  controller.abort(reason);
  await stopped;
  assert.equal(clock.pendingTimers, 0);
});
