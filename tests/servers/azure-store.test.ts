import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { type AzureStore, createAzureStore } from "@farwatch/testing";
import { createHttpTransport, formatTime, type Instant, instantOf, systemClock, type Transport } from "farwatch";
import { createVirtualClock } from "farwatch/doubles";
import { type Emulator, type NoEmulator, startAzurite } from "./emulator.ts";

/** The account that azurite has. */
const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

const http = createHttpTransport();
const azurite: Emulator | NoEmulator = await startAzurite(http);
before(() => {
  if ("unavailable" in azurite) process.stderr.write(`${azurite.unavailable}\n`);
});
after(async () => {
  if (!("unavailable" in azurite)) await azurite[Symbol.asyncDispose]();
  await http[Symbol.asyncDispose]();
});

interface Ask {
  readonly method: string;
  /** After the account. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly key?: string;
  readonly account?: string;
  readonly offMs?: number;
  /** A query of a SAS instead of a signature in a header; null: neither. */
  readonly sas?: Readonly<Record<string, string>> | null;
  readonly tamper?: (headers: Record<string, string>) => void;
}

interface Answered {
  readonly status: number;
  /** x-ms-error-code, which is also the document's Code. */
  readonly code?: string | undefined;
  readonly elements?: Readonly<Record<string, readonly string[]>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly text?: string;
}

interface AzureCase {
  readonly name: string;
  readonly ask: (now: Instant) => Ask;
  /** As Azure answers, and the store. */
  readonly gives: Answered;
  /** Where azurite 3.37.0 is not as Azure. */
  readonly azurite?: Partial<Answered>;
}

const minute = 60_000;
const container = "?restype=container";
const listing = `${container}&comp=list`;
const block = { "x-ms-blob-type": "BlockBlob" };
const isoOf = (now: Instant, offMs: number): string => formatTime(instantOf(now.getTime() + offMs));
const hmac = (text: string, by = key): string =>
  createHmac("sha256", Buffer.from(by, "base64")).update(text).digest("base64");

interface SasOptions {
  readonly sp?: string;
  readonly st?: string;
  readonly se: string;
  readonly spr?: string;
  readonly container?: string;
  readonly blob?: string;
  readonly by?: string;
}

function serviceSas({
  sp = "rl",
  st = "",
  se,
  spr = "",
  container: name = "photos",
  blob,
  by,
}: SasOptions): Record<string, string> {
  const [sv, sr] = ["2021-12-02", blob === undefined ? "c" : "b"];
  const resource = `/blob/${account}/${name}${blob === undefined ? "" : `/${blob}`}`;
  const sig = hmac([sp, st, se, resource, "", "", spr, sv, sr, "", "", "", "", "", "", ""].join("\n"), by);
  return { sp, ...(st === "" ? {} : { st }), se, sv, sr, ...(spr === "" ? {} : { spr }), sig };
}

function accountSas({
  sp = "rl",
  ss = "b",
  srt = "sco",
  se,
}: {
  readonly sp?: string;
  readonly ss?: string;
  readonly srt?: string;
  readonly se: string;
}): Record<string, string> {
  const sv = "2021-12-02";
  const sig = hmac([account, sp, ss, srt, "", se, "", "", sv, "", ""].join("\n"));
  return { sp, ss, srt, se, sv, sig };
}

const always = (ask: Ask) => (): Ask => ask;
const withSas =
  (ask: Omit<Ask, "sas">, sas: (now: Instant) => Record<string, string>) =>
  (now: Instant): Ask => ({ ...ask, sas: sas(now) });
const inAnHour = (now: Instant): string => isoOf(now, 60 * minute);
const wrong: Answered = { status: 403, code: "AuthenticationFailed" };
/** It has another code than Azure for all that is wrong with a signature. */
const azuriteWrong = { code: "AuthorizationFailure" };
const anonymous: Answered = {
  status: 401,
  code: "NoAuthenticationInformation",
  headers: { "www-authenticate": challenge() },
};
const azuriteAnonymous = { status: 403, code: "AuthorizationFailure", headers: {} };

