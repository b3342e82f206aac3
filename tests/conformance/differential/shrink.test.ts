import assert from "node:assert/strict";
import { test } from "node:test";
import { createChoice } from "./random-choice.ts";
import { type RandomRequest, randomSequence } from "./random-request.ts";
import { shrink } from "./shrink.ts";

const request = (path: string): RandomRequest => ({ method: "GET", path });

test("shrink leaves what the last request needs, in its order", async () => {
  const sequence = Array.from({ length: 40 }, (_, index) => request(String(index)));
  const needed = ["3", "17", "39"];
  const short = await shrink(sequence, async (shorter) =>
    needed.every((path) => shorter.some((each) => each.path === path)),
  );
  assert.deepEqual(
    short.map(({ path }) => path),
    needed,
  );
});

test("shrink keeps a sequence of which everything is needed", async () => {
  const sequence = [request("a"), request("b")];
  assert.deepEqual(await shrink(sequence, async () => false), sequence);
});

test("randomSequence is the same for the same seed, and as JSON the same request", () => {
  const sequence = randomSequence(createChoice(7), 200);
  assert.deepEqual(randomSequence(createChoice(7), 200), sequence);
  assert.notDeepEqual(randomSequence(createChoice(8), 200), sequence);
  const methods = new Set(sequence.map(({ method }) => method));
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) assert.ok(methods.has(method), method);
});
