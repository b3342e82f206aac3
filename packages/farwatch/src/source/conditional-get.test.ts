import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedTransport, type RecordedRequest } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { type ConditionalGetOptions, conditionalGet } from "./conditional-get.ts";

/** What every request carries: what comes is not decompressed. */
const plain = { "accept-encoding": "identity" };

function setUp(options: ConditionalGetOptions<unknown> = {}) {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const get = conditionalGet({ transport, ...options });
  const ctx = { clock, signal: new AbortController().signal };
  return { transport, get: (url = "https://api.test/things") => get(url, ctx) };
}

test("conditionalGet asks with the ETag of the last answer, and gives the same value when nothing has changed", async () => {
  const { transport, get } = setUp();
  transport.on(
    {},
    { headers: { etag: 'W/"1"' }, body: { size: 1 } },
    { status: 304 },
    { headers: { etag: '"2"' }, body: { size: 2 } },
    { status: 304 },
  );
  const first = await get();
  assert.deepEqual(first, { size: 1 });
  assert.equal(await get(), first);
  const third = await get();
  assert.deepEqual(third, { size: 2 });
  assert.equal(await get(), third);
  assert.deepEqual(
    transport.requests.map(({ headers }) => headers?.["if-none-match"]),
    [undefined, 'W/"1"', 'W/"1"', '"2"'],
  );
  assert.equal(transport.open, 0);
});

test("conditionalGet asks with the date of the last answer when that has no ETag, and for each URL with its own", async () => {
  const { transport, get } = setUp();
  const date = "Mon, 01 Jan 2029 00:00:00 GMT";
  transport.on({ path: "/a" }, { headers: { "last-modified": date }, body: "1" });
  transport.on({ path: "/b" }, { body: "2" });
  for (const path of ["/a", "/b", "/a", "/b"]) await get(`https://api.test${path}`);
  assert.deepEqual(
    transport.requests.map(({ headers }) => headers),
    [plain, plain, { ...plain, "if-modified-since": date }, plain],
  );
});

test("conditionalGet keeps no more values than it may, and forgets one that is gone or without a sign of its version", async () => {
  const { transport, get } = setUp({ mostUrls: 1 });
  const tagged = { headers: { etag: '"1"' }, body: "1" };
  transport.on({ path: "/a" }, tagged, tagged, { status: 404 }, tagged, { body: "2" }, { status: 410 });
  transport.on({ path: "/b" }, tagged);
  const values: unknown[] = [];
  for (const path of ["/a", "/b", "/a", "/a", "/a", "/a", "/a"]) values.push(await get(`https://api.test${path}`));
  assert.deepEqual(values, [1, 1, 1, undefined, 1, 2, undefined]);
  assert.deepEqual(
    transport.requests.map(({ headers }) => headers?.["if-none-match"]),
    [undefined, undefined, undefined, '"1"', undefined, '"1"', undefined],
  );
});

test("conditionalGet asks anew where the sign of a version is too long to be sent back", async () => {
  const { transport, get } = setUp();
  transport.on({}, { headers: { etag: `"${"x".repeat(20_000)}"` }, body: "1" });
  for (const _ of [1, 2]) assert.equal(await get(), 1);
  assert.deepEqual(
    transport.requests.map(({ headers }) => headers),
    [plain, plain],
  );
});

test("conditionalGet refuses what is no answer, with a code for each", async () => {
  for (const [answer, code] of [
    [{ status: 401 }, "Unauthorized"],
    [{ status: 403 }, "Forbidden"],
    [{ status: 429 }, "TooManyRequests"],
    [{ status: 503 }, "ServerUnavailable"],
    [{ status: 418 }, "ProtocolError"],
    [{ status: 304 }, "ProtocolError"],
    [{ body: "hunter2, no JSON" }, "ProtocolError"],
    [{ body: "1", headers: { "content-encoding": "gzip" } }, "ProtocolError"],
    [{ body: `"${"x".repeat(100)}"` }, "ProtocolError"],
  ] as const) {
    const { transport, get } = setUp({ maxBytes: 50 });
    transport.on({}, answer);
    await assert.rejects(get("https://api.test/things?key=hunter2"), (error) => {
      assert.ok(isCodedError(error, code), String(error));
      assert.ok(error.message.startsWith("Cannot get from api.test: "), error.message);
      assert.ok(!error.message.includes("hunter2"));
      assert.ok(!String(error.cause).includes("hunter2"));
      return true;
    });
    assert.equal(transport.open, 0);
  }
  assert.throws(
    () => conditionalGet({ maxBytes: 0 }),
    (error) => isCodedError(error, "InvalidOption"),
  );
});

test("conditionalGet reads its headers before each request, and sends them and its certificate to no other origin", async () => {
  const connectPolicy = (): void => {};
  let token = 0;
  const { transport, get } = setUp({
    connectPolicy,
    tls: { ca: "ca", cert: "cert", key: "key" },
    headers() {
      token += 1;
      return { Authorization: `Bearer ${token}` };
    },
  });
  transport.on({ path: "/things" }, { status: 302, headers: { location: "/moved" }, body: "moved" });
  transport.on({ path: "/moved" }, { status: 307, headers: { location: "https://cdn.test/things-1" } });
  transport.on({ path: "/things-1" }, { body: "1" });
  for (const expected of [1, 2]) {
    assert.equal(await get(), 1);
    const [things, moved, elsewhere] = transport.requests.slice(-3);
    for (const { headers, tls } of [things, moved] as RecordedRequest[]) {
      assert.deepEqual(headers, { ...plain, authorization: `Bearer ${expected}` });
      assert.equal(tls?.key, "key");
    }
    assert.deepEqual(elsewhere?.headers, plain);
    assert.equal(elsewhere?.url, "https://cdn.test/things-1");
    assert.equal(elsewhere?.tls?.ca, "ca");
    assert.equal(elsewhere?.tls?.key, undefined);
  }
  assert.ok(transport.requests.every((request) => request.connectPolicy === connectPolicy));
  assert.equal(transport.open, 0);
});

test("conditionalGet follows no redirect to http, to another scheme, or more than five in a row", async () => {
  for (const [location, why] of [
    ["http://api.test/things", "from https to http"],
    ["file:///etc/passwd", "to what is no http or https URL"],
    ["https://", "to what is no http or https URL"],
    ["/things", "once more, after 5 times"],
  ] as const) {
    const { transport, get } = setUp();
    transport.on({}, { status: 301, headers: { location } });
    await assert.rejects(get(), (error) => {
      assert.ok(isCodedError(error, "ProtocolError"));
      assert.equal(error.message, `Cannot get from api.test: api.test redirects ${why}`);
      return true;
    });
    assert.equal(transport.requests.length, location === "/things" ? 6 : 1);
  }
});
