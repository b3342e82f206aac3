import assert from "node:assert/strict";
import { test } from "node:test";
import { readReview } from "./webhook-answer.ts";

const wanted = { group: "example.com", kind: "Review" };
const read = (status: number, text: string, contentType = "application/json"): unknown =>
  readReview({ status, text, contentType }, wanted);

test("readReview gives the review of either version, and one that does not say what it is", () => {
  for (const review of [
    { apiVersion: "example.com/v1", kind: "Review" },
    { apiVersion: "example.com/v1beta1", kind: "Review" },
    {},
  ]) {
    assert.deepEqual(read(200, JSON.stringify(review)), review);
  }
});

test("readReview tells errors of a webhook as client-go does", () => {
  const refusals: readonly (readonly [number, string, string, string])[] = [
    [404, "not here", "text/plain", "the server could not find the requested resource"],
    [403, " no \n", "text/plain", "no"],
    [403, "{}", "application/json", "unknown"],
    [500, "it broke", "text/plain", 'an error on the server ("it broke") has prevented the request from succeeding'],
    [302, "", "", "the server responded with the status code 302 but did not return more information"],
    [500, '{"kind":"Status","message":"in its own words"}', "application/json", "in its own words"],
  ];
  for (const [status, text, contentType, message] of refusals) {
    assert.throws(() => read(status, text, contentType), { name: "WebhookFailure", message });
  }
});

test("readReview refuses what is no review", () => {
  const refusals: Readonly<Record<string, RegExp>> = {
    "": /^0-length response with status code: 200 and content type: application\/json$/,
    "{": /^couldn't get version\/kind; json parse error: unexpected end of JSON input$/,
    "[]": /^couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type struct /,
    '{"apiVersion":"v1","kind":"Pod"}': /^no kind "Pod" is registered for version "v1" in scheme /,
    '{"apiVersion":"example.com/v2","kind":"Review"}': /^no kind "Review" is registered for version "example.com\/v2" /,
  };
  for (const [text, message] of Object.entries(refusals)) {
    assert.throws(() => read(200, text), { name: "WebhookFailure", message });
  }
});
