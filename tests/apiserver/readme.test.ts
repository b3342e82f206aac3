import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedKubeApiserver } from "@farwatch/testing";
import { dryCreate, kindTables } from "./kind-table.ts";
import { readKindTables } from "./readme-tables.ts";

test("The README of apiserver lists the built-in kinds with the defaults that the real server serves", async () => {
  const tables = await kindTables(dryCreate(sharedKubeApiserver()));
  assert.equal(await readKindTables(), tables, "Write them anew: npm run -s readme:built-in");
});
