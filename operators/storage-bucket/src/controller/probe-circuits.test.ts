import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "farwatch";
import type { RecordedRequest, ScriptedAnswer } from "farwatch/doubles";
import {
  gridOf,
  keys,
  type SpecInput,
  startVirtualOperator,
  type VirtualOperator,
} from "./virtual-operator.fixture.ts";

const steady = { periodSeconds: 60, failureThreshold: 3, heartbeatSeconds: 300 } as const;

/** Buckets of their own names at one endpoint, spread over so many namespaces. */
async function furnish(
  operator: VirtualOperator,
  { count, namespaces, ...spec }: SpecInput & { readonly count: number; readonly namespaces: number },
): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, n) => `${spec.secret ?? "bucket"}-${n}`);
  for (const [n, bucket] of names.entries()) {
    const namespace = namespaces === 1 ? "default" : `tenant-${n % namespaces}`;
    await operator.bucket(bucket, { namespace, probe: steady, ...spec, s3: { bucket, ...spec.s3 } });
  }
  return names;
}

/** Which buckets were asked from then on, and when, in seconds since the start. */
function askedFrom({ s3 }: VirtualOperator, fromS: number) {
  return s3.requests
    .filter(({ method, at }) => method === "HEAD" && at >= fromS * 1_000)
    .map(({ path, at }) => ({ name: path.slice(1), atS: at / 1_000 }));
}

const nowS = ({ clock }: VirtualOperator): number => clock.elapsed() / 1_000;
const metricsOf = async ({ run }: VirtualOperator): Promise<string> => (await run.metrics.expose()).body;
const skipsOf = async (operator: VirtualOperator): Promise<number> =>
  Number(/^storagebucket_probes_skipped_total\{.*\} (\d+)$/m.exec(await metricsOf(operator))?.[1] ?? 0);
const ageS = (operator: VirtualOperator, time: string | undefined): number =>
  (operator.clock.now().getTime() - (parseTime(time ?? "")?.getTime() ?? Number.NaN)) / 1_000;

for (const [what, answer] of [
  ["hangs", { silent: true }],
  ["answers 503", { status: 503 }],
] as const satisfies readonly (readonly [string, ScriptedAnswer])[]) {
  test(`operator leaves an endpoint that ${what} to one of its buckets, and spreads the others over a period when it is back`, async () => {
    await using operator = await startVirtualOperator();
    operator.s3.on({}, {});
    const names = await furnish(operator, { count: 20, namespaces: 4 });
    await operator.advance("3m");
    operator.s3.on({}, answer);
    const outS = nowS(operator);
    await operator.advance("15m");

    const down = askedFrom(operator, outS);
    // Three open it, and one of each other namespace confirms it; then one is asked twice a period until it has failed three times for all,
    // and makes way.
    assert.ok(down.length <= 5 + 2 * 15 + 4, `${down.length} probes in 15 minutes of 300 at the least`);
    for (const [index, { atS }] of down.entries()) {
      const before = down[index - 1]?.atS ?? outS;
      assert.ok(atS - before <= 90 + 60, `nobody was asked from ${before} to ${atS}`);
    }
    const askedTimes = (name: string): number => down.filter((each) => each.name === name).length;
    assert.ok(names.some((name) => operator.statusOf(name).available === false));
    for (const name of names) {
      const { available, consecutiveFailures, lastSkipTime, lastProbeTime } = operator.statusOf(name);
      assert.equal(available, askedTimes(name) < 3);
      // Of a bucket that is unavailable not every further failure is worth a write.
      if (available === true) assert.equal(consecutiveFailures, askedTimes(name), "a skip moves no streak");
      if (askedTimes(name) > 0) continue;
      const { status, reason, message } = operator.conditionOf(name, "Degraded");
      assert.deepEqual([status, reason], ["True", "EndpointUnavailable"]);
      assert.equal(
        message,
        "minio.example.com does not answer as it should; another bucket is probed for it until it does, and the last result of this one is kept",
      );
      assert.equal(operator.conditionOf(name, "Ready").status, "True");
      assert.ok(ageS(operator, lastSkipTime) <= 360, "the heartbeat tells that somebody is still looking");
      assert.ok(ageS(operator, lastProbeTime) >= 15 * 60);
    }
    const body = await metricsOf(operator);
    assert.match(body, /^farwatch_circuit_breaker_open\{breaker="endpoint probes"\} 1$/m);
    assert.match(body, /^storagebucket_probes_skipped_total\{provider="s3",reason="EndpointUnavailable"\} \d{3}$/m);
    assert.equal(
      (await operator.events()).filter(({ type }) => type === "Warning").length,
      names.filter((name) => askedTimes(name) >= 3).length,
    );

    operator.s3.on({}, {});
    const backS = nowS(operator);
    await operator.advance("3m");
    const up = askedFrom(operator, backS);
    const [first] = up;
    assert.ok(first !== undefined && first.atS - backS <= 90, `the first was asked at ${first?.atS}`);
    for (const name of names) {
      const [at] = up.filter((each) => each.name === name).map(({ atS }) => atS);
      assert.ok(
        at !== undefined && at <= first.atS + 60,
        `${name} was asked at ${at}, the circuit closed at ${first.atS}`,
      );
      const [onGrid = 0] = gridOf(operator, name, 60, 1);
      assert.equal(Math.round((at - onGrid) * 1_000) % 30_000, 0, `${name} was asked at ${at}, beside its grid`);
      const { available, lastSkipTime } = operator.statusOf(name);
      assert.deepEqual([available, lastSkipTime], [true, undefined]);
      assert.equal(operator.conditionOf(name, "Degraded").reason, "AsExpected");
    }
    assert.match(await metricsOf(operator), /^farwatch_circuit_breaker_open\{breaker="endpoint probes"\} 0$/m);
  });
}

