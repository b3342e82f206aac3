import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { systemClock } from "../clock/system-clock.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createFileSigns } from "./file-signs.ts";
import { temporaryFolder } from "./kubelet-mount.fixture.ts";

function listening(path: string) {
  const log = createRecordingLogger();
  let count = 0;
  let heard = Promise.withResolvers<void>();
  // Signs keep no process alive, and this one must not end before they come.
  const alive = systemClock.schedule("1h", () => {});
  const signs = createFileSigns(
    path,
    () => {
      count += 1;
      heard.resolve();
    },
    log,
  );
  return {
    log,
    signs,
    get count() {
      return count;
    },
    /** Resolves with the next sign after what the test does. */
    async after(act: () => void): Promise<void> {
      heard = Promise.withResolvers();
      act();
      await heard.promise;
    },
    [Symbol.dispose](): void {
      signs[Symbol.dispose]();
      alive[Symbol.dispose]();
    },
  };
}

test("signs do not come of other files beside the path", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("own"), "");
  using listener = listening(folder.at("own"));
  await listener.signs.renew();
  await listener.after(() => {
    for (let n = 0; n < 100; n += 1) writeFileSync(folder.at(`other${n}`), "x");
    writeFileSync(folder.at("own"), "x");
  });
  assert.ok(listener.count <= 4, `${listener.count} signs of one change`);
});

test("signs that cannot come are warned of once", async () => {
  using listener = listening(`/tmp/${"x".repeat(300)}`);
  for (let time = 0; time < 3; time += 1) await listener.signs.renew();
  assert.deepEqual(
    listener.log.lines.map(({ level, message }) => [level, message]),
    [["warn", "Cannot watch a path, it is only looked at from time to time"]],
  );
  listener.signs[Symbol.dispose]();
  await listener.signs.renew();
});
