import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime, TransportError } from "farwatch";
import type { ScriptedAnswer } from "farwatch/doubles";
import { StorageBucket } from "../resource/storage-bucket.ts";
import { keyIn, startVirtualOperator, type VirtualOperator } from "./virtual-operator.fixture.ts";

/** Moves on to just after the next probe of the bucket. */
async function nextProbe(operator: VirtualOperator): Promise<void> {
  const asked = operator.s3.requests.length;
  for (let seconds = 0; operator.s3.requests.length === asked && seconds < 61; seconds += 1)
    await operator.advance("1s");
  assert.notEqual(operator.s3.requests.length, asked, "no probe within a period");
}

const transitionsOf = (operator: VirtualOperator): string => operator.conditionOf("photos").lastTransitionTime;

// B04
test("operator writes refusals that differ in ids and latency alone with the same reason, message and transition time", async () => {
  await using operator = await startVirtualOperator();
  let asked = 0;
  operator.s3.on({}, ({ method }): ScriptedAnswer => {
    asked += 1;
    const headers = { "x-amz-request-id": `REQUEST${asked}`, "x-amz-id-2": `host-${asked}` };
    const body = `<Error><Code>AccessDenied</Code><Message>at ${asked}</Message><RequestId>REQUEST${asked}</RequestId></Error>`;
    return { status: 403, headers, after: asked * 7, ...(method === "GET" ? { body } : {}) };
  });
  await operator.bucket("photos");
  await operator.advance("0s");
  await operator.advance("1s");
  const first = operator.statusOf("photos").conditions;
  const seen = new Set<string>();
  for (let probe = 2; probe <= 5; probe += 1) {
    await nextProbe(operator);
    await operator.advance("1s");
    seen.add(operator.statusOf("photos").lastProbeTime ?? "");
    assert.deepEqual(operator.statusOf("photos").conditions, first);
  }
  assert.equal(seen.size, 4);
  assert.equal(operator.conditionOf("photos").reason, "AccessDenied");
  const shown = JSON.stringify([operator.statusOf("photos"), await operator.events()]);
  assert.doesNotMatch(shown, /REQUEST\d|host-\d/);
  assert.match(operator.log.join("\n"), /requestId: 'REQUEST10'/);
});

test("operator writes nothing for a server error that is only another one than before", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { status: 500 }, { status: 502 }, { status: 503 }, { status: 504 });
  await operator.bucket("photos", { probe: { heartbeatSeconds: 86_400 } });
  await operator.advance("10m");
  assert.ok(operator.s3.requests.length > 10);
  assert.equal(operator.statusWrites.length, 1);
});

// B36
test("operator moves lastTransitionTime only when Available changes, however often it writes", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos");
  await operator.advance("0s");
  const created = transitionsOf(operator);
  for (let probe = 2; probe <= 100; probe += 1) {
    await nextProbe(operator);
    assert.equal(transitionsOf(operator), created);
  }
  assert.equal(operator.statusWrites.length, 100);

  operator.s3.on({}, { status: 404 }, {});
  await nextProbe(operator);
  const lost = transitionsOf(operator);
  assert.equal(lost, operator.statusOf("photos").lastProbeTime);
  await nextProbe(operator);
  const back = transitionsOf(operator);
  assert.equal(back, operator.statusOf("photos").lastProbeTime);
  assert.equal(new Set([created, lost, back]).size, 3);

  await operator.bucket("photos", { s3: { bucket: "videos" } });
  await operator.advance("0s");
  assert.equal(transitionsOf(operator), back);
  for (const { observedGeneration } of operator.statusOf("photos").conditions ?? [])
    assert.equal(observedGeneration, 2);
});

