import assert from "node:assert/strict";
import { test } from "node:test";
import { createS3Store, type S3Store } from "@farwatch/testing";
import { ConfigMap, Secret, TransportError } from "farwatch";
import type { RecordedRequest, ScriptedAnswer } from "farwatch/doubles";
import { credentialsSecretType } from "../resource/storage-bucket.ts";
import { keyIn, keys, startVirtualOperator } from "./virtual-operator.fixture.ts";

const authorizationOf = ({ headers }: RecordedRequest): string => String(headers?.authorization);

// B27
test("operator signs the next probe with a rotated Secret, which comes at once, and keeps nothing of the old one", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  const secretKey = (n: number): string => `rotated-secret-key-${n}-end`;
  await operator.secret("keys", { ...keys, secretAccessKey: secretKey(0) });
  await operator.bucket("photos", { secret: "keys" });
  await operator.advance("0s");
  const signatures = new Set<string>();
  for (let rotation = 1; rotation <= 100; rotation += 1) {
    const asked = operator.s3.requests.length;
    await operator.secret("keys", { ...keys, secretAccessKey: secretKey(rotation) });
    await operator.advance("1s");
    const made = operator.s3.requests.slice(asked);
    assert.ok(made.length >= 1, `no probe within a second of rotation ${rotation}`);
    signatures.add(authorizationOf(made[0] as RecordedRequest).replace(/^.*Signature=/, ""));
  }
  assert.equal(signatures.size, 100);
  // The transport is given nothing by which it could tell one secret from another: no client, no pool, no key is made of it.
  const routes = operator.s3.requests.map(({ url, tls, proxy, protocol }) =>
    JSON.stringify([url, tls, proxy, protocol]),
  );
  assert.equal(new Set(routes).size, 1);
  assert.equal(new Set(operator.s3.requests.map(({ connectPolicy }) => connectPolicy)).size, 1);
  const { body } = await operator.run.metrics.expose();
  const written = operator.writes.map(({ path, body: sent }) => [path, sent]);
  const all = JSON.stringify([written, operator.s3.requests, await operator.events()]) + operator.log + body;
  assert.doesNotMatch(all, /rotated-secret-key/);
});

test("operator is let in by an S3 store through a hundred rotations of the Secret, and by nothing older", async () => {
  const secretKey = (n: number): string => `rotated-secret-key-${n}`;
  let store: S3Store | undefined;
  await using operator = await startVirtualOperator({
    allow: ["*=s3.test"],
    transport(clock) {
      const users = [{ accessKeyId: "owner", secretAccessKey: secretKey(0) }];
      store = createS3Store({ clock, users, buckets: { photos: { owner: "owner" } } });
      return store.transport;
    },
  });
  assert.ok(store);
  const secret = { accessKeyId: "owner", allowedEndpoints: "s3.test" };
  await operator.secret("keys", { ...secret, secretAccessKey: secretKey(0) });
  const s3 = { endpoint: "https://s3.test", addressing: "Path" } as const;
  await operator.bucket("photos", { secret: "keys", s3, probe: { periodSeconds: 0 } });
  await operator.advance("0s");
  for (let rotation = 1; rotation <= 100; rotation += 1) {
    store.putUser({ accessKeyId: "owner", secretAccessKey: secretKey(rotation) });
    await operator.secret("keys", { ...secret, secretAccessKey: secretKey(rotation) });
    await operator.advance("0s");
    assert.equal(operator.conditionOf("photos").reason, "Available", `after rotation ${rotation}`);
  }
  assert.deepEqual([...new Set(store.requests.map(({ status }) => status))], [200]);
  assert.equal(store.requests.length, 101);

  await operator.secret("keys", { ...secret, secretAccessKey: secretKey(99) });
  await operator.advance("0s");
  assert.equal(operator.conditionOf("photos").reason, "InvalidCredentials");
});

test("operator does not probe for a change of the Secret's labels alone", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.secret("keys");
  await operator.bucket("photos", { secret: "keys", probe: { periodSeconds: 0 } });
  await operator.advance("1s");
  const { client } = operator.env;
  await client.patch(await client.get(Secret, keyIn("keys")), { metadata: { labels: { team: "media" } } });
  await operator.advance("1m");
  assert.deepEqual(operator.askedAt, [0]);
});

