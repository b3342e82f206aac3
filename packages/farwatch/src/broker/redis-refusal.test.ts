import assert from "node:assert/strict";
import { test } from "node:test";
import { redisRefusal, refusalWord } from "./redis-refusal.ts";

test("redisRefusal tells what the server said, what kind of error it is, and what to do", () => {
  const told = (text: string): readonly string[] => {
    const { code, message } = redisRefusal("orders", new Error(text));
    return [code, message];
  };
  assert.deepEqual(told("WRONGTYPE Operation against a key"), [
    "InvalidConfig",
    "Cannot read source orders from Redis: WRONGTYPE Operation against a key; name a key that holds a stream, or none yet",
  ]);
  assert.equal(told("NOPERM User x has no permissions")[0], "Forbidden");
  assert.equal(told("NOGROUP No such key")[0], "NotFound");
  for (const text of ["OOM command not allowed", "constructor x", "__proto__"]) {
    assert.deepEqual(told(text), ["ServerUnavailable", `Cannot read source orders from Redis: ${text}`]);
  }
  assert.doesNotMatch(told("ERR redis://me:s3cr3t@host")[1] ?? "", /s3cr3t/);
});

test("refusalWord is the first word of what the server said", () => {
  assert.equal(
    refusalWord(redisRefusal("orders", new Error("BUSYGROUP Consumer Group name already exists"))),
    "BUSYGROUP",
  );
  assert.equal(refusalWord(new Error("BUSYGROUP of somebody else")), "");
});