// B60
test("operator writes each kind of lost connection with its reason and time, and leaves no bucket available", async () => {
  await using operator = await startVirtualOperator();
  const failed = (phase: TransportError["phase"], systemCode: string): ScriptedAnswer => ({
    error: new TransportError(`Cannot reach 10.1.2.3:443 from port 40123 (${systemCode})`, {
      phase,
      systemCode,
      sent: false,
    }),
  });
  operator.s3.on(
    {},
    {},
    failed("resolve", "ENOTFOUND"),
    failed("connect", "ECONNREFUSED"),
    failed("tls", "CERT_HAS_EXPIRED"),
  );
  await operator.bucket("photos");
  await operator.advance("0s");
  assert.equal(operator.statusOf("photos").available, true);
  const expected = [
    ["DNSFailure", "the name of minio.example.com could not be resolved"],
    ["ConnectionRefused", "minio.example.com refused the connection"],
    ["TLSFailure", "TLS with minio.example.com failed: its certificate has expired"],
  ];
  const times = [operator.statusOf("photos").lastProbeTime];
  for (const [reason, message] of expected) {
    await nextProbe(operator);
    const status = operator.statusOf("photos");
    assert.equal(status.available, false);
    assert.equal(status.lastProbe?.reason, reason);
    assert.equal(status.lastProbe?.httpStatus, undefined);
    const condition = operator.conditionOf("photos");
    assert.deepEqual([condition.status, condition.reason, condition.message], ["False", reason, message]);
    times.push(status.lastProbeTime);
  }
  assert.deepEqual(times, [...new Set(times)].toSorted());
});

// B62
test("operator makes three Events of a day of steady probes with one outage", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { failureThreshold: 3, heartbeatSeconds: 300 } });
  await operator.advance("12h");
  operator.s3.on({}, { status: 503 });
  await operator.advance("30m");
  operator.s3.on({}, {});
  await operator.advance("690m");
  const told = (await operator.events()).map(({ type, reason, note, series }) => [
    type,
    reason,
    note,
    series?.count ?? 1,
  ]);
  assert.deepEqual(told, [
    ["Normal", "Available", "the bucket answered the probe", 1],
    ["Warning", "ServerError", "the service answers with a server error", 1],
    ["Normal", "Available", "the bucket answered the probe", 1],
  ]);
  assert.equal(operator.writes.filter(({ asked }) => asked?.resource === "events").length, 3);
});

// B12
test("operator drops the result of a probe whose bucket was deleted meanwhile, and asks no more", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { after: "2s" });
  await operator.bucket("photos");
  await operator.advance("1s");
  await operator.env.client.delete(StorageBucket, keyIn("photos"));
  await operator.advance("10m");
  assert.equal(operator.askedAt.length, 1);
  assert.deepEqual(await operator.env.client.list(StorageBucket), []);
  assert.ok(operator.statusWrites.length <= 1);
  assert.doesNotMatch(operator.log.join("\n"), /^error/m);
  assert.deepEqual(await operator.events(), []);
  assert.doesNotMatch((await operator.run.metrics.expose()).body, /name="photos"/);
});

// B12
test("operator writes a result never onto a namesake that was created meanwhile, which gets a probe of its own", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { status: 404, after: "2s" }, { after: "2s" });
  await operator.bucket("photos");
  await operator.advance("1s");
  await operator.env.client.delete(StorageBucket, keyIn("photos"));
  await operator.bucket("photos");
  await operator.advance("1.5s");
  assert.deepEqual(operator.statusOf("photos"), {});
  await operator.advance("2s");
  assert.equal(operator.askedAt.length, 2);
  assert.equal(operator.statusOf("photos").available, true);
  assert.deepEqual(
    (await operator.events()).map(({ reason }) => reason),
    ["Available"],
  );
});

test("operator turns an available bucket unavailable after failureThreshold failures, and back after successThreshold", async () => {
  await using operator = await startVirtualOperator();
  const down: ScriptedAnswer = { status: 500 };
  operator.s3.on({}, {}, down, down, {}, down, down, down, {}, down, {}, {});
  await operator.bucket("photos", { probe: { failureThreshold: 3, successThreshold: 2 } });
  await operator.advance("0s");
  const states = [operator.statusOf("photos").available];
  const degraded = [operator.conditionOf("photos", "Degraded").status];
  for (let probe = 2; probe <= 11; probe += 1) {
    await nextProbe(operator);
    states.push(operator.statusOf("photos").available);
    degraded.push(operator.conditionOf("photos", "Degraded").status);
  }
  assert.deepEqual(states, [true, true, true, true, true, true, false, false, false, false, true]);
  assert.deepEqual(
    degraded.map((status) => status === "True"),
    [false, true, true, false, true, true, true, false, true, false, false],
  );
});

