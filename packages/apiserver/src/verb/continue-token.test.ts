import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatContinue, parseContinue } from "./continue-token.ts";

function refusal(token: string): string {
  try {
    parseContinue(token);
  } catch (error) {
    return (error as Error).message.replace("invalid continue token: continue key is not valid: ", "");
  }
  return "none";
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("continue token is of the real server's form", () => {
  assert.equal(
    Buffer.from(formatContinue({ version: 5, after: "n/a" }), "base64url").toString(),
    '{"v":"meta.k8s.io/v1","rv":5,"start":"n/a\\u0000"}',
  );
});

test("continue token is read again as it was written", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.constant(-1), fc.integer({ min: 1 })),
      fc.string({ unit: "grapheme" }),
      (version, after) => {
        assert.deepEqual(parseContinue(formatContinue({ version, after })), { version, after });
      },
    ),
  );
});

test("continue token refuses what is none in the words of the real server", () => {
  assert.equal(refusal("a b"), "illegal base64 data at input byte 1");
  assert.equal(refusal("nonsense"), "invalid character '\\u009e' looking for beginning of value");
  assert.equal(refusal(encoded("{").slice(0, 3)), "unexpected end of JSON input");
  assert.equal(refusal(encoded(null)), "server does not recognize this encoded version ");
  assert.equal(
    refusal(encoded({ v: "meta.k8s.io/v2" })),
    "server does not recognize this encoded version meta.k8s.io/v2",
  );
  const v = "meta.k8s.io/v1";
  assert.equal(refusal(encoded({ v })), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  assert.equal(refusal(encoded({ v, rv: 0 })), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  assert.equal(refusal(encoded({ v, rv: 3 })), "encoded start key empty (version meta.k8s.io/v1)");
});

test("continue token answers every text with a point or a refusal", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map((json) => encoded(JSON.parse(json))),
      ),
      (token) => {
        try {
          assert.equal(typeof parseContinue(token).version, "number");
        } catch (error) {
          assert.equal((error as { code?: unknown }).code, 400);
        }
      },
    ),
  );
});
