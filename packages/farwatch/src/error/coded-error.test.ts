import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { CodedError, isCodedError, messageOf } from "./coded-error.ts";

class NarrowError extends CodedError {
  constructor(options?: { readonly cause?: unknown }) {
    super("Terminal", "Cannot finish: it is narrow", options);
  }
}

/** The members of the union, from its source: a type leaves nothing to look at when the program runs. */
function unionOfCodes(): readonly string[] {
  const source = readFileSync(new URL("./coded-error.ts", import.meta.url), "utf8");
  const [, union = ""] = /export type ErrorCode =([^;]*);/.exec(source) ?? [];
  return [...union.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
}

// Promise 14
test("error codes are the ones that docs/errors.md explains, each once and with something to do", () => {
  const page = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \|$/gm)].map(([, code = ""]) => code);
  assert.deepEqual(rows.toSorted(), unionOfCodes().toSorted());
  assert.equal(page.match(/^\| `/gm)?.length, rows.length, "every row has a code, a meaning and something to do");
});

test("error codes stand in the union in order, each once", () => {
  const codes = unionOfCodes();
  assert.ok(codes.length > 30);
  assert.deepEqual(codes, [...new Set(codes)].toSorted());
});

test("coded error carries code, message, cause and the name of its class", () => {
  const cause = new Error("below");
  const error = new NarrowError({ cause });
  assert.equal(error.code, "Terminal");
  assert.equal(error.name, "NarrowError");
  assert.equal(error.cause, cause);
  assert.equal(String(error), "NarrowError: Cannot finish: it is narrow");
  assert.ok(error instanceof Error);
});

test("coded error without a cause has none, not even an undefined one", () => {
  assert.equal("cause" in new NarrowError({ cause: undefined }), false);
  assert.doesNotMatch(inspect(new NarrowError({ cause: undefined })), /cause/);
});

test("coded error shows nothing of the mark by which it is known", () => {
  assert.deepEqual(Object.keys(new CodedError("Gone", "Cannot")).toSorted(), ["code", "name"]);
});

// Promise 14
test("coded error of another copy of the package is known, and known by its code", () => {
  const foreign = Object.assign(new Error("Cannot"), { code: "Conflict", [Symbol.for("farwatch.CodedError")]: true });
  assert.equal(isCodedError(foreign), true);
  assert.equal(isCodedError(foreign, "Conflict"), true);
  assert.equal(isCodedError(foreign, "Gone"), false);
});

test("coded error is not taken for one that only has a code", () => {
  const thrown = [
    Object.assign(new Error("no"), { code: "Conflict" }),
    { code: "Conflict" },
    "Conflict",
    null,
    undefined,
  ];
  for (const each of thrown) assert.equal(isCodedError(each, "Conflict"), false);
});

test("message of anything thrown is its message or its text", () => {
  assert.equal(messageOf(new Error("below")), "below");
  assert.equal(messageOf("text"), "text");
  assert.equal(messageOf(undefined), "undefined");
  const refused = [new Error("refused at ::1"), "refused at 127.0.0.1"];
  assert.equal(messageOf(new AggregateError(refused)), "refused at ::1, refused at 127.0.0.1");
  assert.equal(messageOf(new AggregateError(refused, "no address answers")), "no address answers");
});

test("message of what cannot be read is there all the same", () => {
  const unreadable = Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("no");
    },
  });
  for (const thrown of [Object.create(null), unreadable]) assert.match(messageOf(thrown), /cannot be read/);
});
