import assert from "node:assert/strict";
import { test } from "node:test";
import { regionOf } from "./sqs-region.ts";

test("regionOf finds the region in every form of a queue's URL, and nowhere else", () => {
  for (const host of ["sqs.eu-west-1.amazonaws.com", "eu-west-1.queue.amazonaws.com", "sqs.eu-west-1.api.aws"])
    assert.equal(regionOf(`https://${host}/123456789012/uploads`), "eu-west-1", host);
  assert.equal(regionOf("https://sqs.cn-north-1.amazonaws.com.cn/1/q"), "cn-north-1");
  for (const url of ["http://127.0.0.1:4566/0/q", "https://queue.amazonaws.com/1/q", "no URL"])
    assert.equal(regionOf(url), undefined, url);
});
