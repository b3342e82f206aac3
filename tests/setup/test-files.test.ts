import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findTestFiles } from "./test-files.ts";

test("test files are found once, those first that take longest, and what is new shares a server", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-files-"));
  const files = [
    "node_modules/a/src/x.test.ts",
    "packages/a/dist/x.test.ts",
    "packages/a/src/x.test.ts",
    "packages/a/src/x.ts",
    "tests/conformance/kube-apiserver.test.ts",
    "tests/conformance/case/order.test.ts",
    "tests/e2e/webhooks-fail-over.test.ts",
    "tests/news.test.ts",
    "tests/news/x.test.ts",
    "tests/setup/x.test.ts",
    "tests/sources/kafka.test.ts",
    "tests/sources/amqp.test.ts",
  ];
  for (const file of files) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), "");
  }
  assert.deepEqual(findTestFiles(folder.path), {
    unit: ["tests/setup/x.test.ts", "packages/a/src/x.test.ts"],
    suites: {
      independent: [
        "tests/conformance/kube-apiserver.test.ts",
        "tests/sources/kafka.test.ts",
        "tests/sources/amqp.test.ts",
        "tests/conformance/case/order.test.ts",
      ],
      sharing: ["tests/e2e/webhooks-fail-over.test.ts", "tests/news/x.test.ts", "tests/news.test.ts"],
    },
  });
});