function challenge(): string {
  return "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com";
}

const cases: readonly AzureCase[] = [
  {
    name: "creation of a container",
    ask: always({ method: "PUT", path: `/photos${container}` }),
    gives: { status: 201 },
  },
  {
    name: "creation of a container again",
    ask: always({ method: "PUT", path: `/photos${container}` }),
    gives: { status: 409, code: "ContainerAlreadyExists" },
  },
  {
    name: "creation of a container with capitals",
    ask: always({ method: "PUT", path: `/Bad_Name${container}` }),
    gives: { status: 400, code: "InvalidResourceName" },
  },
  {
    name: "creation of a container of two letters",
    ask: always({ method: "PUT", path: `/ab${container}` }),
    gives: { status: 400, code: "OutOfRangeInput" },
  },
  {
    name: "creation of a public container",
    ask: always({ method: "PUT", path: `/open${container}`, headers: { "x-ms-blob-public-access": "container" } }),
    gives: { status: 201 },
  },
  {
    name: "creation of a container with public blobs",
    ask: always({ method: "PUT", path: `/openblob${container}`, headers: { "x-ms-blob-public-access": "blob" } }),
    gives: { status: 201 },
  },
  {
    name: "HEAD on a container",
    ask: always({ method: "HEAD", path: `/photos${container}` }),
    gives: {
      status: 200,
      headers: {
        "x-ms-lease-state": "available",
        "x-ms-lease-status": "unlocked",
        "x-ms-has-legal-hold": "false",
        "x-ms-blob-public-access": undefined,
      },
    },
  },
  {
    name: "HEAD on a public container",
    ask: always({ method: "HEAD", path: `/open${container}` }),
    gives: { status: 200, headers: { "x-ms-blob-public-access": "container" } },
  },
  {
    name: "HEAD on a container that is not there",
    ask: always({ method: "HEAD", path: `/missing${container}` }),
    gives: { status: 404, code: "ContainerNotFound" },
  },
  {
    name: "GET of a container that is not there",
    ask: always({ method: "GET", path: `/missing${container}` }),
    gives: { status: 404, code: "ContainerNotFound" },
  },
  {
    name: "list of an empty container",
    ask: always({ method: "GET", path: `/photos${listing}&maxresults=1` }),
    gives: { status: 200, elements: { MaxResults: ["1"], Name: [] } },
  },
  {
    name: "list of a container that is not there",
    ask: always({ method: "GET", path: `/missing${listing}` }),
    gives: { status: 404, code: "ContainerNotFound" },
  },
  {
    name: "PUT of a blob",
    ask: always({
      method: "PUT",
      path: "/photos/a/1.txt",
      headers: { ...block, "x-ms-meta-color": "red", "content-type": "text/plain" },
      body: "hello",
    }),
    gives: { status: 201, headers: { "content-md5": "XUFAKrxLKna5cZ2REBfFkg==" } },
  },
  {
    name: "PUT of a second blob",
    ask: always({ method: "PUT", path: "/photos/a/2.txt", headers: block, body: "hello2" }),
    gives: { status: 201 },
  },
  {
    name: "PUT of a third blob",
    ask: always({ method: "PUT", path: "/photos/b", headers: block, body: "hello3" }),
    gives: { status: 201 },
  },
  {
    name: "PUT of a blob of no type",
    ask: always({ method: "PUT", path: "/photos/x", body: "hello" }),
    gives: { status: 400, code: "MissingRequiredHeader" },
    azurite: { code: undefined },
  },
  {
    name: "PUT into a container that is not there",
    ask: always({ method: "PUT", path: "/missing/x", headers: block, body: "hello" }),
    gives: { status: 404, code: "ContainerNotFound" },
  },
  {
    name: "PUT with the digest of something else",
    ask: always({
      method: "PUT",
      path: "/photos/x",
      headers: { ...block, "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" },
      body: "hello",
    }),
    gives: { status: 400, code: "Md5Mismatch" },
  },
  {
    name: "PUT of a blob that must not be there",
    ask: always({ method: "PUT", path: "/photos/b", headers: { ...block, "if-none-match": "*" }, body: "hello" }),
    gives: { status: 409, code: "BlobAlreadyExists" },
  },
  {
    name: "list in the order of the names",
    ask: always({ method: "GET", path: `/photos${listing}` }),
    gives: {
      status: 200,
      elements: {
        Name: ["a/1.txt", "a/2.txt", "b"],
        "Content-Length": ["5", "6", "6"],
        BlobType: ["BlockBlob", "BlockBlob", "BlockBlob"],
      },
    },
  },
  {
    name: "list of a prefix",
    ask: always({ method: "GET", path: `/photos${listing}&prefix=a%2F` }),
    gives: { status: 200, elements: { Name: ["a/1.txt", "a/2.txt"], Prefix: ["a/"] } },
  },
  {
    name: "list up to a delimiter",
    ask: always({ method: "GET", path: `/photos${listing}&delimiter=%2F` }),
    gives: { status: 200, elements: { Name: ["a/", "b"], Delimiter: ["/"] } },
  },
  {
    name: "list of at most one blob",
    ask: always({ method: "GET", path: `/photos${listing}&maxresults=1` }),
    gives: { status: 200, elements: { Name: ["a/1.txt"], MaxResults: ["1"] } },
  },
  {
    name: "list of a number that is none",
    ask: always({ method: "GET", path: `/photos${listing}&maxresults=x` }),
    gives: { status: 400, code: "InvalidQueryParameterValue" },
    azurite: { code: undefined },
  },
  {
    name: "list of no blob",
    ask: always({ method: "GET", path: `/photos${listing}&maxresults=0` }),
    gives: { status: 400, code: "OutOfRangeQueryParameterValue" },
    azurite: { code: undefined },
  },
  {
    name: "HEAD on a blob",
    ask: always({ method: "HEAD", path: "/photos/a/1.txt" }),
    gives: {
      status: 200,
      headers: {
        "content-length": "5",
        "content-type": "text/plain",
        "content-md5": "XUFAKrxLKna5cZ2REBfFkg==",
        "x-ms-meta-color": "red",
        "x-ms-blob-type": "BlockBlob",
      },
    },
  },
  {
    name: "GET of a blob",
    ask: always({ method: "GET", path: "/photos/a/1.txt" }),
    gives: { status: 200, text: "hello" },
  },
  {
    name: "GET of a blob that is not there",
    ask: always({ method: "GET", path: "/photos/none" }),
    gives: { status: 404, code: "BlobNotFound" },
  },
  {
    name: "HEAD on a blob that is not there",
    ask: always({ method: "HEAD", path: "/photos/none" }),
    gives: { status: 404, code: "BlobNotFound" },
  },
  {
    name: "DELETE of a blob that is not there",
    ask: always({ method: "DELETE", path: "/photos/none" }),
    gives: { status: 404, code: "BlobNotFound" },
  },
  {
    name: "GET of a blob in a container that is not there",
    ask: always({ method: "GET", path: "/missing/none" }),
    gives: { status: 404, code: "ContainerNotFound" },
  },
  {
    name: "list of containers",
    ask: always({ method: "GET", path: "/?comp=list" }),
    gives: { status: 200, elements: { Name: ["open", "openblob", "photos"] } },
  },
  ...(["HEAD", "GET"] as const).flatMap((method): readonly AzureCase[] => {
    const ask = { method, path: `/photos${container}` };
    const listed = { method: "GET", path: `/photos${listing}` };
    return [
      { name: "wrong key", ask: always({ ...ask, key: "AAAA" }), gives: wrong, azurite: azuriteWrong },
      {
        name: "key of another account",
        ask: always({ ...ask, account: "other" }),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "header that was added",
        ask: always({ ...ask, tamper: (headers) => Object.assign(headers, { "x-ms-client-request-id": "x" }) }),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "no date",
        ask: always({ ...ask, tamper: (headers) => Reflect.deleteProperty(headers, "x-ms-date") }),
        gives: wrong,
        azurite: azuriteWrong,
      },
      { name: "clock 14 minutes behind", ask: always({ ...ask, offMs: -14 * minute }), gives: { status: 200 } },
      // It does not look at dates.
      {
        name: "clock 20 minutes behind",
        ask: always({ ...ask, offMs: -20 * minute }),
        gives: wrong,
        azurite: { status: 200, code: undefined },
      },
      {
        name: "clock 20 minutes ahead",
        ask: always({ ...ask, offMs: 20 * minute }),
        gives: wrong,
        azurite: { status: 200, code: undefined },
      },
      {
        name: "authorization of the web",
        ask: always({ ...ask, tamper: (headers) => Object.assign(headers, { authorization: "Basic abc" }) }),
        gives: { status: 400, code: "InvalidAuthenticationInfo" },
        azurite: { status: 403, ...azuriteWrong },
      },
      { name: "anonymous request", ask: always({ ...ask, sas: null }), gives: anonymous, azurite: azuriteAnonymous },
      {
        name: "anonymous request for what is not there",
        ask: always({ ...ask, path: `/missing${container}`, sas: null }),
        gives: anonymous,
        azurite: azuriteAnonymous,
      },
      {
        name: "anonymous request for a public container",
        ask: always({ ...ask, path: `/open${container}`, sas: null }),
        gives: { status: 200 },
      },
      {
        name: "anonymous request for a container whose blobs alone are public",
        ask: always({ ...ask, path: `/openblob${container}`, sas: null }),
        gives: anonymous,
        azurite: azuriteAnonymous,
      },
      {
        name: "anonymous request for a public blob that is not there",
        ask: always({ method, path: "/openblob/none", sas: null }),
        gives: { status: 404, code: "BlobNotFound" },
      },
      {
        name: "anonymous request for a private blob",
        ask: always({ method, path: "/photos/b", sas: null }),
        gives: anonymous,
        azurite: azuriteAnonymous,
      },
      {
        name: "container name with capitals",
        ask: always({ ...ask, path: `/Bad_Name${container}` }),
        gives: { status: 400, code: "InvalidResourceName" },
      },
      {
        name: "properties by a SAS of the container",
        ask: withSas(ask, (now) => serviceSas({ se: inAnHour(now) })),
        gives: { status: 403, code: "AuthorizationFailure" },
        azurite: { code: "AuthorizationPermissionMismatch" },
      },
      {
        name: "list by a SAS of the container",
        ask: withSas(listed, (now) => serviceSas({ se: inAnHour(now) })),
        gives: { status: 200, elements: { Name: ["a/1.txt", "a/2.txt", "b"] } },
      },
      {
        name: "list by a SAS that may not",
        ask: withSas(listed, (now) => serviceSas({ se: inAnHour(now), sp: "r" })),
        gives: { status: 403, code: "AuthorizationPermissionMismatch" },
      },
      {
        name: "list by a SAS that has expired",
        ask: withSas(listed, (now) => serviceSas({ se: isoOf(now, -minute) })),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "list by a SAS that is not valid yet",
        ask: withSas(listed, (now) => serviceSas({ st: isoOf(now, 30 * minute), se: inAnHour(now) })),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "list by a SAS of a wrong key",
        ask: withSas(listed, (now) => serviceSas({ se: inAnHour(now), by: "AAAA" })),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "list of another container by a SAS",
        ask: withSas({ ...listed, path: `/openblob${listing}` }, (now) => serviceSas({ se: inAnHour(now) })),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "list by a SAS that was stretched",
        ask: withSas(listed, (now) => ({ ...serviceSas({ se: isoOf(now, minute) }), se: inAnHour(now) })),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "SAS for https over http",
        ask: withSas(listed, (now) => serviceSas({ se: inAnHour(now), spr: "https" })),
        gives: { status: 403, code: "AuthorizationProtocolMismatch" },
      },
      {
        name: "list of what is not there by a SAS",
        ask: withSas({ ...listed, path: `/missing${listing}` }, (now) =>
          serviceSas({ se: inAnHour(now), container: "missing" }),
        ),
        gives: { status: 404, code: "ContainerNotFound" },
      },
      {
        name: "blob by its SAS",
        ask: withSas({ method, path: "/photos/b" }, (now) => serviceSas({ se: inAnHour(now), sp: "r", blob: "b" })),
        gives: { status: 200 },
      },
      {
        name: "another blob by its SAS",
        ask: withSas({ method, path: "/photos/a/2.txt" }, (now) =>
          serviceSas({ se: inAnHour(now), sp: "r", blob: "b" }),
        ),
        gives: wrong,
        azurite: azuriteWrong,
      },
      {
        name: "blob by its container's SAS",
        ask: withSas({ method, path: "/photos/b" }, (now) => serviceSas({ se: inAnHour(now), sp: "r" })),
        gives: { status: 200 },
      },
      {
        name: "properties by a SAS of the account",
        ask: withSas(ask, (now) => accountSas({ se: inAnHour(now) })),
        gives: { status: 200 },
      },
      {
        name: "list by a SAS of the account",
        ask: withSas(listed, (now) => accountSas({ se: inAnHour(now) })),
        gives: { status: 200 },
      },
      {
        name: "list by a SAS for objects alone",
        ask: withSas(listed, (now) => accountSas({ se: inAnHour(now), srt: "o" })),
        gives: { status: 403, code: "AuthorizationResourceTypeMismatch" },
      },
      {
        name: "list by a SAS for another service",
        ask: withSas(listed, (now) => accountSas({ se: inAnHour(now), ss: "q" })),
        gives: { status: 403, code: "AuthorizationServiceMismatch" },
      },
      {
        name: "list by a SAS of the account that may not",
        ask: withSas(listed, (now) => accountSas({ se: inAnHour(now), sp: "r" })),
        gives: { status: 403, code: "AuthorizationPermissionMismatch" },
      },
      {
        name: "list by a SAS of the account that has expired",
        ask: withSas(listed, (now) => accountSas({ se: isoOf(now, -minute) })),
        gives: wrong,
        azurite: azuriteWrong,
      },
    ];
  }),
  {
    name: "PUT by a SAS",
    ask: withSas({ method: "PUT", path: "/photos/s", headers: block, body: "x" }, (now) =>
      serviceSas({ se: inAnHour(now), sp: "cw" }),
    ),
    gives: { status: 201 },
  },
  {
    name: "PUT by a SAS that may not",
    ask: withSas({ method: "PUT", path: "/photos/s", headers: block, body: "x" }, (now) =>
      serviceSas({ se: inAnHour(now), sp: "r" }),
    ),
    gives: { status: 403, code: "AuthorizationPermissionMismatch" },
  },
  {
    name: "DELETE by a SAS that may not",
    ask: withSas({ method: "DELETE", path: "/photos/s" }, (now) => serviceSas({ se: inAnHour(now), sp: "r" })),
    gives: { status: 403, code: "AuthorizationPermissionMismatch" },
  },
  { name: "DELETE of a blob", ask: always({ method: "DELETE", path: "/photos/b" }), gives: { status: 202 } },
  {
    name: "deletion of a container with blobs",
    ask: always({ method: "DELETE", path: `/photos${container}` }),
    gives: { status: 202 },
  },
  {
    name: "deletion of a container that is not there",
    ask: always({ method: "DELETE", path: `/photos${container}` }),
    gives: { status: 404, code: "ContainerNotFound" },
  },
];

