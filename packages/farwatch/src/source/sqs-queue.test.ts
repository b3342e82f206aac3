import assert from "node:assert/strict";
import { test } from "node:test";
import { redriveProblems, regionOf } from "./sqs-queue.ts";

test("regionOf finds the region in every form of a queue's URL, and nowhere else", () => {
  for (const host of ["sqs.eu-west-1.amazonaws.com", "eu-west-1.queue.amazonaws.com", "sqs.eu-west-1.api.aws"])
    assert.equal(regionOf(`https://${host}/123456789012/uploads`), "eu-west-1", host);
  assert.equal(regionOf("https://sqs.cn-north-1.amazonaws.com.cn/1/q"), "cn-north-1");
  for (const url of ["http://127.0.0.1:4566/0/q", "https://queue.amazonaws.com/1/q", "no URL"])
    assert.equal(regionOf(url), undefined, url);
});

test("redriveProblems tells of a policy that comes before maxDeliveries, and of one that cannot be read", () => {
  const policy = (maxReceiveCount: unknown) => JSON.stringify({ maxReceiveCount, deadLetterTargetArn: "arn" });
  for (const fine of [undefined, "", policy(10), policy("11")]) assert.deepEqual([...redriveProblems(fine, 10)], []);
  assert.deepEqual(
    [...redriveProblems(policy(9), 10)].map(([, fields]) => fields),
    [{ maxReceiveCount: 9, maxDeliveries: 10 }],
  );
  assert.equal([...redriveProblems("{", 10)].length, 1);
});