test("operator skips no probe for what a bucket is answered, nor for what one namespace alone finds", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { status: 404 });
  const names = await furnish(operator, { count: 12, namespaces: 3 });
  await operator.advance("5m");
  for (const name of names) assert.equal(operator.statusOf(name).available, false);
  assert.equal(await skipsOf(operator), 0, "404 is an answer");

  operator.s3.on({}, {});
  operator.s3.on({ path: /^\/hung-/ }, { silent: true });
  for (const n of ["a", "b", "c", "d"])
    await operator.bucket(`hung-${n}`, { namespace: "one", s3: { bucket: `hung-${n}` }, probe: steady });
  await operator.advance("10m");
  for (const n of ["a", "b", "c", "d"]) assert.equal(operator.statusOf(`hung-${n}`).lastProbe?.reason, "Timeout");
  assert.equal(await skipsOf(operator), 0, "one namespace cannot make it look worse for others");
});

test("operator lets no namespaces, whatever they make fail, keep a bucket of another from its probes", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  operator.s3.on({ path: /^\/evil-/ }, { silent: true });
  const often = { periodSeconds: 5, timeoutSeconds: 1 };
  for (let n = 0; n < 6; n += 1)
    await operator.bucket(`evil-${n}`, { namespace: `evil-${n % 2}`, s3: { bucket: `evil-${n}` }, probe: often });
  await operator.bucket("good", { namespace: "good", s3: { bucket: "good" }, probe: { periodSeconds: 600 } });
  await operator.advance("1h");
  const asked = askedFrom(operator, 0).filter(({ name }) => name === "good");
  assert.deepEqual(
    asked.map(({ atS }) => atS),
    [0, ...gridOf(operator, "good", 600, 6)],
  );
  assert.ok((await skipsOf(operator)) > 1_000, "the others are skipped");
  assert.equal(operator.conditionOf("good", "Degraded").reason, "AsExpected");
});

test("operator leaves an endpoint to one bucket when all of one namespace, the only one, fail, but never skips one that is alone", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, { silent: true });
  await furnish(operator, { count: 2, namespaces: 1, probe: { ...steady, failureThreshold: 1 } });
  await operator.bucket("alone", { s3: { bucket: "alone", endpoint: "https://other.example.com" }, probe: steady });
  await operator.bucket("still", {
    s3: { bucket: "still", endpoint: "https://minio.example.com" },
    probe: { ...steady, periodSeconds: 0 },
  });
  await operator.advance("10m");
  const asked = askedFrom(operator, 60);
  const both = asked.filter(({ name }) => name.startsWith("bucket-")).length;
  assert.ok(both >= 13 && both <= 20, `${both} probes in 9 minutes: about twice a period for both together`);
  assert.ok(asked.filter(({ name }) => name === "alone").length >= 18);
});

