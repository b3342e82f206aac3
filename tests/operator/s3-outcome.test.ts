import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCertificateAuthority, startVersitygw, type Versitygw } from "@farwatch/testing";
import { type Clock, ConfigMap, createHttpTransport, Event, instantOf, systemClock } from "farwatch";
import { createEndpointPolicy, createS3Probe, parseAllowedEndpoint } from "storage-bucket";
import type { ChildProgram } from "../e2e/child-program.ts";
import { available, namespace, newKeys, type OperatorStage, prepareStage, type SpecInput } from "./operator-stage.ts";

const owner = newKeys("owner");
const stranger = newKeys("stranger");
let stage: OperatorStage;
let s3: Versitygw;
let operator: ChildProgram;

before(async () => {
  stage = await prepareStage();
  s3 = await startVersitygw({ users: [owner, stranger] });
  await s3.createBucket("photos", { owner });
  operator = await stage.startOperator(
    "--allow-endpoint",
    `${namespace}=127.0.0.0/8`,
    "--leader-elect",
    "--log-level",
    "debug",
  );
});
after(async () => {
  await operator[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const probe = { periodSeconds: 5, timeoutSeconds: 4, failureThreshold: 1, heartbeatSeconds: 0 };

const at = (server: Versitygw): { readonly endpoint: string; readonly allowedEndpoints: string } => ({
  endpoint: server.url,
  allowedEndpoints: new URL(server.url).host,
});

/** A bucket with a Secret of its own name, and the condition Available of its first probe. */
async function firstProbe(
  name: string,
  options: {
    readonly keys: Readonly<Record<string, string>>;
    readonly s3?: Partial<SpecInput["s3"]>;
    readonly server?: Versitygw;
  },
): Promise<ReturnType<typeof available>> {
  const { endpoint, allowedEndpoints } = at(options.server ?? s3);
  await stage.secret(name, { ...options.keys, allowedEndpoints });
  await stage.bucket(name, {
    s3: { bucket: "photos", endpoint, ...options.s3 },
    credentials: { secretRef: { name } },
    probe,
  });
  const status = await stage.statusOf(name, "its first probe", ({ lastProbe }) => lastProbe !== undefined);
  assert.equal(status.available, available(status).status === "True");
  assert.equal(status.observedGeneration, 1);
  return available(status);
}

test("operator tells the answers of a real S3 server apart", async () => {
  const cases = [
    ["healthy", { keys: owner }, "True", "Available", "the bucket answered the probe"],
    [
      "wrong-secret",
      { keys: { ...owner, secretAccessKey: "wrong" } },
      "False",
      "InvalidCredentials",
      "the service does not accept the credentials",
    ],
    [
      "unknown-key",
      { keys: newKeys("nobody") },
      "False",
      "InvalidCredentials",
      "the service does not accept the credentials",
    ],
    [
      "no-permission",
      { keys: stranger },
      "False",
      "AccessDenied",
      "access to bucket photos is denied; on AWS the probe needs s3:ListBucket",
    ],
    [
      "missing",
      { keys: owner, s3: { bucket: "no-such-bucket" } },
      "False",
      "BucketNotFound",
      "bucket no-such-bucket does not exist",
    ],
    [
      "wrong-region",
      { keys: owner, s3: { region: "eu-west-1" } },
      "False",
      "WrongRegion",
      "bucket photos is in region us-east-1, the spec says eu-west-1",
    ],
  ] as const;
  for (const [name, options, status, reason, message] of cases) {
    assert.deepEqual(await firstProbe(name, options), { status, reason, message });
  }
});

test("operator finds out the region of a server that takes no other, and signs for it", async () => {
  await using elsewhere = await startVersitygw({ users: [owner], region: "eu-central-1" });
  await elsewhere.createBucket("photos", { owner });
  assert.equal((await firstProbe("elsewhere", { keys: owner, server: elsewhere })).reason, "Available");
  const named = await firstProbe("elsewhere-named", { keys: owner, server: elsewhere, s3: { region: "us-east-1" } });
  assert.equal(named.message, "bucket photos is in region eu-central-1, the spec says us-east-1");
});

test("operator asks a server with a private authority through the CA bundle of a ConfigMap", async () => {
  const authority = await createCertificateAuthority();
  const certificate = await authority.issue({ commonName: "s3", hosts: ["127.0.0.1"], usage: "server" });
  await using secure = await startVersitygw({ users: [owner], tls: { ...certificate, ca: authority.cert } });
  await secure.createBucket("photos", { owner });
  const untrusted = await firstProbe("private-ca", { keys: owner, server: secure });
  assert.deepEqual([untrusted.status, untrusted.reason], ["False", "TLSFailure"]);

  await stage.client.apply(ConfigMap, {
    metadata: { namespace, name: "authority" },
    data: { "ca.crt": authority.cert },
  });
  await stage.bucket("private-ca", {
    s3: { bucket: "photos", endpoint: secure.url },
    credentials: { secretRef: { name: "private-ca" } },
    caBundleRef: { kind: "ConfigMap", name: "authority" },
    probe,
  });
  const status = await stage.statusOf("private-ca", "trusted", (each) => each.observedGeneration === 2);
  assert.equal(available(status).reason, "Available");
});

test("probe with a clock half an hour off is told so by a real S3 server", async () => {
  const off: Clock = { ...systemClock, now: () => instantOf(systemClock.now().getTime() + 30 * 60_000) };
  await using transport = createHttpTransport();
  const ask = createS3Probe({ transport, clock: off, env: {} });
  const allowed = parseAllowedEndpoint("default=127.0.0.0/8") ?? assert.fail();
  const { reason, message } = await ask(
    {
      spec: { bucket: "photos", endpoint: s3.url, addressing: "Auto" },
      secret: { credentials: owner, allows: () => true },
      ca: undefined,
      connectPolicy: createEndpointPolicy([allowed]).forNamespace("default"),
      timeoutMs: 10_000,
    },
    new AbortController().signal,
  );
  assert.deepEqual(
    [reason, message],
    ["ClockSkew", "the operator's clock and the service's are too far apart to accept signatures"],
  );
});

// B27
test("operator uses a rotated Secret at once, both ways", async () => {
  const { allowedEndpoints } = at(s3);
  const keys = newKeys("rotated");
  await s3.createUser(keys);
  await s3.putBucketPolicy("photos", {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: [keys.accessKeyId] },
        Action: "s3:*",
        Resource: ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"],
      },
    ],
  });
  const spec = (name: string): SpecInput => ({
    s3: { bucket: "photos", endpoint: s3.url },
    credentials: { secretRef: { name } },
    // Nothing but the Secret can make it probe.
    probe: { ...probe, periodSeconds: 0 },
  });
  await stage.secret("rotated", { ...keys, allowedEndpoints });
  await stage.bucket("rotated", spec("rotated"));
  await stage.statusOf("rotated", "available", (status) => status.available === true);
  for (const [secretAccessKey, reason] of [
    ["wrong", "InvalidCredentials"],
    [keys.secretAccessKey, "Available"],
  ] as const) {
    await stage.secret("rotated", { ...keys, secretAccessKey, allowedEndpoints });
    await stage.statusOf("rotated", reason, (status) => available(status).reason === reason);
  }
});

