import assert from "node:assert/strict";
import { test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { createCertificateAuthority } from "@farwatch/testing";
import { createHttpTransport, systemClock } from "farwatch";
import { createEndpointPolicy, parseAllowedEndpoint } from "../endpoint/endpoint-policy.ts";
import { createS3Probe, type S3ProbeRequest } from "../probe/s3-probe.ts";
import { startConnectProxy, startHttpServer, startHungServer } from "./loopback.fixture.ts";
import { startVirtualOperator } from "./virtual-operator.fixture.ts";

const openLoopback = createEndpointPolicy([parseAllowedEndpoint("*=127.0.0.0/8") ?? assert.fail()]).forNamespace(
  "default",
);

function requestTo(endpoint: string, timeoutMs: number): S3ProbeRequest {
  const spec = { bucket: "photos", endpoint, addressing: "Auto" } as const;
  return { spec, secret: undefined, ca: undefined, connectPolicy: openLoopback, timeoutMs };
}

// B10
test("probes of an endpoint that never answers end at their deadline, waiting for a socket included, and free every socket", async () => {
  await using hung = await startHungServer();
  await using good = await startHttpServer();
  await using transport = createHttpTransport({ maxConnections: 2 });
  const probe = createS3Probe({ transport, clock: systemClock, env: {} });
  const { signal } = new AbortController();
  const stuck = Array.from({ length: 6 }, () => probe(requestTo(`http://127.0.0.1:${hung.port}`, 200), signal));
  const healthy = await probe(requestTo(`http://127.0.0.1:${good.port}`, 30_000), signal);
  assert.equal(healthy.reason, "Available");
  for (const { reason, durationMs } of await Promise.all(stuck)) {
    assert.equal(reason, "Timeout");
    assert.ok(durationMs >= 200);
  }
  await hung.idle();
  assert.equal(transport.inFlight, 0);
});

// B10
test("operator keeps a good bucket on schedule beside sixty that hang", async () => {
  await using operator = await startVirtualOperator({ namespaceConcurrency: 64 });
  operator.s3.on({}, { silent: true });
  operator.s3.on({ path: "/good" }, { after: "10ms" });
  const probe = { periodSeconds: 30, timeoutSeconds: 10 };
  const names = Array.from({ length: 60 }, (_, index) => `hung-${index}`);
  for (const name of names) await operator.bucket(name, { s3: { bucket: name }, probe });
  await operator.bucket("good", { s3: { bucket: "good" }, probe });
  await operator.advance("5m");
  for (const name of names) {
    const { reason, durationMilliseconds } = operator.statusOf(name).lastProbe ?? {};
    assert.deepEqual([reason, durationMilliseconds], ["Timeout", 10_000]);
  }
  const asked = operator.s3.requests.filter(({ path }) => path === "/good").map(({ at }) => at);
  assert.equal(asked.length, 11);
  for (const [index, at] of asked.entries()) if (index > 1) assert.equal(at - (asked[index - 1] ?? 0), 30_000);
});

// B58
test("operator sends AWS through the proxy and a service of NO_PROXY directly, and a private CA holds for its bucket alone", async () => {
  const publicCa = await createCertificateAuthority("a public authority");
  const privateCa = await createCertificateAuthority("a private authority");
  setDefaultCACertificates([publicCa.cert]);
  const certificateFor = (host: string) => ({ commonName: host, hosts: [host], usage: "server" }) as const;
  await using aws = await startHttpServer({
    tls: await publicCa.issue(certificateFor("photos.s3.eu-west-1.amazonaws.com")),
  });
  await using minio = await startHttpServer({ tls: await privateCa.issue(certificateFor("minio.store.svc")) });
  await using proxy = await startConnectProxy(aws.port);
  await using operator = await startVirtualOperator({
    env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: ".svc" },
    allow: [`default=minio.store.svc:${minio.port}`],
    transport: (clock) => createHttpTransport({ clock, lookup: async () => ["127.0.0.1"] }),
  });
  await operator.secret(
    "ca",
    { "ca.crt": privateCa.cert, "tls.crt": "not read", "tls.key": "not read" },
    "kubernetes.io/tls",
  );
  const caBundleRef = { kind: "Secret", name: "ca", key: "ca.crt" } as const;
  const s3 = { endpoint: `https://minio.store.svc:${minio.port}` };
  const awsS3 = { endpoint: undefined, region: "eu-west-1" };
  await operator.bucket("aws", { s3: awsS3 });
  await operator.bucket("private-ca", { s3, caBundleRef });
  await operator.bucket("no-ca", { s3 });
  await operator.bucket("aws-with-private-ca", { s3: awsS3, caBundleRef });
  await operator.advance("0s");

  const reasonOf = (name: string): string => operator.conditionOf(name).reason;
  assert.deepEqual(["aws", "private-ca", "no-ca", "aws-with-private-ca"].map(reasonOf), [
    "Available",
    "Available",
    "TLSFailure",
    "TLSFailure",
  ]);
  assert.deepEqual([...new Set(proxy.tunnels)], ["photos.s3.eu-west-1.amazonaws.com:443"]);
  assert.deepEqual(aws.requests, ["HEAD photos.s3.eu-west-1.amazonaws.com /"]);
  assert.deepEqual(minio.requests, [`HEAD minio.store.svc:${minio.port} /photos`]);
});

