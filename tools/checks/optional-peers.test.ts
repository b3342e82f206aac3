import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { optionalPeersInTypes } from "./optional-peers.ts";

test("optional peers are found in types that are published, and only there", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-peers-"));
  const files = {
    "package.json": JSON.stringify({
      exports: { ".": { types: "./dist/index.d.ts" } },
      peerDependenciesMeta: { redis: { optional: true }, pg: { optional: true }, zod: {} },
    }),
    "dist/index.d.ts": 'export { a } from "./a.js";\nexport type { Z } from "zod";\n',
    "dist/a.d.ts": 'import type { B } from "./inner/b.js";\nexport declare const a: import("pg").Client | B;\n',
    "dist/inner/b.d.ts": 'export * from "redis/types";\nexport * from "../index.js";\n',
    "dist/inside.d.ts": 'export * from "redis";\n',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
  assert.deepEqual(optionalPeersInTypes(folder.path), [
    `${join(folder.path, "dist/inner/b.d.ts")}: its types mention redis/types, which users need not install`,
    `${join(folder.path, "dist/a.d.ts")}: its types mention pg, which users need not install`,
  ]);
});