test("operator calls a bucket unknown while its Secret is missing, and probes as soon as there is one", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  await operator.bucket("photos", { secret: "keys" });
  await operator.advance("5m");
  assert.deepEqual(operator.askedAt, []);
  const missing = operator.conditionOf("photos");
  assert.deepEqual(
    [missing.status, missing.reason, missing.message],
    ["Unknown", "CredentialsNotFound", `there is no Secret keys of type ${credentialsSecretType}`],
  );
  assert.equal(operator.statusOf("photos").available, undefined);
  assert.equal(operator.statusOf("photos").lastProbeTime, undefined);
  assert.equal(operator.statusWrites.length, 1);
  assert.deepEqual(
    (await operator.events()).map(({ type, reason }) => [type, reason]),
    [["Warning", "CredentialsNotFound"]],
  );

  await operator.secret("keys");
  await operator.advance("0s");
  assert.deepEqual(operator.askedAt, [300]);
  assert.equal(operator.statusOf("photos").available, true);

  await operator.env.client.delete(Secret, keyIn("keys"));
  await operator.advance("0s");
  assert.equal(operator.statusOf("photos").available, undefined);
  assert.equal(operator.conditionOf("photos").reason, "CredentialsNotFound");
  assert.doesNotMatch((await operator.run.metrics.expose()).body, /storagebucket_available\{/);
});

test("operator sees no Secret of another type than its own", async () => {
  await using operator = await startVirtualOperator();
  await operator.secret("keys", keys, "Opaque");
  await operator.bucket("photos", { secret: "keys" });
  await operator.advance("0s");
  const { reason, message } = operator.conditionOf("photos");
  assert.deepEqual(
    [reason, message],
    ["CredentialsNotFound", `there is no Secret keys of type ${credentialsSecretType}`],
  );
  assert.deepEqual(operator.askedAt, []);
});

test("operator says what is wrong with a Secret, by key and never by value", async () => {
  const { accessKeyId, secretAccessKey } = keys;
  const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ secretAccessKey }, "Secret keys has no key accessKeyId"],
    [{ accessKeyId, secretAccessKey: " \n" }, "Secret keys has no key secretAccessKey"],
    [
      { accessKeyId: "AK\r\nx-evil: 1", secretAccessKey },
      "Secret keys has a key accessKeyId that is not plain printable text",
    ],
    [
      { ...keys, allowedEndpoints: "https://minio.example.com/" },
      "Secret keys has a key allowedEndpoints with an entry that is not host[:port]",
    ],
  ];
  for (const [data, message] of cases) {
    await using operator = await startVirtualOperator();
    await operator.secret("keys", data);
    await operator.bucket("photos", { secret: "keys" });
    await operator.advance("0s");
    const { status, reason, message: shown } = operator.conditionOf("photos");
    assert.deepEqual([status, reason, shown], ["Unknown", "InvalidSecret", message]);
    assert.deepEqual(operator.askedAt, []);
  }
});

test("operator sends credentials to no host that the Secret does not name", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  const { accessKeyId, secretAccessKey } = keys;
  await operator.secret("own-hosts", { accessKeyId, secretAccessKey });
  await operator.secret("minio", { ...keys, allowedEndpoints: "minio.example.com:9000, other.example.com" });
  const refused = (host: string): string =>
    `the Secret does not allow its credentials to be sent to ${host}; add it to the key allowedEndpoints`;
  const cases = [
    ["own-hosts", "https://minio.example.com", refused("minio.example.com:443")],
    ["own-hosts", "https://s3.amazonaws.com.evil.example", refused("s3.amazonaws.com.evil.example:443")],
    ["own-hosts", "http://s3.us-east-1.amazonaws.com", refused("s3.us-east-1.amazonaws.com:80")],
    ["own-hosts", "http://s3.us-east-1.amazonaws.com:443", refused("s3.us-east-1.amazonaws.com:443")],
    ["minio", "https://minio.example.com", refused("minio.example.com:443")],
    ["minio", "https://minio.example.com:9000", undefined],
    ["minio", "https://sub.other.example.com", refused("sub.other.example.com:443")],
    ["minio", "https://OTHER.example.com", undefined],
  ] as const;
  for (const [index, [secret, endpoint, message]] of cases.entries()) {
    const name = `bucket-${index}`;
    await operator.bucket(name, { secret, s3: { endpoint } });
    const asked = operator.s3.requests.length;
    await operator.advance("0s");
    const { reason, message: shown } = operator.conditionOf(name);
    assert.equal(reason, message === undefined ? "Available" : "EndpointNotAllowed", endpoint);
    if (message !== undefined) assert.equal(shown, message);
    assert.equal(operator.s3.requests.length - asked, message === undefined ? 1 : 0, endpoint);
  }
});

