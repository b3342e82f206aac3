/**
 * Loaded into every test file with --import. A file whose tests are over but which holds a timer, socket or child process
 * would hang for ever, whatever the test timeout; this ends it and says what it holds.
 *
 * Plain timers, since importing farwatch into each file would cost more than the file, and time here is real.
 */
import { after } from "node:test";

/** Longer than any teardown: this hook runs before the file's own ones. */
const graceMs = 10_000;

after(() => {
  // biome-ignore lint/style/noRestrictedGlobals: see above
  const guard = setTimeout(() => {
    const held = process.getActiveResourcesInfo().filter((resource) => resource !== "PipeWrap");
    process.stderr.write(
      `Still open ${graceMs / 1_000} s after the last test of this file: ${held.join(", ") || "a pipe"}\n`,
    );
    process.exit(1);
  }, graceMs);
  guard.unref();
});
