import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isCodedError } from "farwatch";
import { findKafka, installKafka } from "./kafka-jars.ts";

async function setUp(script?: string) {
  const folder = await mkdtempDisposable(join(tmpdir(), "farwatch-kafka-"));
  const [bin, cache] = [join(folder.path, "bin"), join(folder.path, "cache")];
  await mkdir(bin);
  if (script !== undefined) await writeFile(join(bin, "mvn"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    env: { PATH: bin, XDG_CACHE_HOME: cache },
    left: () => readdir(join(cache, "farwatch")),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Leaves the project that it was given in the place of the jars. */
const copyProject =
  'for arg; do case $arg in */pom.xml) pom=$arg;; -DoutputDirectory=*) out=$(echo "$arg" | cut -d= -f2);; esac; done\nmkdir "$out" && cp "$pom" "$out"';

test("installKafka has Maven copy the jars of its own project, once", async () => {
  await using machine = await setUp(`PATH=/usr/bin:/bin\n${copyProject}`);
  const { env } = machine;
  await assert.rejects(
    findKafka(env),
    (error) => isCodedError(error, "NotFound") && /installKafka/.test(error.message),
  );
  const jars = await installKafka({ env });
  assert.equal(await findKafka(env), jars);
  assert.match(
    await readFile(join(jars, "pom.xml"), "utf8"),
    /<artifactId>kafka_2\.13<\/artifactId>\s*<version>[\d.]+</,
  );
  assert.equal((await machine.left()).length, 1);
  const log: string[] = [];
  assert.equal(await installKafka({ env, log: (line) => log.push(line) }), jars);
  assert.deepEqual(log, []);
});

test("installKafka says what it lacks, what Maven said, and leaves nothing half-copied", async () => {
  await using without = await setUp();
  await assert.rejects(
    installKafka(without),
    (error) => isCodedError(error, "NotFound") && /apt-get install maven/.test(error.message),
  );
  await using failing = await setUp("echo no route to the repository; exit 3");
  await assert.rejects(installKafka(failing), (error) => {
    assert.ok(isCodedError(error, "ServerUnavailable"));
    assert.match(
      error.message,
      /^Cannot copy the jars of Kafka: Maven ended with exit code 3, .*\nno route to the repository$/s,
    );
    return true;
  });
  assert.deepEqual(await failing.left(), []);
});

test("installKafka ends Maven when it is called off", async () => {
  await using machine = await setUp("PATH=/usr/bin:/bin\nsleep 600");
  const end = new AbortController();
  const reason = new Error("nobody needs it any more");
  const installing = installKafka({ env: machine.env, signal: end.signal, log: () => end.abort(reason) });
  await assert.rejects(installing, reason);
  assert.deepEqual(await machine.left(), []);
});