/** Signs as "Authorize with Shared Key" says, for the account's path-style address. */
function signed(
  ask: Ask,
  base: string,
  now: Instant,
): { readonly url: string; readonly headers: Record<string, string> } {
  const url = new URL(`${base}/${account}${ask.path}`);
  for (const [name, value] of Object.entries(ask.sas ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = {
    "x-ms-date": instantOf(now.getTime() + (ask.offMs ?? 0)).toUTCString(),
    "x-ms-version": "2021-12-02",
    ...(ask.body === undefined ? {} : { "content-type": "application/octet-stream" }),
    ...ask.headers,
  };
  const standard = [
    "content-encoding",
    "content-language",
    "",
    "content-md5",
    "content-type",
    "",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
  ];
  const own = Object.keys(headers)
    .filter((name) => name.startsWith("x-ms-"))
    .sort()
    .map((name) => `${name}:${headers[name]}\n`);
  const resource = [...url.searchParams]
    .map(([name, value]) => `\n${name.toLowerCase()}:${value}`)
    .sort()
    .join("");
  const length = ask.body === undefined ? "" : String(Buffer.byteLength(ask.body));
  const fields = standard.map((name, at) => (at === 2 ? length : (headers[name] ?? "")));
  const text = [ask.method, ...fields, `${own.join("")}/${account}${url.pathname}${resource}`].join("\n");
  if (ask.sas === undefined) headers.authorization = `SharedKey ${ask.account ?? account}:${hmac(text, ask.key)}`;
  ask.tamper?.(headers);
  return { url: url.href, headers };
}

interface Target {
  readonly url: string;
  readonly transport: Transport;
  now(): Instant;
}

async function answerOf(ask: Ask, target: Target, expected: Answered): Promise<Answered> {
  const { method, body: sent } = ask;
  const request = { method, ...signed(ask, target.url, target.now()), protocol: "http/1.1" as const };
  const { status, headers, body } = await target.transport.request(
    sent === undefined ? request : { ...request, body: sent },
  );
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  const textsOf = (name: string): readonly string[] =>
    [...text.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "g"))].map(([, found = ""]) => found);
  const code = headers["x-ms-error-code"];
  if (method === "HEAD") assert.equal(text, "", "HEAD has a body");
  else if (code !== undefined) {
    assert.deepEqual(textsOf("Code"), [code]);
    assert.match(textsOf("Message")[0] ?? "", /\nRequestId:\S+\nTime:\S+Z$/);
  }
  return {
    status,
    ...(code === undefined ? {} : { code }),
    ...(expected.elements === undefined
      ? {}
      : { elements: Object.fromEntries(Object.keys(expected.elements).map((name) => [name, textsOf(name)])) }),
    ...(expected.headers === undefined
      ? {}
      : { headers: Object.fromEntries(Object.keys(expected.headers).map((name) => [name, headers[name]])) }),
    ...(expected.text === undefined ? {} : { text }),
  };
}

