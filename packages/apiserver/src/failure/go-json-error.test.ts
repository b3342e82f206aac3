import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { goJsonError } from "./go-json-error.ts";

const maxLevels = 1_000;

test("goJsonError says what Go says of the first character that does not belong", () => {
  for (const [text, message] of [
    ["", "unexpected end of JSON input"],
    ["  ", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a"', "unexpected end of JSON input"],
    ["nope", "invalid character 'o' in literal null (expecting 'u')"],
    ["tru", "unexpected end of JSON input"],
    ["{a: 1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
    ["[1 2]", "invalid character '2' after array element"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["1 2", "invalid character '2' after top-level value"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1e+", "unexpected end of JSON input"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ["\u0001", "invalid character '\\x01' looking for beginning of value"],
  ] as const)
    assert.equal(goJsonError(text, maxLevels), message, text);
});

test("goJsonError quotes bytes, not characters", () => {
  assert.equal(goJsonError("é", maxLevels), "invalid character 'Ã' looking for beginning of value");
  assert.equal(
    goJsonError(Buffer.from([0x9e]), maxLevels),
    "invalid character '\\u009e' looking for beginning of value",
  );
});

test("goJsonError has something to say of every text that is no JSON", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((json) => json.slice(0, -1)),
      ),
      (text) => {
        try {
          JSON.parse(text);
        } catch {
          assert.match(goJsonError(text, maxLevels), /^(?:invalid character '.+' .+|unexpected end of JSON input)$/s);
        }
      },
    ),
  );
});
