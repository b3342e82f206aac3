import assert from "node:assert/strict";
import { test } from "node:test";
import { redriveProblems } from "./sqs-redrive.ts";

test("redriveProblems tells of a policy that comes before maxDeliveries, and of one that cannot be read", () => {
  const policy = (maxReceiveCount: unknown) => JSON.stringify({ maxReceiveCount, deadLetterTargetArn: "arn" });
  for (const fine of [undefined, "", policy(11), policy("12")]) assert.deepEqual([...redriveProblems(fine, 10)], []);
  for (const maxReceiveCount of [9, 10]) {
    const problems = [...redriveProblems(policy(maxReceiveCount), 10)];
    assert.deepEqual(
      problems.map(([, fields]) => fields),
      [{ maxReceiveCount, maxDeliveries: 10 }],
    );
  }
  assert.equal([...redriveProblems("{", 10)].length, 1);
});
