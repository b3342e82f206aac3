import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Sha256 } from "@aws-crypto/sha256-js";
import { createCertificateAuthority } from "@farwatch/apiserver/access";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import {
  createHttpTransport,
  instantOf,
  isCodedError,
  parseHttpDate,
  systemClock,
  type Transport,
  type TransportError,
} from "farwatch";
import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import type { StoreFault } from "../store/store-fault.ts";
import type { S3StoreOptions, S3User } from "./s3-options.ts";
import { createS3Store, type S3Store } from "./s3-store.ts";

const owner: S3User = { accessKeyId: "owner", secretAccessKey: "owner-secret" };
const http = createHttpTransport();
after(() => http[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Stage {
  readonly clock: VirtualClock;
  readonly store: S3Store;
  ask(url: string, options?: AskOptions): Promise<Answer>;
}

interface AskOptions {
  readonly method?: string;
  readonly region?: string;
  readonly user?: S3User;
  readonly signal?: AbortSignal;
  readonly body?: string;
}

function stage(options: Partial<S3StoreOptions> = {}): Stage {
  const clock = createVirtualClock();
  const store = createS3Store({ clock, users: [owner], buckets: { photos: { owner: "owner" } }, ...options });
  return { clock, store, ask: (url, asked) => ask(store.transport, clock, url, asked) };
}

async function ask(
  transport: Transport,
  clock: Pick<VirtualClock, "now">,
  url: string,
  { method = "HEAD", region = "us-east-1", user = owner, signal, body }: AskOptions = {},
): Promise<Answer> {
  const { host, hostname, protocol, pathname: path, searchParams } = new URL(url);
  const signer = new SignatureV4({ service: "s3", region, credentials: user, sha256: Sha256, uriEscapePath: false });
  const signed = await signer.sign(
    new HttpRequest({
      ...{ method, protocol, hostname, path, query: Object.fromEntries(searchParams), headers: { host } },
      ...(body === undefined ? {} : { body }),
    }),
    { signingDate: clock.now() },
  );
  const response = await transport.request({
    method,
    url,
    headers: signed.headers,
    body,
    signal,
    protocol: "http/1.1",
  });
  let text = "";
  for await (const part of response.body) text += Buffer.from(part).toString("utf8");
  return { status: response.status, headers: response.headers, text, code: /<Code>(\w+)/.exec(text)?.[1] };
}

test("S3 store sends whoever asks another region's endpoint to the bucket's own", async () => {
  const { ask } = stage({ buckets: { photos: { owner: "owner", region: "eu-central-1" } } });
  const regional = "https://s3.us-east-1.amazonaws.com/photos";
  const head = await ask(regional);
  assert.deepEqual([head.status, head.headers["x-amz-bucket-region"], head.text], [301, "eu-central-1", ""]);
  const get = await ask(regional, { method: "GET" });
  assert.deepEqual([get.status, get.code], [301, "PermanentRedirect"]);
  assert.match(get.text, /<Endpoint>s3\.eu-central-1\.amazonaws\.com<\/Endpoint><Bucket>photos<\/Bucket>/);
  assert.equal((await ask("https://s3.eu-central-1.amazonaws.com/photos", { region: "eu-central-1" })).status, 200);
});

test("S3 store takes a bucket's virtual host without a region for its own region's, and tells which that is", async () => {
  const { ask } = stage({ buckets: { photos: { owner: "owner", region: "eu-central-1" } } });
  const global = "https://photos.s3.amazonaws.com/";
  const head = await ask(global);
  assert.deepEqual([head.status, head.headers["x-amz-bucket-region"]], [400, "eu-central-1"]);
  const get = await ask(global, { method: "GET" });
  assert.deepEqual([get.status, get.code], [400, "AuthorizationHeaderMalformed"]);
  assert.match(get.text, /<Region>eu-central-1<\/Region>/);
  assert.equal((await ask(global, { region: "eu-central-1" })).status, 200);
});

test("S3 store of a region other than the first names it as a bucket's location", async () => {
  const { ask } = stage({ region: "eu-west-1" });
  const { text } = await ask("http://s3.test/photos?location=", { method: "GET", region: "eu-west-1" });
  assert.match(text, /<LocationConstraint xmlns="[^"]+">eu-west-1<\/LocationConstraint>$/);
});

test("S3 store checks session tokens, and until when they are good", async () => {
  const clock = createVirtualClock();
  const user: S3User = {
    ...owner,
    sessionToken: "token",
    expiresAt: instantOf(clock.now().getTime() + 3_600_000),
  };
  const store = createS3Store({ clock, users: [user], buckets: { photos: { owner: "owner" } } });
  const get = (as: S3User) => ask(store.transport, clock, "http://s3.test/photos", { method: "GET", user: as });
  assert.equal((await get(user)).status, 200);
  for (const other of [owner, { ...user, sessionToken: "other" }]) {
    const { status, code } = await get(other);
    assert.deepEqual([status, code], [400, "InvalidToken"]);
  }
  await clock.advance("1h");
  const { status, code } = await get(user);
  assert.deepEqual([status, code], [400, "ExpiredToken"]);
});

test("S3 store heeds a rotated secret, a user that is gone and a bucket that comes and goes, from the next request on", async () => {
  const { store, ask } = stage();
  const outcome = async (user: S3User, bucket = "photos"): Promise<readonly unknown[]> => {
    const { status, code } = await ask(`http://s3.test/${bucket}`, { method: "GET", user });
    return [status, code];
  };
  const rotated = { ...owner, secretAccessKey: "new" };
  store.putUser(rotated);
  assert.deepEqual(await outcome(owner), [403, "SignatureDoesNotMatch"]);
  assert.deepEqual(await outcome(rotated), [200, undefined]);
  store.putBucket("more", { grants: { owner: ["list"] } });
  assert.deepEqual(await outcome(rotated, "more"), [200, undefined]);
  store.removeBucket("more");
  assert.deepEqual(await outcome(rotated, "more"), [404, "NoSuchBucket"]);
  store.removeUser("owner");
  assert.deepEqual(await outcome(rotated), [403, "InvalidAccessKeyId"]);
  assert.throws(() => store.putBucket("No_Name"), { code: "InvalidOption" });
  assert.throws(() => store.objectsOf("more"), { code: "NotFound" });
});

test("S3 store lets everybody do what a bucket allows anonymously", async () => {
  const { store } = stage({ buckets: { open: { anonymous: ["list", "read"], objects: { hello: "world" } } } });
  const get = async (path: string, method = "GET"): Promise<number> =>
    (await store.transport.request({ method, url: `http://s3.test${path}` })).status;
  assert.deepEqual([await get("/open"), await get("/open/hello"), await get("/open/x", "PUT")], [200, 200, 403]);
});

test("S3 store gives a long list page by page, each key and prefix once and in order", async () => {
  const keys = Array.from({ length: 23 }, (_, index) => `${"abc"[index % 3]}/${index}`);
  const { store, ask } = stage();
  for (const key of [...keys, "d", "é", "\u{1f600}", "\uff5e"]) store.putObject("photos", key, key);
  const walk = async (more: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let token = ""; ; ) {
      const { text } = await ask(`http://s3.test/photos?list-type=2&max-keys=2${more}${token}`, { method: "GET" });
      found.push(...[...text.matchAll(/<(?:Key|Prefix)>([^<]+)</g)].map(([, key = ""]) => key));
      const next = /<NextContinuationToken>([^<]+)</.exec(text)?.[1];
      assert.equal(/<IsTruncated>true</.test(text), next !== undefined);
      if (next === undefined) return found;
      token = `&continuation-token=${encodeURIComponent(next)}`;
    }
  };
  // By bytes of UTF-8, in which an emoji comes after U+FF5E; not by code units.
  assert.deepEqual(await walk(""), [...[...keys].sort(), "d", "é", "\uff5e", "\u{1f600}"]);
  // A page names its keys before its prefixes.
  assert.deepEqual((await walk("&delimiter=%2F")).toSorted(), ["a/", "b/", "c/", "d", "é", "\u{1f600}", "\uff5e"]);
});

test("S3 store answers 501 to what it does not know, and never with a success", async () => {
  const { ask } = stage();
  for (const [method, path] of [
    ["GET", "/photos?acl="],
    ["PUT", "/photos?versioning="],
    ["POST", "/photos/a?uploads="],
    ["PUT", "/photos/a?partNumber=1&uploadId=2"],
    ["POST", "/photos?delete="],
  ] as const) {
    const { status, code } = await ask(`http://s3.test${path}`, { method });
    assert.deepEqual([path, status, code], [path, 501, "NotImplemented"]);
  }
});

test("S3 store records what it was asked, by whom and with what outcome", async () => {
  const { clock, store, ask } = stage();
  await ask("http://s3.test/photos");
  await clock.advance("30s");
  store.faults.add({ kind: "refused", times: 1 });
  await assert.rejects(ask("http://s3.test/photos?list-type=2", { method: "GET" }));
  await ask("http://s3.test/missing/a/b", { method: "GET" });
  assert.deepEqual(
    store.requests.map(({ at, operation, bucket, key, user, fault, status, code }) => ({
      ...{ at, operation, bucket, key, user, fault, status, code },
    })),
    [
      {
        ...{ at: 0, operation: "HeadBucket", bucket: "photos", key: undefined, user: "owner" },
        ...{ fault: undefined, status: 200, code: undefined },
      },
      {
        ...{ at: 30_000, operation: "ListObjectsV2", bucket: "photos", key: undefined, user: "owner" },
        ...{ fault: "refused", status: undefined, code: undefined },
      },
      {
        ...{ at: 30_000, operation: "GetObject", bucket: "missing", key: "a/b", user: "owner" },
        ...{ fault: undefined, status: 404, code: "NoSuchBucket" },
      },
    ],
  );
});

const serviceFaults: readonly (readonly [StoreFault, number, string])[] = [
  [{ kind: "throttled", retryAfter: 3 }, 503, "SlowDown"],
  [{ kind: "serverError" }, 500, "InternalError"],
  [{ kind: "accessDenied" }, 403, "AccessDenied"],
  [{ kind: "bucketDeleted" }, 404, "NoSuchBucket"],
  [{ kind: "clockSkew" }, 403, "RequestTimeTooSkewed"],
];

test("S3 store plays faults of the service in its own words", async () => {
  for (const [fault, status, code] of serviceFaults) {
    const { clock, store, ask } = stage();
    const struck = store.faults.add({ ...fault, matcher: { bucket: "photos", operation: "ListObjects" } });
    assert.equal((await ask("http://s3.test/photos")).status, 200);
    const answer = await ask("http://s3.test/photos", { method: "GET" });
    assert.deepEqual([answer.status, answer.code, struck.hits], [status, code, 1]);
    if (fault.kind === "throttled") assert.equal(answer.headers["retry-after"], "3");
    const aheadMs = (parseHttpDate(answer.headers.date ?? "")?.getTime() ?? 0) - clock.now().getTime();
    assert.equal(aheadMs, fault.kind === "clockSkew" ? 20 * 60_000 : 0);
  }
});

test("S3 store whose clock is a little ahead takes signatures all the same", async () => {
  const { store, ask } = stage();
  store.faults.add({ kind: "clockSkew", by: "14m" });
  assert.equal((await ask("http://s3.test/photos")).status, 200);
});

test("S3 store asks connect policies about its address, and shows its certificate to https", async () => {
  const certificate = { subject: "CN=s3", issuer: "CN=ca", notBefore: 0, notAfter: 1, fingerprint256: "00" };
  const { store } = stage({ address: "203.0.113.7", certificate });
  const asked: unknown[] = [];
  for (const url of ["https://s3.test/photos", "http://127.0.0.1:9000/photos"]) {
    const { peerCertificate } = await store.transport.request({
      ...{ method: "GET", url },
      connectPolicy: (address) => asked.push(address),
    });
    assert.equal(peerCertificate, url.startsWith("https:") ? certificate : undefined);
  }
  assert.deepEqual(asked, [
    { ip: "203.0.113.7", port: 443, host: "s3.test", proxy: false },
    { ip: "127.0.0.1", port: 9000, host: "127.0.0.1", proxy: false },
  ]);
});

test("S3 store is silent until the client gives up, in virtual time", async () => {
  const { clock, store, ask } = stage();
  store.faults.add({ kind: "silent" });
  using deadline = clock.timeout("5s");
  const asked = ask("http://s3.test/photos", { signal: deadline });
  asked.catch(() => {});
  await clock.advance("4999ms");
  assert.equal(store.transport.inFlight, 1);
  await clock.advance("1ms");
  await assert.rejects(asked, { code: "Timeout" });
  assert.equal(store.transport.inFlight, 0);
});

test("S3 store on a socket does to connections what its Transport door says, in the same words", async () => {
  const faults: readonly StoreFault[] = [
    { kind: "refused" },
    { kind: "reset" },
    { kind: "lostResponse" },
    { kind: "cut", afterBytes: 100 },
    { kind: "slow", by: 20 },
    { kind: "status", status: 502, body: "<html>", headers: { "content-type": "text/html" } },
    ...serviceFaults.map(([fault]) => fault),
  ];
  await using store = createS3Store({ users: [owner], buckets: { photos: { owner: "owner" } } });
  await using server = await store.listen();
  const outcome = async (transport: Transport): Promise<readonly unknown[]> => {
    try {
      const { status, code } = await ask(transport, systemClock, `${server.url}/photos`, { method: "GET" });
      return [status, code];
    } catch (error) {
      assert.ok(isCodedError(error, "ConnectionFailed"), String(error));
      const { phase, systemCode, sent } = error as TransportError;
      return [phase, systemCode, sent];
    }
  };
  for (const fault of faults) {
    using _ = store.faults.add(fault);
    await server.ready();
    assert.deepEqual(await outcome(http), await outcome(store.transport), fault.kind);
  }
  await server.ready();
  assert.deepEqual(await outcome(http), [200, undefined]);
});

test("S3 store on a socket leaves a silent request open until its client goes", async () => {
  await using store = createS3Store({ users: [owner], buckets: { photos: { owner: "owner" } } });
  await using server = await store.listen();
  store.faults.add({ kind: "silent" });
  const stop = new AbortController();
  const asked = http.request({ method: "GET", url: `${server.url}/photos`, signal: stop.signal });
  asked.catch(() => {});
  while (store.transport.inFlight === 0) await systemClock.sleep(1);
  stop.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  while (store.transport.inFlight > 0) await systemClock.sleep(1);
});

test("S3 store on a socket serves https with a given certificate", async () => {
  const authority = await createCertificateAuthority();
  const tls = await authority.issue({ commonName: "s3", hosts: ["127.0.0.1"], usage: "server" });
  await using store = createS3Store({ users: [owner], buckets: { photos: { anonymous: ["list"] } } });
  await using server = await store.listen({ tls });
  const url = `${server.url}/photos`;
  const { status } = await http.request({ method: "HEAD", url, tls: { ca: authority.cert } });
  assert.deepEqual([status, url.startsWith("https:"), store.requests[0]?.url], [200, true, url]);
  await assert.rejects(http.request({ method: "HEAD", url }), { code: "ConnectionFailed", phase: "tls" });
  await assert.rejects(store.listen({ port: server.port }), { code: "ServerUnavailable" });
});
