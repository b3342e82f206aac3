import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { isCodedError } from "farwatch";
import { StorageBucket } from "storage-bucket";
import { manifest, namespace, type OperatorStage, prepareStage, type SpecInput } from "./operator-stage.ts";

let stage: OperatorStage;
before(async () => {
  stage = await prepareStage();
});
after(() => stage[Symbol.asyncDispose]());

const photos = { bucket: "photos" };

test("StorageBucket gets every default from a spec that names nothing but the bucket", async () => {
  const created = await stage.client.create(StorageBucket, {
    metadata: { namespace, name: "defaults" },
    spec: { s3: photos },
  });
  assert.deepEqual(created.spec, {
    s3: { bucket: "photos", addressing: "Auto" },
    credentials: { anonymous: {} },
    probe: {
      level: "Head",
      periodSeconds: 30,
      timeoutSeconds: 5,
      failureThreshold: 3,
      successThreshold: 1,
      initialDelaySeconds: 0,
      heartbeatSeconds: 300,
    },
    suspend: false,
  });
});

test("StorageBucket gets the defaults of a probe and a CA bundle of which something is given", async () => {
  const spec: SpecInput = {
    s3: photos,
    caBundleRef: { kind: "ConfigMap", name: "ca" },
    probe: { periodSeconds: 60, timeoutSeconds: 40 },
  };
  const created = await stage.client.create(StorageBucket, { metadata: { namespace, name: "some-defaults" }, spec });
  assert.equal(created.spec.caBundleRef?.key, "ca.crt");
  assert.deepEqual(
    [created.spec.probe.periodSeconds, created.spec.probe.timeoutSeconds, created.spec.probe.failureThreshold],
    [60, 40, 3],
  );
});

// B65
test("StorageBucket is refused with the field and the reason when its spec makes no sense", async () => {
  const endpoint = (text: string): unknown => ({ s3: { ...photos, endpoint: text } });
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["no provider", {}, "spec: Invalid value: give exactly one provider: s3"],
    [
      "no credentials",
      { s3: photos, credentials: {} },
      "spec.credentials: Invalid value: give exactly one of secretRef and anonymous",
    ],
    [
      "two credentials",
      { s3: photos, credentials: { anonymous: {}, secretRef: { name: "keys" } } },
      "spec.credentials: Invalid value: give exactly one of secretRef and anonymous",
    ],
    [
      "short period",
      { s3: photos, probe: { periodSeconds: 4, timeoutSeconds: 1 } },
      "spec.probe: Invalid value: periodSeconds must be 0 or at least 5",
    ],
    [
      "long timeout",
      { s3: photos, probe: { timeoutSeconds: 31 } },
      "spec.probe: Invalid value: timeoutSeconds must not be above periodSeconds",
    ],
    [
      "default timeout",
      { s3: photos, probe: { periodSeconds: 5, timeoutSeconds: 6 } },
      "spec.probe: Invalid value: timeoutSeconds must not be above periodSeconds",
    ],
    [
      "negative period",
      { s3: photos, probe: { periodSeconds: -1 } },
      "spec.probe.periodSeconds: Invalid value: -1: spec.probe.periodSeconds in body should be greater than or equal to 0",
    ],
    [
      "period with a unit",
      { s3: photos, probe: { periodSeconds: "30s" } },
      'spec.probe.periodSeconds: Invalid value: "string": spec.probe.periodSeconds in body must be of type integer: "string"',
    ],
    [
      "level",
      { s3: photos, probe: { level: "Deep" } },
      'spec.probe.level: Unsupported value: "Deep": supported values: "Head"',
    ],
    [
      "bucket",
      { s3: { bucket: "Photos" } },
      "spec.s3.bucket: Invalid value: \"Photos\": spec.s3.bucket in body should match '^[a-z0-9][a-z0-9.-]*[a-z0-9]$'",
    ],
    ["region", { s3: { ...photos, region: "eu-west-1.evil.example" } }, "spec.s3.region: Invalid value"],
    ["scheme", endpoint("ftp://minio.example.com"), "spec.s3.endpoint: Invalid value"],
    ["path", endpoint("https://minio.example.com/path"), "spec.s3.endpoint: Invalid value"],
    ["userinfo", endpoint("https://user:password@minio.example.com"), "spec.s3.endpoint: Invalid value"],
    ["query", endpoint("https://minio.example.com?x=1"), "spec.s3.endpoint: Invalid value"],
    ["line break", endpoint("https://minio.example.com\nevil"), "spec.s3.endpoint: Invalid value"],
    [
      "CA kind",
      { s3: photos, caBundleRef: { kind: "Pod", name: "a" } },
      'spec.caBundleRef.kind: Unsupported value: "Pod": supported values: "ConfigMap", "Secret"',
    ],
    ["unknown field", { s3: photos, sped: 1 }, 'strict decoding error: unknown field "spec.sped"'],
  ];
  for (const [name, spec, text] of cases) {
    const object = {
      metadata: { namespace, name: `refused-${name.toLowerCase().replaceAll(" ", "-")}` },
      spec: spec as SpecInput,
    };
    await assert.rejects(stage.client.create(StorageBucket, object), (error) => {
      assert.ok(isCodedError(error, "Invalid") || isCodedError(error, "BadRequest"), `${name}: ${String(error)}`);
      assert.ok(error.message.includes(text), `${name}: ${error.message}`);
      return true;
    });
  }
});