test("operator calls a bucket unknown whose Secret is missing, of another type, or does not allow the endpoint", async () => {
  await stage.secret("opaque", owner, "Opaque");
  await stage.secret("own-hosts", owner);
  const cases = [
    ["absent", "CredentialsNotFound", "there is no Secret absent of type storage.farwatch.dev/credentials"],
    ["opaque", "CredentialsNotFound", "there is no Secret opaque of type storage.farwatch.dev/credentials"],
    [
      "own-hosts",
      "EndpointNotAllowed",
      `the Secret does not allow its credentials to be sent to ${new URL(s3.url).host}; add it to the key allowedEndpoints`,
    ],
  ] as const;
  for (const [name, reason, message] of cases) {
    await stage.bucket(`unknown-${name}`, {
      s3: { bucket: "photos", endpoint: s3.url },
      credentials: { secretRef: { name } },
      probe,
    });
    const status = await stage.statusOf(`unknown-${name}`, reason, ({ conditions }) => conditions !== undefined);
    assert.deepEqual(available(status), { status: "Unknown", reason, message });
    assert.equal(status.available, undefined);
  }
});

test("operator keeps to the endpoints that its flags allow", async () => {
  const spec = (endpoint: string): SpecInput => ({ s3: { bucket: "photos", endpoint }, probe });
  await stage.bucket("link-local", spec("http://169.254.169.254"));
  const status = await stage.statusOf("link-local", "refused", ({ conditions }) => conditions !== undefined);
  assert.deepEqual(available(status), {
    status: "Unknown",
    reason: "EndpointNotAllowed",
    message:
      "Cannot connect to 169.254.169.254: its address is link-local or a metadata service's, which is never allowed",
  });
});

test("operator tells the users of a bucket by Events, with the rights that its manifests give", async () => {
  const events = await stage.client.list(Event, { namespace });
  const told = events.filter(({ regarding }) => regarding?.name === "wrong-secret");
  assert.deepEqual(
    told.map(({ type, reason, note, action, reportingController }) => ({
      type,
      reason,
      note,
      action,
      reportingController,
    })),
    [
      {
        type: "Warning",
        reason: "InvalidCredentials",
        note: "the service does not accept the credentials",
        action: "Probe",
        reportingController: "farwatch.dev/storage-bucket",
      },
    ],
  );
});

test("operator logs no secret and no error through all of it, and ends with 0 when it is asked to", async () => {
  assert.equal(operator.ending, undefined);
  operator.kill("SIGTERM");
  const { code } = await operator.ended();
  assert.equal(code, 0);
  assert.equal(operator.stderr, "");
  assert.ok(operator.lines.some(({ msg }) => msg === "Probed bucket"));
  for (const { secretAccessKey } of [owner, stranger]) assert.ok(!operator.stdout.includes(secretAccessKey));
  const errors = operator.lines.filter(({ level }) => level === "error");
  assert.deepEqual(errors, []);
});
