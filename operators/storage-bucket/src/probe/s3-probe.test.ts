import assert from "node:assert/strict";
import { test } from "node:test";
import { CodedError, TransportError } from "farwatch";
import type { ScriptedAnswer } from "farwatch/doubles";
import fc from "fast-check";
import { reasons } from "../resource/reason.ts";
import { createScriptedProbe, errorDocument, signedRegions } from "./scripted-probe.fixture.ts";

const elsewhere = { "x-amz-bucket-region": "eu-west-1" };

// B05
test("probe calls a bucket in another region than the spec's WrongRegion and names both, whatever form the answer has", async () => {
  for (const status of [301, 307, 400]) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, { status, headers: elsewhere });
    const { reason, message, httpStatus } = await probe({ spec: { endpoint: undefined, region: "us-east-1" } });
    assert.deepEqual([reason, httpStatus], ["WrongRegion", status]);
    assert.equal(message, "bucket photos is in region eu-west-1, the spec says us-east-1");
    assert.deepEqual(signedRegions(s3), ["us-east-1"]);
  }
});

// B05
test("probe reads the region from the error document where no header names it", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on({ method: "HEAD" }, { status: 400 });
  s3.on(
    { method: "GET" },
    { status: 400, body: errorDocument("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>") },
  );
  const { reason, message } = await probe({ spec: { region: "us-east-1" } });
  assert.deepEqual([reason, message], ["WrongRegion", "bucket photos is in region eu-west-1, the spec says us-east-1"]);
});

// B05
test("probe without a region signs for us-east-1 on a custom endpoint, then for the region that the answer names", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on({}, { status: 301, headers: elsewhere });
  const { reason, message } = await probe();
  assert.equal(reason, "WrongRegion");
  assert.equal(
    message,
    "bucket photos is in region eu-west-1, and requests signed for us-east-1 and eu-west-1 are turned away",
  );
  assert.deepEqual(signedRegions(s3).slice(0, 2), ["us-east-1", "eu-west-1"]);
  assert.ok(s3.requests.every(({ url }) => new URL(url).host === "minio.example.com"));
});

test("probe finds the region of a bucket on AWS, goes to the host of that region, and starts there next time", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on({}, ({ url }) =>
    url === "https://photos.s3.eu-west-1.amazonaws.com/" ? {} : { status: 301, headers: elsewhere },
  );
  const first = await probe({ spec: { endpoint: undefined } });
  assert.deepEqual([first.reason, first.region], ["Available", "eu-west-1"]);
  assert.deepEqual(
    s3.requests.map(({ url }) => url),
    ["https://photos.s3.us-east-1.amazonaws.com/", "https://photos.s3.eu-west-1.amazonaws.com/"],
  );
  assert.deepEqual(signedRegions(s3), ["us-east-1", "eu-west-1"]);
  await probe({ spec: { endpoint: undefined }, region: first.region });
  assert.equal(s3.requests.length, 3);
});

test("probe signs anew for a region that only the explaining answer names", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on(
    { method: "GET" },
    { status: 400, body: errorDocument("AuthorizationHeaderMalformed", "<Region>garage</Region>") },
  );
  s3.on({ method: "HEAD" }, { status: 400 }, {});
  const { reason, region } = await probe();
  assert.deepEqual([reason, region], ["Available", "garage"]);
  assert.deepEqual(signedRegions(s3), ["us-east-1", "us-east-1", "garage"]);
});

test("probe goes after a region once, though the service names another one each time", async () => {
  const { s3, probe } = createScriptedProbe();
  const named = (region: string): ScriptedAnswer => ({ status: 301, headers: { "x-amz-bucket-region": region } });
  s3.on({}, named("eu-west-1"), named("us-west-2"), named("eu-west-1"), {});
  const { reason, region } = await probe();
  assert.deepEqual([reason, region], ["WrongRegion", undefined]);
  assert.deepEqual(signedRegions(s3), ["us-east-1", "eu-west-1"]);
});

