import assert from "node:assert/strict";
import { test } from "node:test";
import { transportFaults } from "@farwatch/testing";
import { parseTime } from "farwatch";
import type { ScriptedAnswer } from "farwatch/doubles";
import { gridOf, keys, probeDefaults, startVirtualOperator, type VirtualOperator } from "./virtual-operator.fixture.ts";

async function reconcilesOf({ run }: VirtualOperator): Promise<number> {
  const { body } = await run.metrics.expose();
  const counts = [...body.matchAll(/^controller_runtime_reconcile_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

// B01
// Promise 10
test("operator probes once a period, writes once a probe, and its own status writes wake it never", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos");
  await operator.advance("600s");
  assert.deepEqual(operator.askedAt, [0, ...gridOf(operator, "photos", 60, 10)]);
  assert.equal(operator.statusWrites.length, 11);
  assert.equal(await reconcilesOf(operator), 11);
});

// B44
test("operator counts a period from start to start, whatever a probe takes", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { after: "250ms" });
  await operator.bucket("photos");
  await operator.advance("1860s");
  assert.deepEqual(operator.askedAt.slice(0, 31), [0, ...gridOf(operator, "photos", 60, 30)]);
});

// B41
test("operator probes a bucket whose results take longer to write than its period one probe at a time, and queues one more at most", async () => {
  await using operator = await startVirtualOperator();
  let asking = 0;
  let most = 0;
  operator.s3.on({}, async (): Promise<ScriptedAnswer> => {
    asking += 1;
    most = Math.max(most, asking);
    await operator.clock.sleep("4s");
    asking -= 1;
    return {};
  });
  operator.run.transport.faults.add(transportFaults.slow({ by: "6s", verb: "patch" }));
  await operator.bucket("photos", { probe: { periodSeconds: 5, timeoutSeconds: 5 } });
  await operator.advance("60s");
  assert.equal(most, 1);
  assert.ok(operator.askedAt.length >= 6 && operator.askedAt.length <= 7, `${operator.askedAt.length} probes`);
});

// B17
test("operator keeps every bucket on its own grid through a restart, and never probes more than it may at once", async () => {
  await using operator = await startVirtualOperator({ concurrency: 10, namespaceConcurrency: 10 });
  let asking = 0;
  let most = 0;
  operator.s3.on({}, async (): Promise<ScriptedAnswer> => {
    asking += 1;
    most = Math.max(most, asking);
    await operator.clock.sleep("1s");
    asking -= 1;
    return {};
  });
  const names = Array.from({ length: 500 }, (_, index) => `bucket-${index}`);
  for (const name of names) await operator.bucket(name, { s3: { bucket: name }, probe: { periodSeconds: 300 } });
  await operator.advance("10m");
  const before = operator.s3.requests.length;
  await operator.restart();
  const restartedS = operator.clock.elapsed() / 1_000;
  await operator.advance("300s");

  assert.equal(most, 10);
  const later = operator.s3.requests.slice(before);
  assert.equal(later.length, 500);
  for (const name of names) {
    const due = gridOf(operator, name, 300, 10).find((at) => at > restartedS) ?? 0;
    const askedS = (later.find(({ path }) => path === `/${name}`)?.at ?? 0) / 1_000;
    // Ten at a time may make a bucket wait for its turn where many are due together, but never for a period.
    assert.ok(askedS >= due && askedS < due + 5, `${name} is due at ${due} and was asked at ${askedS}`);
  }
});

// B65
test("operator with period 0 probes once for each generation and each content of the Secret, and never by itself", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.secret("keys");
  const spec = { secret: "keys", probe: { periodSeconds: 0 } };
  await operator.bucket("photos", spec);
  await operator.advance("3h");
  assert.deepEqual(operator.askedAt, [0]);
  assert.equal(operator.statusOf("photos").available, true);

  await operator.bucket("photos", { ...spec, s3: { bucket: "videos" } });
  await operator.advance("3h");
  assert.deepEqual(operator.askedAt, [0, 10_800]);

  await operator.secret("keys", { ...keys, secretAccessKey: "another-secret-key" });
  await operator.advance("3h");
  assert.deepEqual(operator.askedAt, [0, 10_800, 21_600]);
});

