import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { test } from "node:test";
import { inspect } from "node:util";
import { systemClock } from "../clock/system-clock.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { type FileSourceOptions, fileSource, type MountedFiles } from "./file-source.ts";
import { mountAsKubelet, temporaryFolder } from "./kubelet-mount.fixture.ts";
import { opened, readAll } from "./pushed-source.fixture.ts";

const text = ({ files }: MountedFiles): string => [...files].map(([name, content]) => `${name}=${content}`).join(" ");

function described(event: SourceEvent<MountedFiles>): string {
  switch (event.type) {
    case "create":
      return `${event.inInitialList ? "there" : "create"} ${text(event.object)}`;
    case "update":
      return `update ${text(event.oldObject)} -> ${text(event.object)}`;
    case "delete":
      return `${event.stateUnknown ? "missed delete" : "delete"} ${text(event.object)}`;
    case "generic":
      return "generic";
  }
}

/** A file source in virtual time: what is on the disk is seen at the next look. */
function looking(options: FileSourceOptions) {
  const clock = createVirtualClock();
  const log = createRecordingLogger();
  const hub = createScriptedHub({ clock, log });
  const { told, leave } = readAll(hub.subscribe(fileSource({ poll: "10s", ...options }), { name: "w" }), described);
  let term: ReturnType<typeof opened> | undefined;
  return {
    clock,
    hub,
    log,
    async open(): Promise<void> {
      term = opened({ hub });
      await clock.settle();
    },
    async close(): Promise<void> {
      await term?.close();
      assert.equal(clock.pendingTimers, 0);
    },
    /** What was told since the last call, after a look. */
    async told(): Promise<string[]> {
      await clock.advance("10s");
      return told.splice(0);
    },
    async end(): Promise<void> {
      await this.close();
      await leave();
    },
  };
}

test("file source tells a mounted ConfigMap, each exchange by the kubelet once and whole, and its removal", async () => {
  using folder = temporaryFolder();
  const path = folder.at("config");
  mountAsKubelet(path, { "a.yaml": "1", "b.yaml": "1" });
  const run = looking({ path });
  await run.open();
  assert.deepEqual(await run.told(), ["there a.yaml=1 b.yaml=1"]);
  assert.deepEqual(await run.told(), []);
  mountAsKubelet(path, { "a.yaml": "2", "b.yaml": "2" });
  assert.deepEqual(await run.told(), ["update a.yaml=1 b.yaml=1 -> a.yaml=2 b.yaml=2"]);
  mountAsKubelet(path, { "a.yaml": "2", "sub/c.yaml": "3" });
  assert.deepEqual(await run.told(), ["update a.yaml=2 b.yaml=2 -> a.yaml=2 sub/c.yaml=3"]);
  // The same data, in a version of its own.
  mountAsKubelet(path, { "a.yaml": "2", "sub/c.yaml": "3" });
  assert.deepEqual(await run.told(), []);
  rmSync(path, { recursive: true });
  assert.deepEqual(await run.told(), ["delete a.yaml=2 sub/c.yaml=3"]);
  assert.deepEqual(await run.told(), []);
  await run.end();
});

test("file source waits for a folder that is missing, and tells one that is removed and comes back", async () => {
  using folder = temporaryFolder();
  const path = folder.at("deep/config");
  const run = looking({ path });
  await run.open();
  assert.deepEqual(await run.told(), []);
  mkdirSync(path, { recursive: true });
  assert.deepEqual(await run.told(), ["create "]);
  writeFileSync(`${path}/a`, "1");
  assert.deepEqual(await run.told(), ["update  -> a=1"]);
  rmSync(folder.at("deep"), { recursive: true });
  assert.deepEqual(await run.told(), ["delete a=1"]);
  mountAsKubelet(path, { a: "2" });
  assert.deepEqual(await run.told(), ["create a=2"]);
  await run.end();
});

test("file source tells of plain files that are edited in place, renamed over, and of another name", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "1");
  const run = looking({ path: folder.path });
  await run.open();
  assert.deepEqual(await run.told(), ["there a=1"]);
  // The same length, so that only the content differs.
  writeFileSync(folder.at("a"), "2");
  assert.deepEqual(await run.told(), ["update a=1 -> a=2"]);
  writeFileSync(folder.at("..new"), "3");
  assert.deepEqual(await run.told(), [], "names with two dots are not content");
  renameSync(folder.at("..new"), folder.at("a"));
  assert.deepEqual(await run.told(), ["update a=2 -> a=3"]);
  renameSync(folder.at("a"), folder.at("b"));
  assert.deepEqual(await run.told(), ["update a=3 -> b=3"]);
  await run.end();
});