test("probe asks for the region in one deadline with everything else", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on({}, { status: 301, headers: elsewhere, after: "3s" }, { after: "3s" });
  const { reason, message, durationMs } = await probe();
  assert.deepEqual([reason, durationMs], ["Timeout", 5_000]);
  assert.equal(message, "minio.example.com did not answer within 5000 ms");
});

test("probe takes no region that is no region's name", async () => {
  for (const named of ["eu-west-1.evil.example", "EU", "a/b", `${"a".repeat(33)}`, ""]) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, { status: 301, headers: { "x-amz-bucket-region": named } });
    const { reason } = await probe({ spec: { endpoint: undefined } });
    assert.equal(reason, "UnexpectedResponse");
    assert.deepEqual([...new Set(signedRegions(s3))], ["us-east-1"]);
  }
});

// B06
test("probe tells forbidden, missing and healthy apart, without a body or with one", async () => {
  const cases: readonly (readonly [ScriptedAnswer, ScriptedAnswer, string, string])[] = [
    [
      { status: 403 },
      { status: 403 },
      "AccessDenied",
      "access to bucket photos is denied; on AWS the probe needs s3:ListBucket",
    ],
    [
      { status: 403 },
      { status: 403, body: errorDocument("AccessDenied") },
      "AccessDenied",
      "access to bucket photos is denied; on AWS the probe needs s3:ListBucket",
    ],
    [{ status: 404 }, {}, "BucketNotFound", "bucket photos does not exist"],
    [
      { status: 403 },
      { status: 404, body: errorDocument("NoSuchBucket") },
      "BucketNotFound",
      "bucket photos does not exist",
    ],
    [{}, { status: 403 }, "Available", "the bucket answered the probe"],
    [{ status: 403 }, {}, "AccessDenied", "HEAD on bucket photos is forbidden, though its objects may be listed"],
  ];
  for (const [head, list, reason, message] of cases) {
    const { s3, probe } = createScriptedProbe();
    s3.on({ method: "HEAD" }, head);
    s3.on({ method: "GET" }, list);
    const found = await probe();
    assert.deepEqual([found.reason, found.message, found.httpStatus], [reason, message, head.status ?? 200]);
  }
});

test("probe reads headers that a store and the proxy before it both send as if they came once", async () => {
  const twice = (value: string): string => `${value}, ${value}`;
  const { s3, probe } = createScriptedProbe();
  s3.on(
    {},
    { status: 403, headers: { "x-amz-request-id": twice("REQ1"), date: twice("Tue, 01 Jan 2030 00:05:30 GMT") } },
  );
  const { reason, detail } = await probe();
  assert.deepEqual([reason, detail?.requestId], ["ClockSkew", "REQ1"]);
  s3.on({}, { status: 301, headers: { "x-amz-bucket-region": twice("eu-west-1"), "x-amz-request-id": "REQ1, REQ2" } });
  const moved = await probe({ spec: { region: "us-east-1" } });
  assert.equal(moved.message, "bucket photos is in region eu-west-1, the spec says us-east-1");
  assert.equal(moved.detail?.requestId, "REQ1, REQ2");
});

test("probe explains a bare refusal by one list of one key", async () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [403, "SignatureDoesNotMatch", "InvalidCredentials"],
    [403, "InvalidAccessKeyId", "InvalidCredentials"],
    [400, "ExpiredToken", "InvalidCredentials"],
    [403, "RequestTimeTooSkewed", "ClockSkew"],
    [503, "SlowDown", "Throttled"],
    [503, "ServiceUnavailable", "ServerError"],
    [400, "SomethingNew", "UnexpectedResponse"],
    [403, "SomethingNew", "AccessDenied"],
  ];
  for (const [status, code, reason] of cases) {
    const { s3, probe } = createScriptedProbe();
    s3.on({ method: "HEAD" }, { status });
    s3.on({ method: "GET" }, { status, body: errorDocument(code) });
    const found = await probe();
    assert.equal(found.reason, reason, code);
    assert.equal(found.detail?.code, code);
    const asked = s3.requests.map(({ method, url }) => `${method} ${url}`);
    assert.deepEqual(asked, [
      "HEAD https://minio.example.com/photos",
      "GET https://minio.example.com/photos?list-type=2&max-keys=1",
    ]);
  }
});