test("operator takes a CA bundle from a ConfigMap for the bucket that names it, and says what is wrong with one", async () => {
  await using operator = await startVirtualOperator();
  operator.s3.on({}, {});
  operator.run.transport.faults.add({
    kind: "status",
    matcher: { path: /configmaps\/hidden$/ },
    status: 403,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden", message: "no" },
  });
  await operator.env.client.create(ConfigMap, { metadata: keyIn("ca"), data: { "ca.crt": "no certificate" } });
  await operator.bucket("photos", { caBundleRef: { kind: "ConfigMap", name: "ca", key: "ca.crt" } });
  await operator.bucket("videos", { caBundleRef: { kind: "Secret", name: "tls", key: "tls.key" } });
  await operator.bucket("music", { caBundleRef: { kind: "ConfigMap", name: "absent", key: "ca.crt" } });
  await operator.bucket("texts", { caBundleRef: { kind: "ConfigMap", name: "hidden", key: "ca.crt" } });
  await operator.advance("0s");
  const shown = ["photos", "videos", "music", "texts"].map((name) => {
    const { status, reason, message } = operator.conditionOf(name);
    return [status, reason, message];
  });
  assert.deepEqual(shown, [
    ["Unknown", "InvalidCABundle", "ConfigMap ca, key ca.crt does not hold PEM certificates alone"],
    ["Unknown", "InvalidCABundle", "Secret tls, key tls.key: of a Secret only the key ca.crt is read"],
    ["Unknown", "InvalidCABundle", "ConfigMap absent, key ca.crt does not exist"],
    [
      "Unknown",
      "InvalidCABundle",
      "ConfigMap hidden, key ca.crt cannot be read: the operator has no permission to get ConfigMaps in namespace default",
    ],
  ]);
  assert.deepEqual(operator.askedAt, []);
});

test("operator says of a spec that cannot be asked what is wrong with it", async () => {
  await using operator = await startVirtualOperator();
  const cases = [
    [{ endpoint: "https://minio.example.com:99999" }, "the endpoint is no URL"],
    [{ endpoint: "https://[::1::]" }, "the endpoint is no URL"],
    [
      { endpoint: "https://203.0.113.7", addressing: "VirtualHost" },
      "an endpoint that is an address cannot be asked by virtual host; set addressing to Path",
    ],
  ] as const;
  for (const [index, [s3, message]] of cases.entries()) {
    await operator.bucket(`bucket-${index}`, { s3 });
    await operator.advance("0s");
    const { status, reason, message: shown } = operator.conditionOf(`bucket-${index}`);
    assert.deepEqual([status, reason, shown], ["Unknown", "InvalidSpec", message]);
  }
  assert.deepEqual(operator.askedAt, []);
});

test("operator lets no text of a Secret into logs, Events, status or metrics, whatever the service and the network say", async () => {
  await using operator = await startVirtualOperator();
  const canaries = { accessKeyId: "AKCANARY", secretAccessKey: "canary-secret", sessionToken: "canary-token" };
  await operator.secret("keys", { ...canaries, allowedEndpoints: "minio.example.com" });
  await operator.secret("garbled", { ...canaries, secretAccessKey: "canary\u0000secret" });
  const echo = ({ headers }: RecordedRequest): ScriptedAnswer => ({
    status: 403,
    headers: { "x-amz-request-id": "1", server: JSON.stringify(headers), "x-amz-bucket-region": "canary-secret " },
    body: `<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKCANARY</AWSAccessKeyId><StringToSign>${JSON.stringify(headers)}</StringToSign></Error>`,
  });
  const failing = ({ headers }: RecordedRequest): ScriptedAnswer => ({
    error: new TransportError(`Cannot send ${JSON.stringify(headers)}`, { phase: "response", sent: true }),
  });
  operator.s3.on({}, {}, echo, failing, { status: 500 }, echo);
  await operator.bucket("photos", { secret: "keys" });
  await operator.bucket("videos", { secret: "garbled" });
  await operator.advance("10m");
  operator.run.transport.faults.add({ kind: "status", matcher: { method: "PATCH" }, status: 500, body: "broken" });
  await operator.secret("keys", {
    ...canaries,
    secretAccessKey: "canary-secret-2",
    allowedEndpoints: "minio.example.com",
  });
  await operator.advance("10m");

  assert.ok(operator.s3.requests.some((request) => authorizationOf(request).includes("AKCANARY")));
  assert.ok(operator.log.length > 10);
  const { body } = await operator.run.metrics.expose();
  const written = operator.writes.map(({ path, body: sent }) => JSON.stringify([path, sent]));
  for (const text of [...operator.log, ...written, body]) assert.doesNotMatch(text, /canary/i);
});