// B40
test("operator probes at once when the spec is corrected, and forgets the failures before", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { status: 404 });
  operator.s3.on({ path: "/photos" }, {});
  await operator.bucket("photos", { s3: { bucket: "fotos" }, probe: { periodSeconds: 300, successThreshold: 5 } });
  await operator.advance("700s");
  assert.equal(operator.statusOf("photos").available, false);
  assert.equal(operator.statusOf("photos").consecutiveFailures, operator.s3.requests.length);

  await operator.bucket("photos", { probe: { periodSeconds: 300, successThreshold: 5 } });
  await operator.advance("1s");
  const { available, consecutiveFailures, observedGeneration } = operator.statusOf("photos");
  assert.deepEqual(
    { available, consecutiveFailures, observedGeneration },
    {
      available: true,
      consecutiveFailures: 0,
      observedGeneration: 2,
    },
  );
});

// B40
test("operator probes at once when only the Secret is corrected, backoff or not", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, ({ headers }) => ({ status: String(headers?.authorization).includes("GOODKEY") ? 200 : 403 }));
  await operator.secret("keys");
  await operator.bucket("photos", { secret: "keys", probe: { periodSeconds: 300 } });
  // Status writes fail, so that the request itself is in backoff.
  operator.run.transport.faults.add(transportFaults.internalError({ verb: "patch", subresource: "status" }));
  await operator.advance("10m");
  const before = operator.s3.requests.length;
  await operator.secret("keys", { ...keys, accessKeyId: "GOODKEY" });
  await operator.advance("1s");
  assert.ok(operator.s3.requests.length > before);
  assert.match(String(operator.s3.requests.at(-1)?.headers?.authorization), /GOODKEY/);
});

test("operator waits for initialDelaySeconds before the first probe, and for no other", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  const probe = { initialDelaySeconds: 90 };
  await operator.bucket("photos", { probe });
  await operator.advance("89s");
  assert.deepEqual(operator.askedAt, []);
  await operator.advance("2s");
  assert.deepEqual(operator.askedAt, [90]);
  await operator.bucket("photos", { probe, s3: { bucket: "videos" } });
  await operator.advance("0s");
  assert.deepEqual(operator.askedAt, [90, 91]);
});

test("operator keeps the last result while suspended, says so, and probes as soon as it goes on", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos");
  await operator.advance("5m");
  const asked = operator.askedAt.length;
  const { lastProbeTime } = operator.statusOf("photos");
  const available = operator.conditionOf("photos");
  operator.s3.on({}, { status: 404 });

  await operator.bucket("photos", { suspend: true });
  await operator.advance("1h");
  assert.equal(operator.askedAt.length, asked);
  const { available: kept, ...status } = operator.statusOf("photos");
  assert.equal(kept, true);
  assert.equal(status.lastProbeTime, lastProbeTime);
  assert.equal(status.observedGeneration, 2);
  assert.deepEqual(operator.conditionOf("photos"), available);
  const { status: ready, reason, message } = operator.conditionOf("photos", "Ready");
  assert.deepEqual(
    [ready, reason, message],
    ["False", "Suspended", "probing is suspended, and the last result is kept"],
  );
  assert.match((await operator.run.metrics.expose()).body, /^storagebucket_suspended\{.*\} 1$/m);

  await operator.bucket("photos", { suspend: false });
  await operator.advance("0s");
  assert.equal(operator.askedAt.length, asked + 1);
  assert.equal(operator.statusOf("photos").available, false);
  assert.equal(operator.conditionOf("photos", "Ready").reason, "BucketNotFound");
});

test("operator writes one status for a bucket that is suspended from the start", async () => {
  await using operator = await startVirtualOperator();
  await operator.bucket("photos", { suspend: true });
  await operator.advance("1h");
  assert.deepEqual(operator.askedAt, []);
  assert.equal(operator.statusWrites.length, 1);
  assert.equal(operator.conditionOf("photos").reason, "NotProbed");
  assert.equal(operator.conditionOf("photos", "Ready").reason, "Suspended");
  assert.deepEqual(await operator.events(), []);
});