test("probe asks nothing more where HEAD says all", async () => {
  for (const status of [200, 401, 404, 429, 500, 502]) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, { status });
    await probe();
    assert.equal(s3.requests.length, 1, String(status));
  }
});

test("probe lets the status of HEAD stand when the explanation does not come", async () => {
  const cut = new TransportError("Cannot read the answer", { phase: "body", sent: true });
  const broken = new CodedError("ProtocolError", "Cannot read the answer: its headers are too large");
  for (const answer of [{ silent: true }, { error: cut }, { error: broken }]) {
    const { s3, probe } = createScriptedProbe();
    s3.on({ method: "HEAD" }, { status: 403, after: "1s" });
    s3.on({ method: "GET" }, answer);
    const { reason, durationMs } = await probe();
    assert.equal(reason, "AccessDenied");
    assert.equal(durationMs, "silent" in answer ? 5_000 : 1_000);
  }
});

test("probe ends at its deadline whichever step hangs, and leaves nothing open", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on({}, { silent: true });
  const { reason, durationMs, httpStatus } = await probe({ timeoutMs: 1_234 });
  assert.deepEqual([reason, durationMs, httpStatus], ["Timeout", 1_234, undefined]);
  assert.equal(s3.open, 0);
});

test("probe ends at its deadline in the middle of a body that trickles in", async () => {
  const { clock, s3, probe } = createScriptedProbe();
  async function* trickle(): AsyncGenerator<string> {
    for (;;) {
      yield " ";
      await clock.sleep("1s");
    }
  }
  s3.on({ method: "HEAD" }, { status: 403 });
  s3.on({ method: "GET" }, { status: 403, body: trickle() });
  const { reason, durationMs } = await probe();
  assert.deepEqual([reason, durationMs], ["AccessDenied", 5_000]);
  assert.equal(s3.open, 0);
});

test("probe rejects with the signal's reason when it is stopped", async () => {
  const { s3, clock } = createScriptedProbe();
  s3.on({}, { silent: true });
  const { createS3Probe } = await import("./s3-probe.ts");
  const stop = new AbortController();
  const probing = createS3Probe({ transport: s3, clock, env: {} })(
    {
      spec: { bucket: "photos", endpoint: "https://minio.example.com", addressing: "Auto" },
      secret: undefined,
      ca: undefined,
      connectPolicy: () => {},
      timeoutMs: 5_000,
    },
    stop.signal,
  );
  const reason = new Error("stopped");
  const rejected = assert.rejects(probing, (error) => error === reason);
  await clock.advance("1s");
  stop.abort(reason);
  await rejected;
  assert.equal(s3.open, 0);
  await clock.settle();
  assert.equal(clock.pendingTimers, 0);
});

test("probe calls a refusal ClockSkew when the service's clock is more than five minutes away", async () => {
  // The virtual clock stands at 2030-01-01T00:00:00Z.
  const cases: readonly (readonly [string, string])[] = [
    ["Tue, 01 Jan 2030 00:05:30 GMT", "ClockSkew"],
    ["Mon, 31 Dec 2029 23:54:30 GMT", "ClockSkew"],
    ["Tue, 01 Jan 2030 00:04:30 GMT", "AccessDenied"],
    ["in five hours", "AccessDenied"],
  ];
  for (const [date, reason] of cases) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, { status: 403, headers: { date } });
    assert.equal((await probe()).reason, reason, date);
  }
  const { s3, probe } = createScriptedProbe();
  s3.on({}, { status: 403, headers: { date: "Tue, 01 Jan 2030 09:00:00 GMT" } });
  const anonymous = await probe({ secret: undefined });
  assert.deepEqual(
    [anonymous.reason, anonymous.message],
    ["AccessDenied", "access to bucket photos is denied to anonymous requests"],
  );
});

