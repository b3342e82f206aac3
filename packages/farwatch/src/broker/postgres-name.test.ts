import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteName, quoteText } from "./postgres-name.ts";

test("quoteName keeps a name a name, whatever is in it", () => {
  assert.equal(quoteName("outbox", "table"), '"outbox"');
  assert.equal(quoteName('a" ; DROP TABLE b; --', "table"), '"a"" ; DROP TABLE b; --"');
});

test("quoteName refuses what the server would cut or cannot hold", () => {
  assert.equal(quoteName("é".repeat(31), "table"), `"${"é".repeat(31)}"`);
  for (const name of ["", "a\0b", "é".repeat(32)])
    assert.throws(() => quoteName(name, "table"), { code: "InvalidOption" });
});

test("quoteText keeps a text a text, however the server reads backslashes", () => {
  assert.equal(quoteText("it's"), "'it''s'");
  assert.equal(quoteText("\\'; --"), " E'\\\\''; --'");
});