const keyOf = ({ headers }: RecordedRequest): string =>
  /Credential=([^/]*)/.exec(String(headers?.authorization))?.[1] ?? "";

test("operator leaves a Secret that a service does not accept to one bucket, and no bucket of another Secret, until it is changed", async () => {
  await using operator = await startVirtualOperator();
  let refused = "";
  const body = "<Error><Code>InvalidAccessKeyId</Code></Error>";
  operator.s3.on({}, (request) =>
    keyOf(request) === refused ? { status: 403, ...(request.method === "GET" ? { body } : {}) } : {},
  );
  await operator.secret("bad", { ...keys, accessKeyId: "BAD" });
  await operator.secret("good", { ...keys, accessKeyId: "GOOD" });
  const bad = await furnish(operator, { count: 10, namespaces: 1, secret: "bad" });
  const good = await furnish(operator, { count: 4, namespaces: 1, secret: "good" });
  await operator.advance("2m");
  refused = "BAD";
  const refusedS = nowS(operator);
  await operator.advance("10m");
  const asked = askedFrom(operator, refusedS);
  const ofBad = asked.filter(({ name }) => bad.includes(name)).length;
  assert.ok(ofBad <= 3 + 2 * 10 + 2, `${ofBad} probes in 10 minutes`);
  for (const name of good) assert.ok(asked.filter((each) => each.name === name).length >= 9);
  const skipped = bad.filter((name) => !asked.some((each) => each.name === name));
  assert.ok(skipped.length > 0);
  for (const name of skipped) {
    const { reason, message } = operator.conditionOf(name, "Degraded");
    assert.equal(reason, "CredentialsRefused");
    assert.match(message, /^the service does not accept Secret bad; another bucket is probed for it/);
    assert.equal(operator.statusOf(name).available, true);
  }
  assert.match(await metricsOf(operator), /^farwatch_circuit_breaker_open\{breaker="credential probes"\} 1$/m);
  assert.match(await metricsOf(operator), /^farwatch_circuit_breaker_open\{breaker="endpoint probes"\} 0$/m);

  await operator.secret("bad", { ...keys, accessKeyId: "MENDED" });
  const mendedS = nowS(operator);
  await operator.advance("1s");
  assert.deepEqual(
    askedFrom(operator, mendedS)
      .map(({ name }) => name)
      .toSorted(),
    bad.toSorted(),
  );
  for (const name of bad) assert.equal(operator.conditionOf(name, "Degraded").reason, "AsExpected");
  assert.match(await metricsOf(operator), /^farwatch_circuit_breaker_open\{breaker="credential probes"\} 0$/m);
});

test("operator answers who changes a spec or asks for a probe, whatever its endpoint is in, and starts anew after a restart", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  const names = await furnish(operator, { count: 12, namespaces: 2 });
  await operator.advance("2m");
  operator.s3.on({}, { status: 500 });
  await operator.advance("5m");
  const skipped = names.filter((name) => operator.conditionOf(name, "Degraded").reason === "EndpointUnavailable");
  const [changed = "", asking = ""] = skipped;
  const fromS = nowS(operator);
  const { namespace = "" } = operator.objectOf(changed).metadata;
  await operator.bucket(changed, { namespace, probe: { ...steady, timeoutSeconds: 7 }, s3: { bucket: changed } });
  const annotations = { "farwatch.dev/requested-at": "2030-01-01T00:00:00Z/aaaaaaaa" };
  await operator.env.client.patch(operator.objectOf(asking), { metadata: { annotations } });
  await operator.advance("1s");
  assert.deepEqual(
    askedFrom(operator, fromS)
      .map(({ name }) => name)
      .toSorted(),
    [changed, asking].toSorted(),
  );
  assert.equal(operator.statusOf(changed).available, false, "the first answer to a new spec counts");
  assert.equal(operator.statusOf(asking).lastHandledRequest, "2030-01-01T00:00:00Z/aaaaaaaa");
  assert.equal(operator.conditionOf(asking, "Degraded").reason, "ServerError");

  await operator.restart();
  operator.s3.on({}, {});
  await operator.advance("61s");
  for (const name of names) assert.equal(operator.conditionOf(name, "Degraded").reason, "AsExpected");
});