async function compare(server: "store" | "azurite", target: Target): Promise<void> {
  const problems: string[] = [];
  for (const { name, ask, gives, azurite: differs } of cases) {
    const { code, ...others } = { ...gives, ...(server === "azurite" ? differs : {}) };
    const expected: Answered = code === undefined ? others : { ...others, code };
    try {
      assert.deepEqual(await answerOf(ask(target.now()), target, expected), expected);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  assert.equal(problems.length, 0, problems.join("\n"));
}

function createStore(clock = systemClock): AzureStore {
  return createAzureStore({ clock, accounts: { [account]: { keys: [key], containers: {} } } });
}

test("azurite answers the cases as Azure does, but where they say otherwise", {
  skip: "unavailable" in azurite && azurite.unavailable,
}, async () => {
  assert.ok("url" in azurite);
  await compare("azurite", { url: azurite.url, transport: http, now: () => systemClock.now() });
});

test("Azure store answers the same requests in the same way through its socket door", async () => {
  await using store = createStore();
  await using server = await store.listen();
  await compare("store", { url: server.url, transport: http, now: () => systemClock.now() });
});

test("Azure store answers the same requests in the same way through its Transport door, at another time", async () => {
  const clock = createVirtualClock({ now: "2031-02-03T04:05:06Z" });
  await using store = createStore(clock);
  await compare("store", { url: "http://azure.test", transport: store.transport, now: () => clock.now() });
  assert.equal(store.transport.inFlight, 0);
});
