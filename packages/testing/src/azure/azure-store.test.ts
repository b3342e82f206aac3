import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import type { StoreFault } from "../store/store-fault.ts";
import type { AzureContainerOptions } from "./azure-options.ts";
import { type AzureStore, createAzureStore } from "./azure-store.ts";

const key = Buffer.from("first key of the account").toString("base64");
const container = "https://acme.blob.core.windows.net/photos";
const properties = `${container}?restype=container`;
const listing = `${properties}&comp=list`;

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Stage {
  readonly clock: VirtualClock;
  readonly store: AzureStore;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

function stage(options: AzureContainerOptions = {}): Stage {
  const clock = createVirtualClock();
  const store = createAzureStore({ clock, accounts: { acme: { keys: [key], containers: { photos: options } } } });
  return {
    clock,
    store,
    async get(url, headers = {}): Promise<Answer> {
      const response = await store.transport.request({ method: "GET", url, headers });
      let text = "";
      for await (const part of response.body) text += Buffer.from(part).toString("utf8");
      return { status: response.status, code: response.headers["x-ms-error-code"], headers: response.headers, text };
    },
  };
}

test("Azure store takes an access token for what its principal was granted, while it is good", async () => {
  const { clock, store, get } = stage({ grants: { probe: ["list"] } });
  const bearer = (token: string): Readonly<Record<string, string>> => ({
    authorization: `Bearer ${token}`,
    "x-ms-version": "2021-12-02",
  });
  const token = bearer(store.issueToken("probe"));
  const outcome = async (url: string, headers = token): Promise<readonly unknown[]> => {
    const { status, code } = await get(url, headers);
    return [status, code];
  };
  assert.deepEqual(await outcome(listing), [200, undefined]);
  assert.deepEqual(await outcome(properties), [403, "AuthorizationPermissionMismatch"]);
  assert.deepEqual(await outcome(listing.replace("photos", "missing")), [404, "ContainerNotFound"]);
  assert.deepEqual(await outcome(listing, bearer(store.issueToken("stranger"))), [
    403,
    "AuthorizationPermissionMismatch",
  ]);
  assert.deepEqual(await outcome(listing, bearer("nonsense")), [401, "InvalidAuthenticationInfo"]);
  // Older versions of the protocol know no tokens.
  assert.deepEqual(await outcome(listing, { ...token, "x-ms-version": "2016-05-31" }), [
    401,
    "InvalidAuthenticationInfo",
  ]);
  await clock.advance("1h");
  const { status, code, headers } = await get(listing, token);
  assert.deepEqual([status, code], [401, "InvalidAuthenticationInfo"]);
  assert.match(headers["www-authenticate"] ?? "", /^Bearer authorization_uri=/);
  assert.deepEqual(store.requests[0]?.user, "probe");
});

test("Azure store takes the SAS that it signs, until it expires or the key is rotated", async () => {
  const { clock, store, get } = stage({ blobs: { hello: "world" } });
  const sas = store.signSas("acme", "photos", { validFor: "10m" });
  const outcome = async (url: string): Promise<readonly unknown[]> => {
    const { status, code } = await get(url);
    return [status, code];
  };
  assert.deepEqual(await outcome(`${listing}&${sas}`), [200, undefined]);
  assert.deepEqual(await outcome(`${properties}&${sas}`), [403, "AuthorizationFailure"]);
  assert.deepEqual(
    await outcome(`${container}/hello?${store.signSas("acme", "photos", { blob: "hello", permissions: "r" })}`),
    [200, undefined],
  );
  await clock.advance("10m");
  const late = await get(`${listing}&${sas}`);
  assert.deepEqual([late.status, late.code], [403, "AuthenticationFailed"]);
  assert.match(
    late.text,
    /<AuthenticationErrorDetail>Signature not valid in the specified time frame: Start \[\] - Expiry \[2030-01-01T00:10:00Z\]/,
  );
  const fresh = store.signSas("acme", "photos");
  const rotated = Buffer.from("second key").toString("base64");
  store.putAccount("acme", { keys: [rotated], containers: { photos: {} } });
  assert.deepEqual(await outcome(`${listing}&${fresh}`), [403, "AuthenticationFailed"]);
});

test("Azure store knows accounts by host and by path, and no others", async () => {
  const { get } = stage({ publicAccess: "container" });
  assert.equal((await get(listing)).status, 200);
  assert.equal((await get("http://127.0.0.1:10000/acme/photos?restype=container&comp=list")).status, 200);
  const { status, code } = await get("http://127.0.0.1:10000/other/photos?restype=container");
  assert.deepEqual([status, code], [404, "ResourceNotFound"]);
});

test("Azure store gives a long list page by page", async () => {
  const { store, get } = stage({ publicAccess: "container" });
  const names = ["a/1", "a/2", "b", "c", "d/1"];
  for (const name of names) store.putBlob("acme", "photos", name, name);
  const found: string[] = [];
  for (let marker = ""; ; ) {
    const { text } = await get(`${listing}&maxresults=2&delimiter=%2F${marker}`);
    found.push(...[...text.matchAll(/<Name>([^<]+)</g)].map(([, name = ""]) => name));
    const next = /<NextMarker>([^<]+)</.exec(text)?.[1];
    if (next === undefined) break;
    marker = `&marker=${encodeURIComponent(next)}`;
  }
  assert.deepEqual(found, ["a/", "b", "c", "d/"]);
  assert.deepEqual(Object.keys(store.blobsOf("acme", "photos")), names);
});

test("Azure store plays faults of the service in its own words", async () => {
  const faults: readonly (readonly [StoreFault, number, string])[] = [
    [{ kind: "throttled", retryAfter: 2 }, 503, "ServerBusy"],
    [{ kind: "serverError" }, 500, "InternalError"],
    [{ kind: "accessDenied" }, 403, "AuthorizationFailure"],
    [{ kind: "bucketDeleted" }, 404, "ContainerNotFound"],
    // A clock an hour and more ahead: the SAS has expired there.
    [{ kind: "clockSkew", by: "2h" }, 403, "AuthenticationFailed"],
  ];
  for (const [fault, status, code] of faults) {
    const { store, get } = stage({ publicAccess: "container" });
    const url = `${listing}&${store.signSas("acme", "photos")}`;
    store.faults.add({ ...fault, times: 1, matcher: { bucket: "photos", operation: "List Blobs", user: "sas" } });
    const answer = await get(url);
    assert.deepEqual([answer.status, answer.code], [status, code]);
    if (fault.kind === "throttled") assert.equal(answer.headers["retry-after"], "2");
    assert.equal((await get(url)).status, 200);
  }
});

test("Azure store answers 501 to what it does not know", async () => {
  const { store, get } = stage({ publicAccess: "container" });
  for (const url of [
    `${container}?restype=container&comp=acl`,
    `${container}/a?comp=blocklist`,
    "https://acme.blob.core.windows.net/?restype=service&comp=properties",
  ]) {
    const { status } = await get(`${url}&${store.signSas("acme", "photos")}`);
    assert.ok(status >= 400, `${url}: ${status}`);
  }
});

test("Azure store refuses names that Azure does not take", () => {
  const { store } = stage();
  for (const name of ["ab", "Bad", "a--b", "-ab", "ab-"]) {
    assert.throws(() => store.putContainer("acme", name), { code: "InvalidOption" });
  }
  for (const name of ["$web", "$logs", "$root", "a-b"]) store.putContainer("acme", name);
  assert.throws(() => store.putContainer("nobody", "abc"), { code: "NotFound" });
  assert.throws(() => store.blobsOf("acme", "nothing"), { code: "NotFound" });
});
