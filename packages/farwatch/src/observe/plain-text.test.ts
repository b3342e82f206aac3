import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText, printable } from "./plain-text.ts";

test("plainText is one line without control and direction characters, and without credentials", () => {
  const text = "no\r\n\u001b[31mway\u202e \u2028 for https://me:hunter2@host/path?key=1 ";
  assert.equal(plainText(text), "no [31mway for https://host/path");
});

test("plainText keeps the beginning and the end of a long text, and of one too long to be searched the beginning", () => {
  const [long, endless] = [`${"a".repeat(5_000)} it is wrong`, "a".repeat(20_000)];
  assert.match(plainText(long), /^a+ … a+ it is wrong$/);
  assert.match(plainText(endless), /^a{1024}…$/);
  assert.ok(plainText(long).length < 1_100);
});

test("printable leaves spaces and letters of any script as they are", () => {
  assert.equal(printable("größe  日本\u0000\u0007x"), "größe  日本 x");
});
