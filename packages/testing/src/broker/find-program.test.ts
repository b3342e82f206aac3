import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isCodedError } from "farwatch";
import { adviceFor, findProgram } from "./find-program.ts";

test("findProgram finds what can be run on the PATH, and nothing else", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-find-"));
  const env = { PATH: `/nowhere::${folder.path}` };
  await writeFile(join(folder.path, "farwatch-broker"), "", { mode: 0o755 });
  await writeFile(join(folder.path, "farwatch-notes"), "", { mode: 0o644 });
  assert.equal(await findProgram("farwatch-broker", env), join(folder.path, "farwatch-broker"));
  for (const name of ["farwatch-notes", "farwatch-none"]) {
    await assert.rejects(findProgram(name, env), (error) => isCodedError(error, "NotFound"));
  }
});

test("adviceFor names the package of Debian that brings a program, where it is known", () => {
  assert.equal(adviceFor("initdb"), "install it, on Debian or Ubuntu with `apt-get install postgresql`");
  for (const name of ["farwatch-none", "constructor"]) assert.match(adviceFor(name), /^install it, and see that/);
});