test("operator leaves Available as it is while the service asks to slow down, and says so in Degraded", async () => {
  await using operator = await startVirtualOperator();
  const slowDown = "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
  operator.s3.on({}, {});
  await operator.bucket("photos");
  await operator.advance("0s");
  const available = operator.conditionOf("photos");
  operator.s3.on({ method: "HEAD" }, { status: 503 });
  operator.s3.on({ method: "GET" }, { status: 503, body: slowDown });
  await operator.advance("15m");
  assert.ok(operator.askedAt.length > 4);
  assert.equal(operator.statusOf("photos").available, true);
  assert.equal(operator.statusOf("photos").lastProbe?.reason, "Throttled");
  assert.deepEqual(operator.conditionOf("photos"), available);
  const { status, reason, message } = operator.conditionOf("photos", "Degraded");
  assert.deepEqual([status, reason, message], ["True", "Throttled", "the service asks to slow down"]);
});

test("operator calls a bucket degraded that takes longer than latencyThresholdMilliseconds", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { after: 199 }, { after: 201 }, { after: 350 }, {});
  await operator.bucket("photos", { probe: { latencyThresholdMilliseconds: 200 } });
  await operator.advance("1s");
  assert.equal(operator.conditionOf("photos", "Degraded").status, "False");
  await nextProbe(operator);
  const slow = operator.conditionOf("photos", "Degraded");
  assert.deepEqual(
    [slow.status, slow.reason, slow.message],
    ["True", "SlowResponse", "the bucket takes longer than 200 ms to answer"],
  );
  await nextProbe(operator);
  assert.deepEqual(operator.conditionOf("photos", "Degraded"), slow);
  assert.equal(operator.statusOf("photos").available, true);
  await nextProbe(operator);
  assert.equal(operator.conditionOf("photos", "Degraded").status, "False");
});

// B87
test("operator never writes a probe time that is later than the write, and no date column shows one", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { after: "999ms" });
  await operator.bucket("photos");
  await operator.advance("10m");
  assert.equal(operator.statusWrites.length, 11);
  const startMs = operator.clock.now().getTime() - operator.clock.elapsed();
  for (const { body, atMs } of operator.statusWrites) {
    const { lastProbeTime } = (body as StorageBucket).status ?? {};
    const writtenMs = parseTime(lastProbeTime ?? "")?.getTime() ?? Number.POSITIVE_INFINITY;
    assert.ok(writtenMs <= startMs + atMs, `${lastProbeTime} was written ${atMs} ms after the start`);
  }
  const columns = StorageBucket.definition?.version.additionalPrinterColumns ?? [];
  const dates = columns.filter(({ type }) => type === "date").map(({ jsonPath }) => jsonPath);
  assert.deepEqual(dates, [".metadata.creationTimestamp"]);
  assert.ok(columns.some(({ jsonPath, type }) => jsonPath === ".status.lastProbeTime" && type === "string"));
});

test("operator shows each bucket in its metrics by namespace and name alone, and forgets it when it is gone", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { after: "20ms" }, { status: 404 });
  await operator.bucket("photos");
  await operator.advance("1s");
  const seriesOf = async (): Promise<string[]> =>
    (await operator.run.metrics.expose()).body.split("\n").filter((line) => line.startsWith("storagebucket_"));
  const startS = (operator.clock.now().getTime() - operator.clock.elapsed()) / 1_000;
  assert.deepEqual((await seriesOf()).toSorted(), [
    'storagebucket_available{namespace="default",name="photos"} 1',
    `storagebucket_last_success_timestamp_seconds{namespace="default",name="photos"} ${startS}`,
    'storagebucket_probe_duration_seconds{namespace="default",name="photos",phase="first_byte"} 0.02',
    'storagebucket_probe_duration_seconds{namespace="default",name="photos",phase="total"} 0.02',
    'storagebucket_probes_total{provider="s3",reason="Available"} 1',
    'storagebucket_suspended{namespace="default",name="photos"} 0',
  ]);
  await operator.advance("1m");
  assert.ok((await seriesOf()).includes('storagebucket_available{namespace="default",name="photos"} 0'));
  assert.ok(
    (await seriesOf()).includes(
      `storagebucket_last_success_timestamp_seconds{namespace="default",name="photos"} ${startS}`,
    ),
  );
  await operator.env.client.delete(StorageBucket, keyIn("photos"));
  await operator.advance("0s");
  assert.deepEqual(
    (await seriesOf()).filter((line) => line.includes("photos")),
    [],
  );
});