test("file source of a single file follows it through an exchange, a removal and a link", async () => {
  using folder = temporaryFolder();
  mountAsKubelet(folder.at("tls"), { "tls.crt": "1", "tls.key": "k" });
  const run = looking({ path: folder.at("tls/tls.crt") });
  await run.open();
  assert.deepEqual(await run.told(), ["there tls.crt=1"]);
  mountAsKubelet(folder.at("tls"), { "tls.crt": "2", "tls.key": "k" });
  assert.deepEqual(await run.told(), ["update tls.crt=1 -> tls.crt=2"]);
  mountAsKubelet(folder.at("tls"), { "tls.crt": "2", "tls.key": "other" });
  assert.deepEqual(await run.told(), []);
  rmSync(folder.at("tls/tls.crt"));
  assert.deepEqual(await run.told(), ["delete tls.crt=2"]);
  writeFileSync(folder.at("real"), "3");
  symlinkSync(folder.at("real"), folder.at("tls/tls.crt"));
  assert.deepEqual(await run.told(), ["create tls.crt=3"]);
  await run.end();
});

test("file source tells everything anew when it is opened again, and what was removed while it was closed", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "1");
  const run = looking({ path: folder.at("a") });
  await run.open();
  assert.deepEqual(await run.told(), ["there a=1"]);
  await run.close();
  writeFileSync(folder.at("a"), "2");
  await run.open();
  assert.deepEqual(await run.told(), ["there a=2"]);
  await run.close();
  rmSync(folder.at("a"));
  await run.open();
  assert.deepEqual(await run.told(), ["missed delete a=2"]);
  await run.end();
});

// Promise 1
test("file source tells again of a removal that waited when it was closed", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "1");
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock });
  const watch = hub.subscribe(fileSource({ path: folder.at("a"), poll: "10s" }), { name: "w" });
  const lead = async (): Promise<() => Promise<void>> => {
    const { close } = opened({ hub });
    await clock.advance("10s");
    return close;
  };
  const loseLead = await lead();
  (await watch.receive())?.hold.done();
  rmSync(folder.at("a"));
  await clock.advance("10s");
  assert.equal(hub.states[0]?.buffered, 1);
  await loseLead();
  const stop = await lead();
  const received = await watch.receive();
  assert.equal(received && described(received.event), "missed delete a=1");
  await stop();
});

test("file source merges what changes while its watch is slow into one event", async () => {
  using folder = temporaryFolder();
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock });
  const watch = hub.subscribe(fileSource({ path: folder.path, poll: "1s" }), { name: "w" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  await clock.settle();
  for (let n = 1; n <= 20; n += 1) {
    writeFileSync(folder.at("a"), String(n));
    await clock.advance("1s");
  }
  assert.equal(hub.states[0]?.buffered, 1);
  const received = await watch.receive();
  assert.equal(received === undefined ? "" : described(received.event), "there a=20");
  controller.abort();
  await closed;
});

test("file source that cannot read fails with the path and the reason, and recovers", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "content!".repeat(3));
  const run = looking({ path: folder.path, maxBytes: 10 });
  await run.open();
  const [state] = run.hub.states;
  assert.equal(state?.phase, "failing");
  assert.ok(state?.lastError?.includes(folder.path) && state.lastError.includes("maxBytes"), state?.lastError);
  assert.ok(!state?.lastError?.includes("content!"), "no content in an error");
  writeFileSync(folder.at("a"), "x");
  assert.deepEqual(await run.told(), ["there a=x"]);
  await run.end();
});

test("file source leaves out what is no file, and refuses a folder of too many", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "1");
  symlinkSync("/dev/zero", folder.at("endless"));
  mkdirSync(folder.at("empty"));
  const some = looking({ path: folder.path });
  await some.open();
  assert.deepEqual(await some.told(), ["there a=1"]);
  await some.end();
  for (let n = 0; n <= 1_000; n += 1) writeFileSync(folder.at(`f${n}`), "");
  const run = looking({ path: folder.path });
  await run.open();
  assert.match(run.hub.states[0]?.lastError ?? "", /more than 1000 files/);
  await run.end();
});

test("file source keeps contents out of logs, states and JSON", async () => {
  using folder = temporaryFolder();
  mountAsKubelet(folder.at("secret"), { token: "s3cr3t-value" });
  const run = looking({ path: folder.at("secret") });
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock });
  const source = fileSource({ path: folder.at("secret"), poll: "1s" });
  const watch = hub.subscribe(source, { name: "w" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  await clock.settle();
  const received = await watch.receive();
  assert.ok(received?.event.type === "create");
  assert.equal(String(received.event.object.files.get("token")), "s3cr3t-value");
  assert.ok(!JSON.stringify(received.event).includes("s3cr3t"));
  await run.open();
  await run.told();
  rmSync(folder.at("secret"), { recursive: true });
  writeFileSync(folder.at("secret"), "s3cr3t-value");
  chmodSync(folder.at("secret"), 0o000);
  await run.told();
  const seen = inspect([run.log.lines, run.hub.states, hub.states], { depth: 10 });
  assert.ok(!seen.includes("s3cr3t"), seen);
  controller.abort();
  await closed;
  await run.end();
});

