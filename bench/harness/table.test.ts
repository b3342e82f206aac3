import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTables, type Result } from "./table.ts";

function churn(id: string, ms: number, problem?: string): Result {
  const use = { wallSeconds: 1, clientCpuSeconds: 2, serverCpuSeconds: 0.5, otherCpus: 0, rssMb: 90, peakRssMb: 99 };
  const lines = [{ event: "churn", events: 1_000, reconciles: 400, ms, use }];
  return { at: "", id, mode: "churn", target: "replay", objects: 10, events: 1_000, lines, problem };
}

test("tables hold the least and the median of the runs that did as told, in the order of the implementations", () => {
  const results = [
    churn("kube", 4_000),
    churn("farwatch", 1_000),
    churn("farwatch", 3_000),
    churn("kube", 1, "broken"),
  ];
  const rows = formatTables(results).split("\n");
  assert.equal(rows[0], "### churn, replay, N=10, M=1000 (least / median)");
  assert.equal(
    rows[4],
    "| farwatch | 2/2 | 1.00 / 2.00 | 333 / 667 | 2.0000 / 2.0000 | 0.5000 / 0.5000 | 400 / 400 | 90 / 90 | 0.00 / 0.00 |",
  );
  assert.match(rows[5] ?? "", /^\| kube-rs \| 1\/2 \| 4\.00 \/ 4\.00 \|/);
});

test("tables have one part for each workload", () => {
  const results = [churn("kube", 1), { ...churn("kube", 1), objects: 20 }];
  assert.deepEqual(
    formatTables(results)
      .split("\n")
      .filter((row) => row.startsWith("#"))
      .map((row) => /N=\d+/.exec(row)?.[0]),
    ["N=10", "N=20"],
  );
});