test("operator goes on probing each period when the wall clock is set back or forth", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos");
  await operator.advance("10m");
  for (const hours of [-1, 2]) {
    operator.env.jump(hours * 3_600_000);
    const asked = operator.askedAt.length;
    await operator.advance("10m");
    const probes = operator.askedAt.length - asked;
    assert.ok(probes >= 9 && probes <= 11, `${probes} probes in ten minutes after ${hours} h`);
    const written = parseTime(operator.statusOf("photos").lastProbeTime ?? "")?.getTime() ?? 0;
    assert.ok(operator.clock.now().getTime() - written < 61_000);
  }
});

test("operator writes an unchanged status no more often than heartbeatSeconds", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { ...probeDefaults, periodSeconds: 30, heartbeatSeconds: 300 } });
  await operator.advance("50m");
  assert.equal(operator.askedAt.length, 101);
  const writtenS = operator.statusWrites.map(({ atMs }) => atMs / 1_000);
  assert.ok(writtenS.length >= 9 && writtenS.length <= 11, `${writtenS.length} writes`);
  for (const [index, at] of writtenS.entries()) {
    if (index > 0) assert.ok(at - (writtenS[index - 1] ?? 0) >= 299, `written at ${writtenS.join(", ")}`);
  }
  const probesThen = operator.askedAt.filter((at) => at <= (writtenS.at(-1) ?? 0)).length;
  assert.equal(operator.statusOf("photos").consecutiveSuccesses, probesThen);
});

test("operator writes after every probe while a streak runs against the state, so that a fail-over keeps it", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { failureThreshold: 5, heartbeatSeconds: 86_400 } });
  const [first = 0] = gridOf(operator, "photos", 60, 1);
  await operator.advance(first * 1_000 + 1_000);
  operator.s3.on({}, { status: 404 });
  await operator.advance("120s");
  assert.deepEqual([operator.statusOf("photos").available, operator.statusOf("photos").consecutiveFailures], [true, 3]);

  await operator.restart();
  await operator.advance("30s");
  assert.equal(operator.statusOf("photos").consecutiveFailures, 4);
  assert.equal(operator.statusOf("photos").available, true);
  await operator.advance("30s");
  assert.equal(operator.statusOf("photos").available, false);
});

test("operator probes twice as often while a bucket is unavailable or its streak is undecided, through a restart, on its grid", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { failureThreshold: 3, successThreshold: 3 } });
  const [first = 0] = gridOf(operator, "photos", 60, 1);
  await operator.advance(first * 1_000 + 1_000);
  const asked = (): readonly number[] => operator.askedAt.map((at) => Math.round((at - first) * 1_000) / 1_000);
  assert.deepEqual(asked().slice(1), [0]);

  operator.s3.on({}, { status: 404 });
  await operator.advance("90s");
  await operator.restart();
  await operator.advance("60s");
  assert.deepEqual(asked().slice(2), [60, 90, 120, 150]);
  assert.equal(operator.statusOf("photos").available, false);

  operator.s3.on({}, {});
  await operator.advance("5m");
  assert.deepEqual(asked().slice(6), [180, 210, 240, 300, 360, 420]);
  assert.equal(operator.statusOf("photos").available, true);
});

test("operator halves no period to less than five seconds or the deadline of a probe", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { status: 404 });
  const timed = { short: [9, 4], deadline: [60, 31], halved: [10, 5] } as const;
  for (const [bucket, [periodSeconds, timeoutSeconds]] of Object.entries(timed))
    await operator.bucket(bucket, { s3: { bucket }, probe: { periodSeconds, timeoutSeconds } });
  await operator.advance("180s");
  const probes = Object.keys(timed).map(
    (name) => operator.s3.requests.filter(({ path }) => path === `/${name}`).length,
  );
  assert.deepEqual(probes, [21, 4, 37]);
});

