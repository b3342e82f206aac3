import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { redactedEnd, secretValuesOf } from "./redacted-end.ts";

const end = (text: string, secrets: readonly string[] = []): string => redactedEnd(text, { secrets, maxLength: 200 });

test("redactedEnd hides what is shaped like a secret and leaves the sentence", () => {
  assert.equal(
    end("An error occurred (ExpiredToken) when calling AssumeRole\n"),
    "An error occurred (ExpiredToken) when calling AssumeRole",
  );
  assert.equal(end("Authorization: Bearer abc.def-123"), "Authorization: [redacted] [redacted]");
  assert.equal(
    end("got token=hunter2, password: 'correct horse' and went on"),
    "got token=[redacted], password: [redacted] and went on",
  );
  assert.equal(end('{"client_secret":"hunter2","user":"me"}'), '{"client_secret":[redacted],"user":"me"}');
  assert.equal(end("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln end"), "jwt [redacted] end");
  assert.equal(end("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nend"), "[redacted] end");
  assert.equal(end("-----BEGIN PRIVATE KEY-----\nabc"), "[redacted]");
  assert.equal(end("GET https://me:hunter2@sts.example/a?sig=hunter2 failed"), "GET https://sts.example/a failed");
  assert.equal(end(`raw ${"Ab1".repeat(20)} end`), "raw [redacted] end");
  assert.equal(end("/usr/lib/plugin: no such region eu-west-9"), "/usr/lib/plugin: no such region eu-west-9");
});

test("redactedEnd hides known secrets wherever they stand, but not short words", () => {
  assert.equal(
    end("login as hunter22hunter failed", ["hunter22hunter", "hunter22", "as"]),
    "login as [redacted] failed",
  );
});

test("redactedEnd gives one line without control characters, cut at its start", () => {
  assert.equal(end("\u001b[31mred\u001b[0m\r\n\tnext\u0007"), "red next");
  assert.equal(redactedEnd("one two three", { secrets: [], maxLength: 5 }), "…three");
});

test("redactedEnd never shows a part of a known secret, however long the text around it", () => {
  const word = fc.stringMatching(/^[a-z]{6,20}$/);
  fc.assert(
    fc.property(word, fc.nat(40_000), fc.nat(40_000), (secret, before, after) => {
      const shown = redactedEnd(`${". ".repeat(before)}${secret}${" .".repeat(after)}`, {
        secrets: [secret],
        maxLength: 400,
      });
      // The cut may have gone through the mark.
      return !/[a-z]/.test(shown.replace(/\[redacted\]|^…[a-z]*\]/, ""));
    }),
    { numRuns: 200 },
  );
});

test("redactedEnd hides a known secret of several words that lies where the search begins", () => {
  const secret = "correct horse battery staple";
  for (let after = 16_340; after < 16_390; after += 1) {
    assert.equal(end(`${secret}${" ".repeat(after)}.`, [secret]).replace("[redacted] ", ""), ".");
  }
});

test("secretValuesOf picks values by the names of their variables", () => {
  assert.deepEqual(
    secretValuesOf({
      AWS_SECRET_ACCESS_KEY: "a",
      GITHUB_TOKEN: "b",
      PGPASSWORD: "c",
      HOME: "/root",
      NOTHING_SECRET: undefined,
    }),
    ["a", "b", "c"],
  );
});
