import { type ChildProcessByStdio, spawn } from "node:child_process";
import { extname } from "node:path";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** What is to go when this process dies, as the reaper's lines without their sign. */
const held = new Set<string>();

let reaper: ChildProcessByStdio<Writable, null, null> | undefined;

function startReaper(): ChildProcessByStdio<Writable, null, null> {
  const script = fileURLToPath(new URL(`./reaper${extname(import.meta.filename)}`, import.meta.url));
  // Its own process group, so that Ctrl-C in a terminal does not end it before its parent.
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "ignore", "ignore"], detached: true, env: {} });
  const gone = (): void => {
    if (reaper === child) reaper = undefined;
  };
  child.on("error", gone);
  child.on("exit", gone);
  // The exit event tells of a reaper that is gone; a write that came too late says nothing more.
  child.stdin.on("error", gone);
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  for (const entry of held) child.stdin.write(`+${entry}\n`);
  return child;
}

function hold(entry: string): Disposable {
  held.add(entry);
  if (reaper === undefined) reaper = startReaper();
  else reaper.stdin.write(`+${entry}\n`);
  return {
    [Symbol.dispose]() {
      if (held.delete(entry)) reaper?.stdin.write(`-${entry}\n`);
    },
  };
}

/**
 * Kills the process group of `pid` when this process ends in any way, SIGKILL included; dispose when it has ended.
 * One small Node process per process does this for all; it ends with us and keeps nothing alive.
 */
export function reapProcess(pid: number): Disposable {
  return hold(`process ${pid}`);
}

/** Removes a folder when this process ends in any way, after the processes were killed; dispose to keep it. */
export function reapFolder(path: string): Disposable {
  return hold(`folder ${path}`);
}
