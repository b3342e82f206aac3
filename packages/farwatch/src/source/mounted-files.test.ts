import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { isCodedError } from "../error/coded-error.ts";
import { mountAsKubelet, temporaryFolder } from "./kubelet-mount.fixture.ts";
import { readMountedFiles } from "./mounted-files.ts";

const enough = 1_048_576;

test("mounted files are all of one version, however often the kubelet exchanges them meanwhile", async () => {
  using folder = temporaryFolder();
  const path = folder.at("tls");
  mountAsKubelet(path, { "tls.crt": "0", "tls.key": "0", "ca/ca.crt": "0" });
  const fixture = new URL("./kubelet-mount.fixture.ts", import.meta.url).href;
  const reads = new Int32Array(new SharedArrayBuffer(4));
  // After ten exchanges in a row somebody gets to read, on a busy machine too.
  const exchanges = new Worker(
    `const { workerData: reads } = require("node:worker_threads");
    import(${JSON.stringify(fixture)}).then(({ mountAsKubelet }) => {
      for (let n = 1; n <= 150; n += 1) {
        const text = String(n).repeat(1_000);
        mountAsKubelet(${JSON.stringify(path)}, { "tls.crt": text, "tls.key": text, "ca/ca.crt": text });
        if (n % 10 === 0) Atomics.wait(reads, 0, Atomics.load(reads, 0));
      }
    });`,
    { eval: true, workerData: reads },
  );
  let ended = false;
  const end = once(exchanges, "exit").then(([code]) => {
    ended = true;
    assert.equal(code, 0);
  });
  const seen = new Set<string>();
  while (!ended) {
    try {
      const files = await readMountedFiles(path, enough);
      const contents = [...(files?.values() ?? [])].map(String);
      assert.equal(contents.length, 3);
      assert.equal(new Set(contents).size, 1, "of one version");
      seen.add(contents[0] ?? "");
      Atomics.add(reads, 0, 1);
      Atomics.notify(reads, 0);
    } catch (error) {
      // Faster than anybody can read: then nothing is told, which is not half of two versions.
      if (!isCodedError(error, "FileFailed")) throw error;
    }
  }
  await end;
  const last = await readMountedFiles(path, enough);
  assert.equal(String(last?.get("tls.crt")), "150".repeat(1_000));
  assert.ok(seen.size >= 5, `${seen.size} versions were read`);
});

test("mounted files have plain names, whatever they are called, in order", async () => {
  using folder = temporaryFolder();
  for (const name of ["b", "a", "__proto__", ".hidden", "constructor"]) writeFileSync(folder.at(name), name);
  mkdirSync(folder.at("deep/er"), { recursive: true });
  writeFileSync(folder.at("deep/er/c"), "c");
  symlinkSync("/dev/null", folder.at("device"));
  symlinkSync(folder.path, folder.at("loop"));
  const files = await readMountedFiles(folder.path, enough);
  assert.deepEqual([...(files?.keys() ?? [])], [".hidden", "__proto__", "a", "b", "constructor", "deep/er/c"]);
  assert.equal(String(files?.get("__proto__")), "__proto__");
});

test("mounted files are those that there are, beside links that lead nowhere", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "a");
  symlinkSync(folder.at("none"), folder.at("broken"));
  symlinkSync("a/b", folder.at("through-a-file"));
  symlinkSync("itself", folder.at("itself"));
  assert.deepEqual([...((await readMountedFiles(folder.path, enough))?.keys() ?? [])], ["a"]);
});

test("mounted files are none where nothing is, or something that is neither folder nor file", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("file"), "");
  assert.equal(await readMountedFiles(folder.at("none"), enough), undefined);
  assert.equal(await readMountedFiles(folder.at("file/below"), enough), undefined);
  assert.equal(await readMountedFiles("/dev/zero", enough), undefined);
  assert.deepEqual(await readMountedFiles(folder.at("file"), enough), new Map([["file", Buffer.alloc(0)]]));
});

test("mounted files are read to their limit and no further", async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at("a"), "12345");
  writeFileSync(folder.at("b"), "12345");
  assert.equal((await readMountedFiles(folder.path, 10))?.size, 2);
  await assert.rejects(readMountedFiles(folder.path, 9), (error) => {
    return isCodedError(error, "FileFailed") && error.message.includes("maxBytes") && !error.message.includes("12345");
  });
  await assert.rejects(readMountedFiles(folder.at("a"), 0), (error) => isCodedError(error, "FileFailed"));
});
