import assert from "node:assert/strict";
import { test } from "node:test";
import { redriveProblems } from "./sqs-redrive.ts";

test("redriveProblems tells of a policy that comes before maxDeliveries, and of one that cannot be read", () => {
  const policy = (maxReceiveCount: unknown) => JSON.stringify({ maxReceiveCount, deadLetterTargetArn: "arn" });
  for (const fine of [undefined, "", policy(10), policy("11")]) assert.deepEqual([...redriveProblems(fine, 10)], []);
  assert.deepEqual(
    [...redriveProblems(policy(9), 10)].map(([, fields]) => fields),
    [{ maxReceiveCount: 9, maxDeliveries: 10 }],
  );
  assert.equal([...redriveProblems("{", 10)].length, 1);
});
