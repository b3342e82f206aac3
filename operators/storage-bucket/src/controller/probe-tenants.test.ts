import assert from "node:assert/strict";
import { test } from "node:test";
import { gridOf, keys, startVirtualOperator, type VirtualOperator } from "./virtual-operator.fixture.ts";

/** When buckets whose names begin so were asked, in seconds since the start, by name. */
function askedOf({ s3 }: VirtualOperator, prefix: string): ReadonlyMap<string, readonly number[]> {
  const asked = s3.requests.filter(({ path }) => path.startsWith(`/${prefix}`));
  const byName = Map.groupBy(asked, ({ path }) => path.slice(1));
  return new Map([...byName].map(([name, requests]) => [name, requests.map(({ at }) => at / 1_000)]));
}

test("operator probes no bucket late because of 4,990 buckets of another namespace whose endpoints hang", async () => {
  await using operator = await startVirtualOperator();
  const { clock, s3 } = operator;
  let hanging = 0;
  let most = 0;
  s3.on({ path: /^\/fine-/ }, {});
  s3.on({ path: /^\/hung-/ }, async ({ signal }) => {
    hanging += 1;
    most = Math.max(most, hanging);
    await clock.sleep("1h", signal).finally(() => {
      hanging -= 1;
    });
    return {};
  });
  const probe = { periodSeconds: 30 };
  for (let n = 0; n < 4_990; n += 1) {
    const [bucket, endpoint] = [`hung-${n}`, `https://host-${n}.example.com`];
    await operator.bucket(bucket, { namespace: "hung", s3: { bucket, endpoint }, probe });
  }
  const names = Array.from({ length: 10 }, (_, n) => `fine-${n}`);
  for (const bucket of names) await operator.bucket(bucket, { namespace: "fine", s3: { bucket }, probe });
  await operator.advance("2m");

  const asked = askedOf(operator, "fine-");
  for (const name of names) assert.deepEqual(asked.get(name), [0, ...gridOf(operator, name, 30, 4)]);
  assert.equal(most, 16, "a quarter of all that may be made at once, and the whole of it");
});

test("operator paces the probes of a namespace beyond its rate, all of them in turn, and none of another namespace", async () => {
  await using operator = await startVirtualOperator({ namespaceProbesPerSecond: 2 });
  operator.s3.on({}, {});
  const names = Array.from({ length: 60 }, (_, n) => `many-${n}`);
  const probe = { periodSeconds: 5 };
  for (const [n, bucket] of names.entries())
    await operator.bucket(bucket, {
      namespace: "many",
      s3: { bucket, endpoint: `https://host-${n}.example.com` },
      probe,
    });
  await operator.bucket("alone", { namespace: "few", s3: { bucket: "alone" }, probe });
  await operator.advance("10m");

  assert.deepEqual(askedOf(operator, "alone").get("alone"), [0, ...gridOf(operator, "alone", 5, 120)]);
  const asked = askedOf(operator, "many-");
  const times = [...asked.values()].flat().toSorted((a, b) => a - b);
  assert.ok(times.length >= 1_195 && times.length <= 1_202, `${times.length} probes in 600 s`);
  for (const [index, at] of times.entries()) {
    const later = times[index + 22] ?? Number.POSITIVE_INFINITY;
    assert.ok(later - at >= 10, `23 probes from ${at} s to ${later} s`);
  }
  for (const name of names) {
    const own = asked.get(name) ?? [];
    assert.ok(own.length >= 18, `${name} was probed ${own.length} times, of 20 that are its share`);
  }
  const { body } = await operator.run.metrics.expose();
  assert.match(body, /^farwatch_rate_limiter_wait_seconds_count\{limiter="namespace probes"\} \d+$/m);
});

test("operator probes the buckets of a rotated Secret no faster than an endpoint may be asked, and others meanwhile", async () => {
  await using operator = await startVirtualOperator({ endpointProbesPerSecond: 10 });
  operator.s3.on({}, {});
  await operator.secret("keys");
  await operator.secret("other", { ...keys, accessKeyId: "OTHER" });
  const probe = { periodSeconds: 0 };
  for (let n = 0; n < 100; n += 1)
    await operator.bucket(`many-${n}`, { s3: { bucket: `many-${n}` }, secret: "keys", probe });
  await operator.bucket("other", { s3: { bucket: "other" }, secret: "other", probe });
  await operator.advance("1m");

  await operator.secret("keys", { ...keys, secretAccessKey: "rotated" });
  await operator.secret("other", { ...keys, accessKeyId: "OTHER", secretAccessKey: "rotated" });
  const rotatedS = operator.clock.elapsed() / 1_000;
  await operator.advance("1m");
  assert.deepEqual(askedOf(operator, "other").get("other"), [0, rotatedS]);
  const times = [...askedOf(operator, "many-").values()]
    .map(([, at = 0]) => Math.round((at - rotatedS) * 1_000))
    .toSorted((a, b) => a - b);
  assert.equal(times.length, 100);
  assert.deepEqual(
    times,
    Array.from({ length: 100 }, (_, n) => Math.max(0, (n - 9) * 100)),
  );
  assert.equal(operator.s3.requests.length, 202, "each is probed once");
});
