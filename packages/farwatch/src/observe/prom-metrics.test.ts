import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./prom-metrics.ts";

/** The lines of the exposition that hold samples. */
async function samples(metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await metrics.expose()).body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("metrics expose counters by label set", async () => {
  const metrics = createMetrics();
  const total = metrics.counter({ name: "reconcile_total", help: "Runs.", labelNames: ["controller", "result"] });
  total.add({ controller: "a", result: "success" });
  total.add({ controller: "a", result: "success" }, 2);
  total.add({ controller: "a", result: "error" });
  assert.equal(total.read({ result: "success", controller: "a" }), 3);
  assert.equal(total.read({ controller: "b", result: "success" }), 0);
  const exposed = await metrics.expose();
  assert.match(exposed.contentType, /^text\/plain; version=0\.0\.4/);
  assert.match(exposed.body, /^# HELP reconcile_total Runs\.\n# TYPE reconcile_total counter\n/);
  assert.deepEqual(await samples(metrics), [
    'reconcile_total{controller="a",result="success"} 3',
    'reconcile_total{controller="a",result="error"} 1',
  ]);
});

test("metrics expose a counter without labels as 0 before it has counted", async () => {
  const metrics = createMetrics();
  const total = metrics.counter({ name: "dropped_total", help: "Drops." });
  assert.deepEqual(await samples(metrics), ["dropped_total 0"]);
  total.add();
  assert.deepEqual(await samples(metrics), ["dropped_total 1"]);
});

test("metrics show a gauge's label set until it is removed, and none that was never set", async () => {
  const metrics = createMetrics();
  const available = metrics.gauge({ name: "bucket_available", help: "Availability.", labelNames: ["name"] });
  const depth = metrics.gauge({ name: "depth", help: "Depth." });
  assert.deepEqual(await samples(metrics), []);
  assert.equal(depth.read(), undefined);
  available.set(1, { name: "a" });
  available.set(0, { name: "b" });
  depth.set(7);
  assert.deepEqual(await samples(metrics), ['bucket_available{name="a"} 1', 'bucket_available{name="b"} 0', "depth 7"]);
  available.remove({ name: "a" });
  depth.remove();
  assert.equal(available.read({ name: "a" }), undefined);
  assert.deepEqual(await samples(metrics), ['bucket_available{name="b"} 0']);
});

test("metrics count a histogram's values into its buckets", async () => {
  const metrics = createMetrics();
  const seconds = metrics.histogram({ name: "seconds", help: "Time.", labelNames: ["c"], buckets: [0.1, 1] });
  for (const value of [0.05, 0.5, 5]) seconds.observe(value, { c: "a" });
  assert.deepEqual(await samples(metrics), [
    'seconds_bucket{le="0.1",c="a"} 1',
    'seconds_bucket{le="1",c="a"} 2',
    'seconds_bucket{le="+Inf",c="a"} 3',
    'seconds_sum{c="a"} 5.55',
    'seconds_count{c="a"} 3',
  ]);
});

test("metrics forget what carries a label, whatever else it carries, and count it from 0 again", async () => {
  const metrics = createMetrics();
  const total = metrics.counter({ name: "runs_total", help: "Runs.", labelNames: ["controller", "result"] });
  const depth = metrics.gauge({ name: "depth", help: "Depth.", labelNames: ["name", "controller"] });
  const seconds = metrics.histogram({ name: "seconds", help: "S.", labelNames: ["controller"], buckets: [1] });
  const other = metrics.counter({ name: "polls_total", help: "Polls.", labelNames: ["source"] });
  for (const controller of ["a", "b"]) {
    for (const result of ["success", "error"]) total.add({ controller, result });
    depth.set(1, { name: controller, controller });
    seconds.observe(0.5, { controller });
  }
  other.add({ source: "a" });
  metrics.forget?.({ controller: "a" });
  metrics.forget?.({});
  total.add({ controller: "a", result: "success" });
  assert.deepEqual(await samples(metrics), [
    'runs_total{controller="b",result="success"} 1',
    'runs_total{controller="b",result="error"} 1',
    'runs_total{controller="a",result="success"} 1',
    'depth{name="b",controller="b"} 1',
    'seconds_bucket{le="1",controller="b"} 1',
    'seconds_bucket{le="+Inf",controller="b"} 1',
    'seconds_sum{controller="b"} 0.5',
    'seconds_count{controller="b"} 1',
    'polls_total{source="a"} 1',
  ]);
});

test("metrics count under a label set that is kept for it, frozen or changed by its owner, as under any other", async () => {
  const metrics = createMetrics();
  const total = metrics.counter({ name: "runs_total", help: "Runs.", labelNames: ["controller"] });
  const seconds = metrics.histogram({ name: "seconds", help: "S.", labelNames: ["controller"], buckets: [1] });
  const frozen = Object.freeze({ controller: "a" });
  const changed = { controller: "a" };
  for (const labels of [changed, frozen, changed, frozen]) {
    total.add(labels);
    seconds.observe(2, labels);
  }
  changed.controller = "b";
  total.add(changed);
  assert.deepEqual([total.read(frozen), total.read({ controller: "b" })], [4, 1]);
  metrics.forget?.({ controller: "a" });
  assert.equal(total.read(frozen), 0);
  total.add(frozen);
  seconds.observe(1, frozen);
  assert.deepEqual(await samples(metrics), [
    'runs_total{controller="b"} 1',
    'runs_total{controller="a"} 1',
    'seconds_bucket{le="1",controller="a"} 1',
    'seconds_bucket{le="+Inf",controller="a"} 1',
    'seconds_sum{controller="a"} 1',
    'seconds_count{controller="a"} 1',
  ]);
});

test("metrics give a histogram controller-runtime's buckets by default", async () => {
  const metrics = createMetrics();
  metrics.histogram({ name: "seconds", help: "Time." }).observe(1);
  const buckets = (await samples(metrics)).filter((line) => line.startsWith("seconds_bucket"));
  assert.equal(buckets.length, 41);
  assert.equal(buckets[0], 'seconds_bucket{le="0.005"} 0');
  assert.equal(buckets.at(-2), 'seconds_bucket{le="60"} 1');
});

test("metrics give the same metric to everyone who asks for its name", () => {
  const metrics = createMetrics();
  const ask = () => metrics.counter({ name: "total", help: "Total.", labelNames: ["a"] });
  ask().add({ a: "x" });
  assert.equal(ask().read({ a: "x" }), 1);
});

test("metrics refuse a name that is there as something else", () => {
  const metrics = createMetrics();
  metrics.counter({ name: "total", help: "Total.", labelNames: ["a"] });
  assert.throws(() => metrics.gauge({ name: "total", help: "Total.", labelNames: ["a"] }), {
    code: "DuplicateName",
    message: "Cannot register gauge with labels a total: it is counter with labels a, choose another name",
  });
  assert.throws(() => metrics.counter({ name: "total", help: "Total." }), { code: "DuplicateName" });
});

test("metrics refuse names, labels and values that Prometheus does not take", () => {
  const metrics = createMetrics();
  assert.throws(() => metrics.counter({ name: "not-a-name", help: "No." }), { code: "InvalidOption" });
  assert.throws(() => metrics.gauge({ name: "ok", help: "No.", labelNames: ["not-a-label"] }), {
    code: "InvalidOption",
  });
  const counter = metrics.counter({ name: "c", help: "C." });
  assert.throws(() => counter.add({ x: "1" }), {
    code: "InvalidOption",
    message: 'Cannot set c: it has no label "x", it has none',
  });
  assert.throws(() => counter.add({}, -1), { code: "InvalidOption" });
  assert.throws(() => counter.add({}, Number.NaN), { code: "InvalidOption" });
  assert.equal(counter.read(), 0);
  assert.throws(() => metrics.gauge({ name: "g", help: "G." }).set(Number.POSITIVE_INFINITY), {
    code: "InvalidOption",
  });
  const histogram = metrics.histogram({ name: "h", help: "H.", labelNames: ["a"] });
  assert.throws(() => histogram.observe(1, { b: "1" }), { code: "InvalidOption" });
  assert.throws(() => histogram.observe(Number.NaN, { a: "1" }), { code: "InvalidOption" });
});

test("metrics of two registries know nothing of each other", async () => {
  const one = createMetrics();
  const two = createMetrics();
  one.counter({ name: "total", help: "Total." }).add();
  assert.equal(two.counter({ name: "total", help: "Total." }).read(), 0);
});

test("metrics show this process when asked to", async () => {
  const exposed = await createMetrics({ processMetrics: true }).expose();
  assert.match(exposed.body, /^process_resident_memory_bytes \d+/m);
});
