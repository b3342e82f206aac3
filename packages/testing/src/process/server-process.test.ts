import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { isCodedError, systemClock } from "farwatch";
import { logEnd, runProcess, startProcess, untilReady } from "./server-process.ts";
import { createTempFolder } from "./temp-folder.ts";

const node = process.execPath;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the condition holds; rejects after 20 s, which is far more than any of this takes. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  using deadline = systemClock.timeout("20s");
  while (!(await condition())) await systemClock.sleep("20ms", deadline);
}

test("server process writes both of its streams to its log and tells how it ended", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const logFile = join(temp.path, "logs", "one.log");
  const script = "console.log('out'); console.error('err'); process.exitCode = 3";
  await using server = await startProcess({ name: "one", command: node, args: ["-e", script], logFile });
  await server.exited;
  assert.equal(server.ended, "exit code 3");
  assert.equal(await logEnd(logFile), "out\nerr");
  assert.equal(await logEnd(logFile, 1), "err");
});

test("server process that does not exist is an error that names the command", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const started = startProcess({ name: "etcd", command: "/nowhere/etcd", args: [], logFile: join(temp.path, "log") });
  await assert.rejects(started, {
    code: "ServerUnavailable",
    message: "Cannot start etcd: /nowhere/etcd does not run: spawn /nowhere/etcd ENOENT",
  });
});

test("server process that ignores SIGTERM is killed after its grace, one that is stopped too", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const logFile = join(temp.path, "log");
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
  await using server = await startProcess({ name: "deaf", command: node, args: ["-e", script], logFile });
  await until(async () => (await logEnd(logFile)) === "up");
  server.kill("SIGSTOP");
  await server.stop("100ms");
  assert.equal(server.ended, "signal SIGKILL");
  server.kill("SIGTERM");
  await server.stop();
});

test("server process is ready once its check has nothing to say", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  await using server = await startProcess({
    name: "slow",
    command: node,
    args: ["-e", "setInterval(() => {}, 1000)"],
    logFile: join(temp.path, "log"),
  });
  const answers = ["not yet", "not yet", undefined];
  await untilReady(server, { check: async () => answers.shift(), within: "20s" });
  assert.deepEqual(answers, []);
});

test("server process that ends before it is ready is an error with the end of its log and the log's path", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const logFile = join(temp.path, "log");
  const script =
    "for (let i = 1; i < 40; i++) console.log('line', i); console.log('unknown flag: --x'); process.exit(1)";
  await using server = await startProcess({ name: "kube", command: node, args: ["-e", script], logFile });
  await assert.rejects(untilReady(server, { check: async () => "no answer", within: "20s" }), (error) => {
    assert.ok(isCodedError(error, "ServerUnavailable"));
    const lines = error.message.split("\n");
    assert.equal(lines[0], `Cannot start kube: it ended with exit code 1; its log is ${logFile} and ends:`);
    assert.deepEqual([lines[1], lines.at(-2), lines.at(-1)], ["line 21", "line 39", "unknown flag: --x"]);
    return true;
  });
});

test("server process that is not ready in time is an error with what its check said last", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  await using server = await startProcess({
    name: "slow",
    command: node,
    args: ["-e", "setInterval(() => {}, 1000)"],
    logFile: join(temp.path, "log"),
  });
  await assert.rejects(untilReady(server, { check: async () => "/readyz answers 500", within: "100ms" }), {
    code: "ServerUnavailable",
    message: /^Cannot start slow: it is not ready after 100ms \(\/readyz answers 500\); its log is /,
  });
});

test("server process whose check never answers is not waited for beyond its time, nor beyond its end", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const start = (name: string, script: string) =>
    startProcess({ name, command: node, args: ["-e", script], logFile: join(temp.path, name) });
  const check = (): Promise<undefined> => new Promise(() => {});
  await using mute = await start("mute", "setInterval(() => {}, 1000)");
  await assert.rejects(untilReady(mute, { check, within: "100ms" }), {
    code: "ServerUnavailable",
    message: /^Cannot start mute: it is not ready after 100ms \(no answer\); its log is /,
  });
  await using ended = await start("ended", "console.log('address already in use')");
  await assert.rejects(untilReady(ended, { check, within: "20s" }), {
    code: "ServerUnavailable",
    message: /^Cannot start ended: it ended with exit code 0; .*address already in use$/s,
  });
});

test("server process wait ends with the reason of an aborted signal", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  await using server = await startProcess({
    name: "slow",
    command: node,
    args: ["-e", "setInterval(() => {}, 1000)"],
    logFile: join(temp.path, "log"),
  });
  const stop = new AbortController();
  const reason = new Error("stop");
  const waiting = untilReady(server, {
    check: async () => {
      stop.abort(reason);
      return "not yet";
    },
    within: "20s",
    signal: stop.signal,
  });
  await assert.rejects(waiting, reason);
});

for (const signal of ["SIGKILL", "SIGINT"] as const) {
  test(`server process, its children and its folder are gone when its parent ends by ${signal}`, async () => {
    const script = `
      import { startProcess } from ${JSON.stringify(new URL("./server-process.ts", import.meta.url).href)};
      import { createTempFolder } from ${JSON.stringify(new URL("./temp-folder.ts", import.meta.url).href)};
      const temp = await createTempFolder("farwatch-test-");
      // A server with a child of its own, which must not survive either.
      const server = await startProcess({
        name: "sh", command: "/bin/sh", args: ["-c", "sleep 1000 & echo $!; wait"], logFile: temp.path + "/log",
      });
      console.log(JSON.stringify({ pid: server.pid, folder: temp.path }));
    `;
    const parent = spawn(node, ["--conditions=farwatch-source", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    const { pid, folder } = JSON.parse(line) as { readonly pid: number; readonly folder: string };
    await until(async () => /^\d+$/.test(await logEnd(join(folder, "log"))));
    const grandchild = Number(await logEnd(join(folder, "log")));
    assert.ok(isAlive(pid) && isAlive(grandchild));
    const exited = once(parent, "exit");
    parent.kill(signal);
    await exited;
    await until(() => !isAlive(pid) && !isAlive(grandchild));
    await until(() =>
      access(folder).then(
        () => false,
        () => true,
      ),
    );
  });
}

test("runProcess resolves when a command ends well, and says how it ended otherwise", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const logFile = join(temp.path, "log");
  const run = (code: string) =>
    runProcess({ doing: "make a cluster", name: "initdb", command: node, args: ["-e", code], logFile });
  await run("");
  await assert.rejects(run("console.log('no space left'); process.exit(2)"), {
    code: "ServerUnavailable",
    message: "Cannot make a cluster: initdb ended with exit code 2, and its log with:\nno space left",
  });
});

test("runProcess kills a command that runs when its signal aborts", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const logFile = join(temp.path, "log");
  const end = new AbortController();
  const reason = new Error("called off");
  const args = ["-e", "console.log(process.pid); setInterval(() => {}, 1000)"];
  const running = runProcess({ doing: "wait", name: "sleeper", command: node, args, logFile, signal: end.signal });
  running.catch(() => {});
  await until(async () => /^\d+$/.test(await logEnd(logFile)));
  const pid = Number(await logEnd(logFile));
  end.abort(reason);
  await assert.rejects(running, reason);
  assert.equal(isAlive(pid), false);
});