test("probe follows no redirect, with credentials or without", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, { status, headers: { location: "https://evil.example/photos" } });
    const { reason, message } = await probe();
    assert.equal(reason, "UnexpectedResponse");
    assert.equal(message, "the endpoint redirects the probe, which does not follow");
    assert.ok(s3.requests.every(({ url }) => url.startsWith("https://minio.example.com/photos")));
  }
});

test("probe takes a web page for no answer of a bucket, whatever its status", async () => {
  for (const status of [200, 301, 403, 404]) {
    const { s3, probe } = createScriptedProbe();
    s3.on(
      {},
      {
        status,
        headers: { "content-type": "text/html; charset=utf-8" },
        body: "<html><Code>NoSuchBucket</Code></html>",
      },
    );
    const { reason, message } = await probe();
    assert.equal(reason, "UnexpectedResponse");
    assert.equal(message, "the endpoint answers with a web page: something other than S3 is there");
  }
  for (const [status, reason] of [
    [502, "ServerError"],
    [429, "Throttled"],
  ] as const) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, { status, headers: { "content-type": "text/html" } });
    assert.equal((await probe()).reason, reason);
  }
});

test("probe says what failed on the way, and that a proxy stood there", async () => {
  const failed = (phase: TransportError["phase"], systemCode?: string): TransportError =>
    new TransportError("Cannot do it", { phase, systemCode, sent: false });
  const cases: readonly (readonly [Error, string, string, string?])[] = [
    [failed("resolve", "ENOTFOUND"), "DNSFailure", "the name of minio.example.com could not be resolved"],
    [failed("connect", "ECONNREFUSED"), "ConnectionRefused", "minio.example.com refused the connection"],
    [failed("connect", "ETIMEDOUT"), "Timeout", "minio.example.com did not accept a connection in time"],
    [failed("connect", "ENETUNREACH"), "ConnectionFailed", "no connection to minio.example.com could be made"],
    [
      failed("tls", "ERR_TLS_CERT_ALTNAME_INVALID"),
      "TLSFailure",
      "TLS with minio.example.com failed: its certificate is for another name",
    ],
    [
      failed("tls", "ERR_SSL_WRONG_VERSION_NUMBER"),
      "TLSFailure",
      "TLS with minio.example.com failed: it does not seem to speak TLS; an http endpoint begins with http://",
    ],
    [failed("tls", "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR"), "TLSFailure", "TLS with minio.example.com failed"],
    [failed("response", "ECONNRESET"), "ConnectionFailed", "minio.example.com closed the connection without an answer"],
    [
      failed("response", "HPE_INVALID_CONSTANT"),
      "UnexpectedResponse",
      "minio.example.com answers with something that is not HTTP, or beyond its limits",
    ],
    [
      new CodedError("ProtocolError", "Cannot read"),
      "UnexpectedResponse",
      "minio.example.com answers with something that is not HTTP, or beyond its limits",
    ],
    [
      failed("connect", "ECONNREFUSED"),
      "ConnectionFailed",
      "the proxy on the way to minio.example.com cannot be reached",
      "proxy.example:3128",
    ],
    [
      failed("resolve", "ENOTFOUND"),
      "ConnectionFailed",
      "the proxy on the way to minio.example.com cannot be reached",
      "proxy.example:3128",
    ],
    [failed("proxy"), "ConnectionFailed", "the proxy did not connect to minio.example.com", "proxy.example:3128"],
  ];
  for (const [error, reason, message, proxy] of cases) {
    const { s3, probe } = createScriptedProbe(proxy === undefined ? {} : { HTTPS_PROXY: proxy });
    s3.on({}, { error });
    const found = await probe();
    assert.deepEqual([found.reason, found.message], [reason, message]);
  }
});

