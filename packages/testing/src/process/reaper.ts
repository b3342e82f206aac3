/**
 * The body of a child process that outlives its parent by a moment. It reads lines from the pipe that only the parent
 * holds: `+process PID`, `+folder PATH`, and the same with `-` to forget. When the pipe closes, which also SIGKILL of
 * the parent does, it kills those process groups, removes those folders, and ends.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const held = new Set<string>();

for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith("+")) held.add(line.slice(1));
  else held.delete(line.slice(1));
}

const heldOf = (kind: string): string[] =>
  [...held].filter((entry) => entry.startsWith(kind)).map((entry) => entry.slice(kind.length));

for (const pid of heldOf("process ")) {
  try {
    process.kill(-Number(pid), "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
for (const folder of heldOf("folder "))
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