test("StorageBucket takes period 0 with any timeout, and every form of endpoint that can be asked", async () => {
  const accepted: readonly SpecInput[] = [
    { s3: photos, probe: { periodSeconds: 0, timeoutSeconds: 300 } },
    ...[
      "http://minio",
      "https://minio.store.svc:9000/",
      "http://10.0.0.1:9000",
      "https://[2001:db8::1]:9000",
      "https://MinIO_1.example.com",
    ].map((endpoint) => ({ s3: { ...photos, endpoint } })),
  ];
  for (const [index, spec] of accepted.entries()) {
    await stage.client.create(
      StorageBucket,
      { metadata: { namespace, name: `accepted-${index}` }, spec },
      { dryRun: true },
    );
  }
});

// B14
test("StorageBucket refuses a status whose reason is none, so that a careless operator would be found out", async () => {
  const created = await stage.client.create(StorageBucket, {
    metadata: { namespace, name: "reason" },
    spec: { s3: photos },
  });
  const statusWith = (reason: string, message = "") => ({
    conditions: [
      { type: "Available", status: "False", reason, message, lastTransitionTime: "2030-01-01T00:00:00Z" } as const,
    ],
  });
  for (const reason of ["", "301", "Not Found", "TimeoutError: aborted", "x".repeat(1_025)]) {
    await assert.rejects(stage.client.applyStatus(created, statusWith(reason)), (error) =>
      isCodedError(error, "Invalid"),
    );
  }
  await assert.rejects(stage.client.applyStatus(created, statusWith("Timeout", "x".repeat(40_000))), (error) =>
    isCodedError(error, "Invalid"),
  );
  const written = await stage.client.applyStatus(created, statusWith("Timeout"));
  assert.equal(written.status?.conditions?.[0]?.reason, "Timeout");
});

// B87
test("StorageBucket shows itself to kubectl without a date that could lie ahead", async () => {
  const created = await stage.client.create(StorageBucket, {
    metadata: { namespace, name: "columns" },
    spec: { s3: photos },
  });
  await stage.client.applyStatus(created, {
    available: true,
    lastProbeTime: "2999-01-01T00:00:00Z",
    conditions: [
      {
        type: "Available",
        status: "True",
        reason: "Available",
        message: "",
        lastTransitionTime: "2030-01-01T00:00:00Z",
      },
    ],
  });
  const [header = "", row = ""] = (await stage.kubectl("get", "sb", "columns", "--namespace", namespace)).split("\n");
  assert.match(header, /^NAME +BUCKET +AVAILABLE +REASON +LAST PROBE +AGE$/);
  assert.match(row, /^columns +photos +true +Available +2999-01-01T00:00:00Z +\d+s$/);
});

test("manifests of the operator are what the API server knows, and open no private endpoint", async () => {
  const files = ["deployment", "cluster-wide"].map(manifest);
  const args = files.flatMap((file) => ["-f", file]);
  const said = await stage.kubectl("apply", "--dry-run=client", "--validate=strict", ...args);
  assert.equal(said.split("\n").length, 6);
  for (const file of files) assert.doesNotMatch(readFileSync(file, "utf8"), /allow-endpoint/);
});