test("probe rejects with a fault of its own rather than blaming the bucket", async () => {
  const { s3, probe } = createScriptedProbe();
  const fault = new TypeError("undefined is no function");
  s3.on({}, { error: fault });
  await assert.rejects(probe(), (error) => error === fault);
});

test("probe puts the bucket where the endpoint and the addressing say", async () => {
  const cases = [
    [{ endpoint: undefined, region: "eu-central-1" }, "https://photos.s3.eu-central-1.amazonaws.com/"],
    [{ endpoint: undefined, region: "cn-north-1" }, "https://photos.s3.cn-north-1.amazonaws.com.cn/"],
    [{ endpoint: undefined, bucket: "photos.example.com" }, "https://s3.us-east-1.amazonaws.com/photos.example.com"],
    [{ endpoint: undefined, addressing: "Path" }, "https://s3.us-east-1.amazonaws.com/photos"],
    [{ endpoint: "http://minio.store.svc:9000/" }, "http://minio.store.svc:9000/photos"],
    [
      { endpoint: "https://minio.example.com:9443", addressing: "VirtualHost" },
      "https://photos.minio.example.com:9443/",
    ],
    [{ endpoint: "http://[2001:db8::1]:9000" }, "http://[2001:db8::1]:9000/photos"],
  ] as const;
  for (const [spec, url] of cases) {
    const { s3, probe } = createScriptedProbe();
    s3.on({}, {});
    assert.equal((await probe({ spec })).reason, "Available");
    assert.deepEqual(
      s3.requests.map((request) => [request.url, request.headers?.host]),
      [[url, new URL(url).host]],
    );
  }
});

test("probe signs as Signature Version 4 says, and anonymous requests not at all", async () => {
  const { s3, probe } = createScriptedProbe();
  s3.on({}, {});
  const sessionToken = "session";
  await probe({
    secret: { credentials: { accessKeyId: "AK", secretAccessKey: "SK", sessionToken }, allows: () => true },
  });
  await probe({ secret: undefined });
  const [signed, anonymous] = s3.requests.map(({ headers }) => headers ?? {});
  assert.match(
    String(signed?.authorization),
    /^AWS4-HMAC-SHA256 Credential=AK\/20300101\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
  assert.equal(signed?.["x-amz-date"], "20300101T000000Z");
  assert.equal(signed?.["x-amz-security-token"], "session");
  assert.deepEqual(anonymous, { host: "minio.example.com" });
});

// B14
test("probe gives one of its reasons and a short plain text, whatever a service answers", async () => {
  const text = fc.oneof(
    fc.constantFrom(
      "",
      "301",
      "Not Found",
      "TimeoutError: aborted",
      "x-ms AuthorizationFailure",
      "x".repeat(40_000),
      "\r\nx-evil: 1",
    ),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
  const answer = fc.record({
    status: fc.oneof(fc.constantFrom(200, 301, 400, 403, 404, 503), fc.integer({ min: 100, max: 999 })),
    headers: fc.dictionary(
      fc.constantFrom("x-amz-bucket-region", "x-amz-request-id", "date", "content-type", "location"),
      text,
    ),
    body: fc.oneof(
      text,
      text.map((code) => errorDocument(code)),
      fc.uint8Array({ maxLength: 200 }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(answer, answer, async (head, list) => {
      const { s3, probe } = createScriptedProbe();
      s3.on({ method: "HEAD" }, { ...head, body: undefined });
      s3.on({ method: "GET" }, list);
      const { reason, message, detail } = await probe();
      assert.ok(reasons.includes(reason));
      assert.match(message, /^[\x20-\x7e]{10,200}$/);
      assert.ok(JSON.stringify(detail).length < 300);
      assert.ok(s3.requests.length <= 4);
    }),
    {
      numRuns: 300,
      examples: [
        [
          { status: 403, headers: {}, body: "" },
          { status: 200, headers: {}, body: errorDocument("valueOf") },
        ],
      ],
    },
  );
});
