import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { request, verifierContext } from "./scripted-sender.fixture.ts";
import { stripeSignature } from "./stripe-signature.ts";

const verifier = stripeSignature({ secret: () => "whsec_right" });
/** When the virtual clock begins. */
const atSeconds = 1_893_456_000;
const hmac = (secret: string, at: number | string, body: string) =>
  createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");

const verdict = async (header: string, body = "body") =>
  (await verifier.verify(request({ headers: { "stripe-signature": header }, body }), verifierContext())) !== undefined;

test("stripeSignature accepts a fresh signature, whichever v1 it is, and ignores other schemes", async () => {
  const right = hmac("whsec_right", atSeconds, "body");
  const wrong = hmac("whsec_wrong", atSeconds, "body");
  assert.equal(await verdict(`t=${atSeconds},v1=${right}`), true);
  assert.equal(await verdict(`t=${atSeconds},v1=${wrong},v1=${right},v0=${wrong}`), true);
  assert.equal(await verdict(`v1=${right}, t=${atSeconds}`), true);
  assert.equal(await verdict(`t=${atSeconds},v0=${right}`), false);
  assert.equal(await verdict(`t=${atSeconds},v2=${right}`), false);
});

test("stripeSignature refuses another time, body or secret, and what is no signature", async () => {
  const right = hmac("whsec_right", atSeconds, "body");
  for (const header of [
    "",
    `v1=${right}`,
    `t=${atSeconds}`,
    `t=${atSeconds + 1},v1=${right}`,
    `t=${atSeconds},v1=${hmac("whsec_wrong", atSeconds, "body")}`,
    `t=${atSeconds},t=${atSeconds},v1=${right}`,
    `t=${atSeconds},v1=${right.slice(1)}`,
    `t=${atSeconds},${`v1=${hmac("x", 1, "")},`.repeat(20)}v1=${right}`,
    `t=-1,v1=${hmac("whsec_right", "-1", "body")}`,
    `t=1e9,v1=${hmac("whsec_right", "1e9", "body")}`,
  ]) {
    assert.equal(await verdict(header), false, header);
  }
  assert.equal(await verdict(`t=${atSeconds},v1=${right}`, "other"), false);
});

test("stripeSignature refuses what was signed too long ago, or too far ahead", async () => {
  for (const [offset, accepted] of [
    [-300, true],
    [-301, false],
    [300, true],
    [301, false],
  ] as const) {
    const at = atSeconds + offset;
    assert.equal(await verdict(`t=${at},v1=${hmac("whsec_right", at, "body")}`), accepted, String(offset));
  }
});
