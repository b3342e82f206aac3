import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listKeys, type PageStart, readPageToken, writePageToken } from "./object-listing.ts";

const key = fc.string({ unit: fc.constantFrom("a", "b", "/", "é", "\u{1f600}", "\uff5e"), minLength: 1, maxLength: 6 });

test("listing by pages gives what a whole listing gives, each once, whatever the pages' size", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 30 }),
      fc.record({ prefix: fc.constantFrom("", "a", "a/"), delimiter: fc.constantFrom("", "/", "b") }),
      fc.integer({ min: 1, max: 7 }),
      (keys, request, limit) => {
        const whole = listKeys(keys, { ...request, limit: 1_000 });
        assert.equal(whole.next, undefined);
        const found = { keys: [] as string[], prefixes: [] as string[] };
        let from: PageStart | undefined;
        do {
          const page = listKeys(keys, { ...request, after: from?.after, whole: from?.whole ?? false, limit });
          assert.ok(page.keys.length + page.prefixes.length <= limit);
          found.keys.push(...page.keys);
          found.prefixes.push(...page.prefixes);
          // As it goes over the wire.
          from = page.next === undefined ? undefined : readPageToken(writePageToken(page.next));
          assert.equal(from === undefined, page.next === undefined);
        } while (from !== undefined);
        assert.deepEqual(found, { keys: [...whole.keys], prefixes: [...whole.prefixes] });
      },
    ),
  );
});

test("listing names every key that begins with the prefix, or what it begins with up to the delimiter", () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 30 }), (keys) => {
      const { keys: shown, prefixes } = listKeys(keys, { delimiter: "/", limit: 1_000 });
      for (const each of keys) {
        const slash = each.indexOf("/");
        assert.ok(slash === -1 ? shown.includes(each) : prefixes.includes(each.slice(0, slash + 1)), each);
      }
      assert.equal(new Set([...shown, ...prefixes]).size, shown.length + prefixes.length);
    }),
  );
});

test("page token of somebody else is none", () => {
  for (const token of [
    "",
    "!!!",
    "a/1.txt",
    "bnVsbA==",
    Buffer.from('["a"]').toString("base64"),
    Buffer.from("[1,true]").toString("base64"),
  ]) {
    assert.equal(readPageToken(token), undefined, token);
  }
});
