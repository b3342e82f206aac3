import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { before, test } from "node:test";
import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import type { StoreFault } from "../store/store-fault.ts";
import type { GcsBucketOptions } from "./gcs-options.ts";
import { createGcsServiceAccount, type GcsServiceAccount } from "./gcs-service-account.ts";
import { createGcsStore, type GcsStore } from "./gcs-store.ts";

const email = "probe@project.iam.gserviceaccount.com";
const tokenUri = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/devstorage.read_only";
const bucketUrl = "https://storage.googleapis.com/storage/v1/b/photos";

let probe: GcsServiceAccount;
let other: GcsServiceAccount;
before(async () => {
  [probe, other] = await Promise.all([
    createGcsServiceAccount(email),
    createGcsServiceAccount("other@p.iam.gserviceaccount.com"),
  ]);
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string | undefined;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Stage {
  readonly clock: VirtualClock;
  readonly store: GcsStore;
  get(url: string, token?: string): Promise<Answer>;
  exchange(change?: Claims): Promise<Answer>;
}

interface Claims {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly by?: GcsServiceAccount;
  readonly form?: Readonly<Record<string, string>>;
}

function stage(bucket: GcsBucketOptions = { grants: { [email]: ["buckets.get", "objects.list"] } }): Stage {
  const clock = createVirtualClock();
  const store = createGcsStore({ clock, accounts: [probe.account], buckets: { photos: bucket } });
  const send = async (method: string, url: string, headers: Record<string, string>, body?: string): Promise<Answer> => {
    const response = await store.transport.request({ method, url, headers, body });
    let text = "";
    for await (const part of response.body) text += Buffer.from(part).toString("utf8");
    const json = JSON.parse(text) as { readonly error?: unknown };
    const { errors } = (typeof json.error === "object" ? json.error : {}) as {
      readonly errors?: readonly { readonly reason: string }[];
    };
    return { status: response.status, headers: response.headers, reason: errors?.[0]?.reason, json };
  };
  return {
    clock,
    store,
    get: (url, token) => send("GET", url, token === undefined ? {} : { authorization: `Bearer ${token}` }),
    exchange({ claims, header, by = probe, form } = {}): Promise<Answer> {
      const nowSeconds = Math.floor(clock.now().getTime() / 1_000);
      const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
      const head = encode({ alg: "RS256", typ: "JWT", kid: probe.key.private_key_id, ...header });
      const body = encode({ iss: email, scope, aud: tokenUri, iat: nowSeconds, exp: nowSeconds + 3_600, ...claims });
      const signature = sign("RSA-SHA256", Buffer.from(`${head}.${body}`), by.key.private_key).toString("base64url");
      const fields = {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: `${head}.${body}.${signature}`,
        ...form,
      };
      const type = { "content-type": "application/x-www-form-urlencoded" };
      return send("POST", tokenUri, type, new URLSearchParams(fields).toString());
    },
  };
}

test("GCS store gives a token for a service account's assertion, which opens what is granted for an hour", async () => {
  const { clock, get, exchange } = stage();
  const { status, json } = await exchange();
  assert.deepEqual([status, json.token_type, json.expires_in], [200, "Bearer", 3_599]);
  const token = String(json.access_token);
  assert.equal((await get(bucketUrl, token)).status, 200);
  assert.equal((await get(`${bucketUrl}/o?maxResults=1`, token)).status, 200);
  const refused = await get(`${bucketUrl}/o/secret`, token);
  assert.deepEqual([refused.status, refused.reason], [403, "forbidden"]);
  await clock.advance("1h");
  const late = await get(bucketUrl, token);
  assert.deepEqual([late.status, late.reason], [401, "authError"]);
});

test("GCS store refuses assertions that are wrong in any part, as Google does", async () => {
  const hour = 3_600;
  const cases: readonly (readonly [string, (nowSeconds: number) => Claims, string, RegExp])[] = [
    ["key of somebody else", () => ({ by: other }), "invalid_grant", /^Invalid JWT Signature\.$/],
    ["key that Google does not know", () => ({ header: { kid: "x" } }), "invalid_grant", /^Invalid JWT Signature\.$/],
    ["another algorithm", () => ({ header: { alg: "none" } }), "invalid_grant", /^Invalid JWT Signature\.$/],
    ["unknown account", () => ({ claims: { iss: "nobody@x" } }), "invalid_grant", /account not found$/],
    ["another audience", () => ({ claims: { aud: "https://example.com" } }), "invalid_grant", /audience/],
    [
      "clock 10 minutes ahead",
      (now) => ({ claims: { iat: now + 600, exp: now + 600 + hour } }),
      "invalid_grant",
      /reasonable timeframe/,
    ],
    [
      "clock two hours behind",
      (now) => ({ claims: { iat: now - 2 * hour, exp: now - hour } }),
      "invalid_grant",
      /reasonable timeframe/,
    ],
    ["two hours", (now) => ({ claims: { exp: now + 2 * hour } }), "invalid_grant", /reasonable timeframe/],
    ["no times", () => ({ claims: { iat: undefined, exp: undefined } }), "invalid_grant", /reasonable timeframe/],
    ["no scope", () => ({ claims: { scope: "" } }), "invalid_scope", /scope/],
    ["another grant", () => ({ form: { grant_type: "password" } }), "unsupported_grant_type", /password/],
    ["no JWT", () => ({ form: { assertion: "a.b.c" } }), "invalid_grant", /^Invalid JWT/],
  ];
  for (const [name, change, error, description] of cases) {
    const { clock, exchange } = stage();
    const { status, json } = await exchange(change(Math.floor(clock.now().getTime() / 1_000)));
    assert.deepEqual([name, status, json.error], [name, 400, error]);
    assert.match(String(json.error_description), description, name);
  }
});

test("GCS store tells who may not, in Google's words, and whether a token was good at all", async () => {
  const { store, get } = stage({ grants: { [email]: ["objects.list"] } });
  const token = store.issueToken(email);
  const head = await get(bucketUrl, token);
  assert.deepEqual(head.json, {
    error: {
      code: 403,
      message: `${email} does not have storage.buckets.get access to the Google Cloud Storage bucket. Permission 'storage.buckets.get' denied on resource (or it may not exist).`,
      errors: [
        {
          message: `${email} does not have storage.buckets.get access to the Google Cloud Storage bucket. Permission 'storage.buckets.get' denied on resource (or it may not exist).`,
          domain: "global",
          reason: "forbidden",
        },
      ],
    },
  });
  assert.equal((await get(`${bucketUrl}/o?maxResults=1`, token)).status, 200);
  const missing = await get(bucketUrl.replace("photos", "missing"), token);
  assert.deepEqual([missing.status, missing.reason], [404, "notFound"]);

  const anonymous = await get(bucketUrl);
  assert.deepEqual([anonymous.status, anonymous.reason], [401, "required"]);
  assert.equal(anonymous.headers["www-authenticate"], 'Bearer realm="https://accounts.google.com/"');
  const unknown = await get(bucketUrl, "nonsense");
  assert.deepEqual([unknown.status, unknown.reason], [401, "authError"]);
  const narrow = await get(bucketUrl, store.issueToken(email, { scopes: ["https://www.googleapis.com/auth/pubsub"] }));
  assert.deepEqual([narrow.status, narrow.reason], [403, "insufficientPermissions"]);
  store.removeAccount(email);
  assert.equal((await get(bucketUrl, token)).status, 401);
});

test("GCS store lets everybody do what a bucket allows allUsers", async () => {
  const { get } = stage({ allUsers: ["objects.list", "objects.get"], objects: { hello: "world" } });
  assert.equal((await get(`${bucketUrl}/o`)).status, 200);
  assert.equal((await get(`${bucketUrl}/o/hello`)).status, 200);
  assert.equal((await get(bucketUrl)).status, 401);
});

test("GCS store gives a long list page by page", async () => {
  const { store, get } = stage();
  const token = store.issueToken(email);
  const names = ["a/1", "a/2", "b", "c", "d/1"];
  for (const name of names) store.putObject("photos", name, name);
  const found: string[] = [];
  let pages = 0;
  for (let page = ""; ; ) {
    const { json } = await get(`${bucketUrl}/o?maxResults=2${page}`, token);
    found.push(...((json.items ?? []) as readonly { readonly name: string }[]).map(({ name }) => name));
    pages += 1;
    if (json.nextPageToken === undefined) break;
    page = `&pageToken=${encodeURIComponent(String(json.nextPageToken))}`;
  }
  assert.deepEqual([found, pages], [names, 3]);
  assert.equal((await get(`${bucketUrl}/o?pageToken=xyz`, token)).status, 400);
});

test("GCS store plays faults of the service in its own words, and a wrong clock at the token endpoint", async () => {
  const faults: readonly (readonly [StoreFault, number, string])[] = [
    [{ kind: "throttled", retryAfter: 2 }, 429, "rateLimitExceeded"],
    [{ kind: "serverError" }, 503, "backendError"],
    [{ kind: "accessDenied" }, 403, "forbidden"],
    [{ kind: "bucketDeleted" }, 404, "notFound"],
  ];
  for (const [fault, status, reason] of faults) {
    const { store, get } = stage();
    store.faults.add({ ...fault, matcher: { bucket: "photos", operation: "buckets.get", user: email } });
    const token = store.issueToken(email);
    const answer = await get(bucketUrl, token);
    assert.deepEqual([answer.status, answer.reason], [status, reason]);
    if (fault.kind === "throttled") assert.equal(answer.headers["retry-after"], "2");
    assert.equal((await get(`${bucketUrl}/o`, token)).status, 200);
  }
  const { store, exchange } = stage();
  store.faults.add({ kind: "clockSkew", by: "90m", matcher: { operation: "tokens.exchange" } });
  const { status, json } = await exchange();
  assert.deepEqual([status, json.error], [400, "invalid_grant"]);
});
