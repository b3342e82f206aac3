import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicroTime, formatTime, instantOf, systemClock } from "farwatch";
import { createNormalizer } from "./normalizer.ts";

const uids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"] as const;

test("normalizer numbers uids and versions as they appear, so that equal ones stay equal", () => {
  const normalizer = createNormalizer();
  const object = (uid: string, resourceVersion: string) => ({ metadata: { uid, resourceVersion } });
  assert.deepEqual(normalizer.value(object(uids[0], "17")), object("<uid 1>", "<version 1>"));
  assert.deepEqual(normalizer.value(object(uids[1], "18")), object("<uid 2>", "<version 2>"));
  assert.deepEqual(normalizer.value(object(uids[0], "18")), object("<uid 1>", "<version 2>"));
});

test("normalizer numbers uids whatever the order of keys", () => {
  const owner = { ownerReferences: [{ uid: uids[1] }] };
  const one = createNormalizer().value({ metadata: { uid: uids[0], ...owner } });
  const other = createNormalizer().value({ metadata: { ...owner, uid: uids[0] } });
  assert.deepEqual(one, other);
});

test("normalizer keeps times that a case sent, and hides those near now", () => {
  const now = systemClock.now();
  assert.deepEqual(
    createNormalizer().value({ a: "2001-02-03T04:05:06Z", b: formatTime(now), c: formatMicroTime(now) }),
    {
      a: "2001-02-03T04:05:06Z",
      b: "<time>",
      c: "<micro time>",
    },
  );
});

test("normalizer takes the number from the versions of lists, tables and bookmarks", () => {
  const normalizer = createNormalizer();
  const metadata = { resourceVersion: "17" };
  const listed = { resourceVersion: "<list version>" };
  for (const kind of ["ConfigMapList", "Table"])
    assert.deepEqual(normalizer.value({ kind, metadata }), { kind, metadata: listed });
  assert.deepEqual(normalizer.value({ type: "BOOKMARK", object: { metadata } }), {
    type: "BOOKMARK",
    object: { metadata: listed },
  });
});

test("normalizer finds versions and uids in texts and keys", () => {
  const normalizer = createNormalizer();
  normalizer.value({ metadata: { uid: uids[0], resourceVersion: "17" } });
  const texts = [
    [
      `UID in precondition: ${uids[0]}, UID in object meta: ${uids[1]}`,
      "UID in precondition: <uid 1>, UID in object meta: <uid 2>",
    ],
    ["too old resource version: 17 (99)", "too old resource version: <version 1> (<current version>)"],
    [
      "Too large resource version: 55, current: 99",
      "Too large resource version: <version 2>, current: <current version>",
    ],
    ['{"resourceVersion":"17"}', '{"resourceVersion":"<version 1>"}'],
    [
      "the ResourceVersion in the precondition (17) does not match",
      "the ResourceVersion in the precondition (<version 1>) does not match",
    ],
  ] as const;
  for (const [text, plain] of texts) assert.equal(normalizer.value(text), plain);
  assert.deepEqual(normalizer.value({ [`k:{"uid":"${uids[1]}"}`]: {} }), { 'k:{"uid":"<uid 2>"}': {} });
});

test("normalizer replaces in a request what answers told, and keeps what the case made up", () => {
  const normalizer = createNormalizer();
  normalizer.hear({ metadata: { name: "made-x2b4c", generateName: "made-", resourceVersion: "17", continue: "abc" } });
  assert.equal(normalizer.request("GET /things/made-x2b4c"), "GET /things/made-<suffix 1>");
  assert.equal(
    normalizer.request("GET /things?resourceVersion=17&continue=abc&limit=5"),
    "GET /things?resourceVersion=<version>&continue=<continue>&limit=5",
  );
  assert.equal(normalizer.request("GET /things?resourceVersion=999"), "GET /things?resourceVersion=999");
});

test("normalizer hides whether two owners wrote in one second, and marks an order that the server never has", () => {
  const nowMs = systemClock.now().getTime();
  const [earlier, later] = [formatTime(instantOf(nowMs - 5_000)), formatTime(instantOf(nowMs))];
  const entry = (manager: string, time: string) => ({ manager, operation: "Update", time });
  const value = (...managedFields: ReturnType<typeof entry>[]) =>
    createNormalizer().value({ metadata: { managedFields } });
  const sameSecond = value(entry("a", later), entry("b", later));
  assert.deepEqual(value(entry("b", earlier), entry("a", later)), sameSecond);
  assert.notDeepEqual(value(entry("a", later), entry("b", earlier)), sameSecond);
});