test("operator doubles the period each time that the service asks to slow down, up to an hour, and goes back by halves", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  const probe = { periodSeconds: 600, heartbeatSeconds: 86_400 };
  await operator.bucket("photos", { probe });
  const grid = gridOf(operator, "photos", 600, 200);
  await operator.advance("15m");
  operator.s3.on({}, { status: 429 });
  const asked = operator.askedAt.length;
  await operator.advance("5h");
  const gaps = (from: number): readonly number[] => {
    const times = operator.askedAt.slice(from);
    for (const at of times) assert.ok(grid.includes(at), `${at} is no point of the grid`);
    return times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 600));
  };
  // From a point of the shorter period it may be less far to the next of the longer one.
  const slower = gaps(asked);
  assert.ok(
    slower.length >= 6 && slower.every((gap, index) => (index < 2 ? gap <= 4 : gap === 4)),
    `gaps of ${slower}`,
  );
  assert.equal(operator.statusOf("photos").periodDoublings, 2, "40 min: 80 would be above an hour");

  await operator.restart();
  operator.s3.on({}, {});
  const back = operator.askedAt.length;
  await operator.advance("3h");
  const faster = gaps(back);
  assert.ok((faster[0] ?? 0) <= 2 && faster.slice(1).every((gap) => gap === 1), `gaps of ${faster}`);
  assert.equal(operator.statusOf("photos").periodDoublings, undefined);

  operator.s3.on({}, { status: 429 });
  await operator.advance("30m");
  await operator.bucket("photos", { probe, s3: { bucket: "videos" } });
  operator.s3.on({}, {});
  await operator.advance("1s");
  assert.equal(operator.statusOf("photos").periodDoublings, undefined, "what was asked for another bucket is past");
});

/** Asks for a probe, as an annotation by a webhook or a person does. */
async function ask({ env, objectOf }: VirtualOperator, name: string, token: string): Promise<void> {
  await env.client.patch(objectOf(name), { metadata: { annotations: { "farwatch.dev/requested-at": token } } });
}

test("operator probes at once when asked, writes which request it has answered, and keeps the grid", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 3_600, heartbeatSeconds: 3_600 } });
  const [first = 0] = gridOf(operator, "photos", 3_600, 1);
  await operator.advance("10s");
  await ask(operator, "photos", "2030-01-01T00:00:10Z/aaaaaaaa");
  await operator.advance("0s");
  assert.deepEqual(operator.askedAt, [0, 10]);
  assert.equal(operator.statusOf("photos").lastHandledRequest, "2030-01-01T00:00:10Z/aaaaaaaa");
  assert.equal(operator.statusWrites.length, 2, "the answer is worth a write, though nothing else has changed");

  await operator.advance("2h");
  assert.deepEqual(operator.askedAt.slice(0, 3), [0, 10, first > 10 ? first : first + 3_600]);
  assert.equal(operator.askedAt.length, 4);
});

test("operator answers a burst of requests with a probe every five seconds, the last one included", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 0 } });
  await operator.advance("60s");
  let last = "";
  for (let n = 0; n < 100; n += 1) {
    last = `request-${n}`;
    await ask(operator, "photos", last);
    await operator.advance("100ms");
  }
  await operator.advance("60s");
  assert.deepEqual(operator.askedAt, [0, 60, 65, 70]);
  assert.equal(operator.statusOf("photos").lastHandledRequest, last);
});

test("operator that takes over answers a request that the one before has not, once", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 0 } });
  await operator.advance("60s");
  await operator.run.stop();
  await ask(operator, "photos", "meanwhile");
  await operator.restart();
  await operator.advance("60s");
  assert.equal(operator.askedAt.length, 2);
  await operator.restart();
  await operator.advance("60s");
  assert.equal(operator.askedAt.length, 2, "an answered request asks nobody");
});

test("operator does not probe a suspended bucket when asked, nor for a value that is no token", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 0 }, suspend: true });
  await ask(operator, "photos", "now");
  await operator.advance("60s");
  assert.deepEqual(operator.askedAt, []);
  await operator.bucket("videos", { probe: { periodSeconds: 0 } });
  await ask(operator, "videos", "x".repeat(1_000));
  await operator.advance("60s");
  assert.equal(operator.askedAt.length, 1, "its first probe alone");
});
