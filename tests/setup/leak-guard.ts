/**
 * Loaded into every test file with --import. A file whose tests are over but which holds a timer, socket or child process
 * would hang for ever, whatever the test timeout; this ends it and says what it holds. It also ends a file whose run was
 * killed.
 *
 * Plain timers, since importing farwatch into each file would cost more than the file, and time here is real.
 */
import { after } from "node:test";
import { leakGraceMs } from "./leak-grace.ts";

const run = process.ppid;
// biome-ignore lint/style/noRestrictedGlobals: see above
const orphanGuard = setInterval(() => {
  if (process.ppid !== run) process.exit(1);
}, 1_000);
orphanGuard.unref();

after(() => {
  // biome-ignore lint/style/noRestrictedGlobals: see above
  const guard = setTimeout(() => {
    const held = process.getActiveResourcesInfo().filter((resource) => resource !== "PipeWrap");
    const what = held.join(", ") || "a pipe";
    process.stderr.write(`Still open ${leakGraceMs / 1_000} s after the last test of this file: ${what}\n`);
    process.exit(1);
  }, leakGraceMs);
  guard.unref();
});
