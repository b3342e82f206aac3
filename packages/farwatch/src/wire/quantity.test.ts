import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from "./quantity.ts";

function read(text: string): Quantity {
  return parseQuantity(text) ?? assert.fail(`${text} is no quantity`);
}

const canonical = {
  "0": "0",
  "-0": "0",
  "1": "1",
  "+5": "5",
  "1000": "1k",
  "1500": "1500",
  "1.5": "1500m",
  ".5": "500m",
  "2.": "2",
  "100000": "100k",
  "0.5Gi": "512Mi",
  "1.5Gi": "1536Mi",
  "1024": "1024",
  "1024Ki": "1Mi",
  "1.1Ki": "1126400m",
  "1023Ki": "1023Ki",
  "0.5Ki": "512",
  "1e3": "1e3",
  "1500e0": "1500",
  "12e-1": "1200e-3",
  "1E": "1E",
  "1E3": "1e3",
  "1.23456789123": "1234567892n",
  "1n": "1n",
  "1e-12": "1e-9",
  "9223372036854775807": "9223372036854775807",
  "9223372036854775808": "9223372036854775808",
  "1e30": "1e30",
  "8Ei": "9223372036854775807",
  "-1.5Gi": "-1536Mi",
};

test("formatQuantity gives the canonical text", () => {
  for (const [text, stored] of Object.entries(canonical)) assert.equal(formatQuantity(read(text)), stored, text);
});

test("parseQuantity refuses what is none", () => {
  for (const text of [
    "",
    " 1",
    "1 ",
    "1 Gi",
    "Gi",
    "1K",
    "1gi",
    "1e",
    "1e1.5",
    "1Gie3",
    "--1",
    "1,5",
    "0x10",
    "1mi",
    "Infinity",
    ".",
    "1e392",
    `1${"0".repeat(1_000)}`,
  ]) {
    assert.equal(parseQuantity(text), undefined, text);
  }
});

const quantityText = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.nat(100_000),
    fc.option(fc.nat(999), { nil: undefined }),
    fc.constantFrom("", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "e-3", "E2", "e0"),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${suffix}`);

test("formatQuantity is read again as the same amount, and is a fixed point", () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      const quantity = read(text);
      const formatted = formatQuantity(quantity);
      assert.equal(compareQuantities(read(formatted), quantity), 0, `${text} became ${formatted}`);
      assert.equal(formatQuantity(read(formatted)), formatted);
      assert.doesNotMatch(formatted, /\./);
    }),
  );
});

test("compareQuantities orders amounts whatever their notation", () => {
  fc.assert(
    fc.property(quantityText, quantityText, (a, b) => {
      assert.equal(compareQuantities(read(a), read(b)), -compareQuantities(read(b), read(a)) + 0);
      assert.equal(compareQuantities(read(a), read(a)), 0);
    }),
  );
  assert.equal(compareQuantities(read("1Gi"), read("1G")), 1);
  assert.equal(compareQuantities(read("1000m"), read("1")), 0);
  assert.equal(compareQuantities(read("0.9"), read("1")), -1);
});