test("file source on the system clock sees what the file system tells of without waiting for its poll", async () => {
  using folder = temporaryFolder();
  const path = folder.at("config");
  mountAsKubelet(path, { a: "1", b: "1" });
  const hub = createScriptedHub({ clock: systemClock });
  const watch = hub.subscribe(fileSource({ path, poll: "1h", settle: 20 }), { name: "w" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  const next = async (): Promise<string> => {
    const received = await watch.receive();
    received?.hold.done();
    return received === undefined ? "left" : described(received.event);
  };
  assert.equal(await next(), "there a=1 b=1");
  // Each is seen once: an exchange that was told twice would come before the next.
  for (let n = 2; n <= 5; n += 1) {
    mountAsKubelet(path, { a: String(n), b: String(n) });
    assert.equal(await next(), `update a=${n - 1} b=${n - 1} -> a=${n} b=${n}`);
  }
  rmSync(path, { recursive: true });
  let gone = await next();
  // A folder may be seen while it is taken apart.
  while (gone.startsWith("update")) gone = await next();
  assert.match(gone, /^delete /);
  mountAsKubelet(path, { a: "6" });
  let back = await next();
  // The folder may be seen before its first version is in place.
  if (back === "create ") back = await next();
  assert.match(back, /(create|update {2}->) a=6/);
  mountAsKubelet(path, { a: "7" });
  assert.equal(await next(), "update a=6 -> a=7");
  controller.abort();
  await closed;
});

test("file source follows a folder that is made anew at once, in the inode of the one before", async () => {
  using folder = temporaryFolder();
  const path = folder.at("config");
  mkdirSync(path);
  const hub = createScriptedHub({ clock: systemClock });
  const watch = hub.subscribe(fileSource({ path, poll: "1h", settle: 5 }), { name: "w" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  /** Reads until this is what the files are. */
  const until = async (wanted: string): Promise<void> => {
    for (let seen = "?"; seen !== wanted; ) {
      const received = await watch.receive();
      received?.hold.done();
      seen = received === undefined || received.event.type === "delete" ? "?" : text(received.event.object);
    }
  };
  await until("");
  for (let n = 1; n <= 5; n += 1) {
    rmSync(path, { recursive: true });
    mkdirSync(path);
    writeFileSync(`${path}/a`, String(n));
    await until(`a=${n}`);
    writeFileSync(`${path}/a`, `${n}, edited`);
    await until(`a=${n}, edited`);
  }
  controller.abort();
  await closed;
});

test("file source refuses options that are none", () => {
  for (const options of [
    { path: "" },
    {} as { readonly path: string },
    { path: "/etc", poll: 0 },
    { path: "/etc", maxBytes: -1 },
    { path: "/etc", maxBytes: 1.5 },
  ]) {
    assert.throws(
      () => fileSource(options),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});

test("file source that cannot be read is failing while it waits, closes at once, and goes on when it can be", async () => {
  using temporary = temporaryFolder();
  const folder = `${temporary.path}/files`;
  mkdirSync(folder);
  writeFileSync(`${folder}/a`, "1");
  // What is waited for is not the clock's, and never comes.
  const inner = createVirtualClock();
  const clock = { ...inner, outside: <T>(work: Promise<T>) => work };
  const log = createRecordingLogger();
  const hub = createScriptedHub({ clock, log });
  const { told, leave } = readAll(hub.subscribe(fileSource({ path: folder, poll: "10s" }), { name: "w" }), described);
  const phase = () => hub.states[0]?.phase;
  const settled = async (done: () => boolean): Promise<void> => {
    while (!done()) await systemClock.sleep(1);
  };
  const threads = blockThreads(`${temporary.path}/pipe`);

  const first = opened({ hub });
  await inner.advance("29s");
  assert.equal(phase(), "starting");
  await inner.advance("1s");
  assert.equal(phase(), "failing");
  assert.match(hub.states[0]?.lastError ?? "", /^Cannot read .*: it has taken longer than 30000 ms/);
  await first.close();
  assert.equal(inner.pendingTimers, 0);

  const second = opened({ hub });
  await inner.advance("30s");
  assert.equal(phase(), "failing");
  threads.release();
  await settled(() => phase() === "serving");
  assert.deepEqual(told, ["there a=1"]);
  writeFileSync(`${folder}/a`, "2");
  await inner.advance("11s");
  await settled(() => told.length === 2);
  assert.deepEqual(told, ["there a=1", "update a=1 -> a=2"]);
  await second.close();
  await leave();
  assert.deepEqual(
    log.lines.filter(({ level }) => level === "warn").map(({ message }) => message),
    ["Files cannot be read yet", "Files cannot be read yet"],
  );
});

/** Lets no file be read: all threads that do wait for somebody to write to a pipe. */
function blockThreads(pipe: string) {
  execFileSync("mkfifo", [pipe]);
  const count = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const openings = Array.from({ length: count }, () => open(pipe, "r"));
  return {
    release(): void {
      const writer = openSync(pipe, "w");
      for (const opening of openings) opening.then((file) => file.close());
      closeSync(writer);
    },
  };
}
