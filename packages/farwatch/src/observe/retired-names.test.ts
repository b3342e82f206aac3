import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./prom-metrics.ts";
import { createRetiredNames } from "./retired-names.ts";

function counted() {
  const metrics = createMetrics();
  const events = metrics.counter({ name: "events_total", help: "Events.", labelNames: ["source"] });
  const names = createRetiredNames(metrics, "source");
  const isCounted = (source: string): boolean => events.read({ source }) > 0;
  return { names, count: (source: string) => events.add({ source }), isCounted };
}

test("retired names keep what was counted of the last hundred, and nothing of those before", () => {
  const { names, count, isCounted } = counted();
  for (let n = 0; n < 1_000; n += 1) {
    names.use(String(n));
    count(String(n));
    names.retire(String(n));
  }
  const left = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => isCounted(String(n)));
  assert.deepEqual([left.length, left[0]], [100, 900]);
});

test("retired names forget none that is in use again", () => {
  const { names, count, isCounted } = counted();
  count("kept");
  names.retire("kept");
  names.use("kept");
  for (let n = 0; n < 200; n += 1) names.retire(String(n));
  assert.ok(isCounted("kept"));
});