test("operator asks its policy about the address that it connects to, each time", async () => {
  const answers = [["127.0.0.1"], ["169.254.169.254"], ["10.1.2.3"], ["127.0.0.1"]];
  const looked: string[] = [];
  await using server = await startHttpServer({
    answer: (_request, response) => response.setHeader("connection", "close").end(),
  });
  await using operator = await startVirtualOperator({
    allow: ["default=127.0.0.0/8"],
    transport: (clock) =>
      createHttpTransport({
        clock,
        lookup: async (host) => {
          looked.push(host);
          return answers[looked.length - 1] ?? [];
        },
      }),
  });
  const shown: (readonly string[])[] = [];
  for (let probe = 0; probe < answers.length; probe += 1) {
    // A changed spec is probed at once.
    await operator.bucket("photos", {
      s3: { endpoint: `http://bucket.example:${server.port}` },
      probe: { periodSeconds: 61 + probe },
    });
    await operator.advance("0s");
    const { status, reason, message } = operator.conditionOf("photos");
    shown.push([status, reason, message]);
  }
  const available = ["True", "Available", "the bucket answered the probe"];
  assert.deepEqual(shown, [
    available,
    [
      "Unknown",
      "EndpointNotAllowed",
      "Cannot connect to bucket.example: its address is link-local or a metadata service's, which is never allowed",
    ],
    [
      "Unknown",
      "EndpointNotAllowed",
      "Cannot connect to bucket.example: its address is private, and no --allow-endpoint of the operator opens it for namespace default",
    ],
    available,
  ]);
  assert.equal(server.requests.length, 2);
  assert.equal(looked.length, 4);
});

test("operator opens a private endpoint to the namespace and the host that --allow-endpoint names, and metadata to nobody", async () => {
  await using server = await startHttpServer();
  await using operator = await startVirtualOperator({
    allow: [
      `default=minio.store.svc:${server.port}`,
      "other=127.0.0.0/8",
      "*=169.254.0.0/16",
      "default=metadata.example",
    ],
    transport: (clock) =>
      createHttpTransport({
        clock,
        lookup: async (host) => [host === "metadata.example" ? "169.254.169.254" : "127.0.0.1"],
      }),
  });
  const endpoints = [
    [`http://minio.store.svc:${server.port}`, "Available"],
    [`http://other.store.svc:${server.port}`, "EndpointNotAllowed"],
    [`http://127.0.0.1:${server.port}`, "EndpointNotAllowed"],
    ["http://169.254.169.254", "EndpointNotAllowed"],
    ["http://169.254.170.23", "EndpointNotAllowed"],
    ["http://[fd00:ec2::254]", "EndpointNotAllowed"],
    ["http://[::ffff:169.254.169.254]", "EndpointNotAllowed"],
    ["http://metadata.example", "EndpointNotAllowed"],
    ["http://0x7f.1", "EndpointNotAllowed"],
  ] as const;
  for (const [index, [endpoint]] of endpoints.entries()) await operator.bucket(`bucket-${index}`, { s3: { endpoint } });
  await operator.advance("0s");
  const found = endpoints.map(([endpoint], index) => [endpoint, operator.conditionOf(`bucket-${index}`).reason]);
  assert.deepEqual(
    found,
    endpoints.map((each) => [...each]),
  );
});

test("operator makes a finding of headers without end, and of an answer that is not HTTP", async () => {
  await using endless = await startHttpServer({
    answer: (_request, response) => response.setHeader("x-filler", "x".repeat(40_000)).end(),
  });
  await using garbage = await startHttpServer();
  await using operator = await startVirtualOperator({
    allow: ["default=127.0.0.0/8"],
    transport: (clock) => createHttpTransport({ clock }),
  });
  await operator.bucket("endless", { s3: { endpoint: `http://127.0.0.1:${endless.port}` } });
  await operator.bucket("tls-to-http", { s3: { endpoint: `https://127.0.0.1:${garbage.port}` } });
  await operator.advance("0s");
  const shown = ["endless", "tls-to-http"].map((name) => [
    operator.conditionOf(name).reason,
    operator.conditionOf(name).message,
  ]);
  assert.deepEqual(shown, [
    ["UnexpectedResponse", `127.0.0.1:${endless.port} answers with something that is not HTTP, or beyond its limits`],
    [
      "TLSFailure",
      `TLS with 127.0.0.1:${garbage.port} failed: it does not seem to speak TLS; an http endpoint begins with http://`,
    ],
  ]);
});
