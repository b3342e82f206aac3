import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { githubSignature } from "./github-signature.ts";
import { request, verifierContext } from "./scripted-sender.fixture.ts";

const signed = (secret: string, body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

test("githubSignature accepts the example of GitHub's documentation", async () => {
  const verifier = githubSignature({ secret: () => "It's a Secret to Everybody" });
  const headers = {
    "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  };
  const verified = await verifier.verify(request({ headers, body: "Hello, World!" }), verifierContext());
  assert.deepEqual(verified, { identity: "signed" });
});

test("githubSignature refuses a wrong signature, another body, and what is no signature", async () => {
  const verifier = githubSignature({ secret: () => "right" });
  const good = signed("right", "body");
  const wrong: readonly (readonly [string | undefined, string])[] = [
    [undefined, "body"],
    ["", "body"],
    [good, "other body"],
    [signed("wrong", "body"), "body"],
    [signed("", "body"), "body"],
    [good.replace("sha256=", "sha1="), "body"],
    [good.slice(0, -2), "body"],
    [`${good}00`, "body"],
    [good.toUpperCase(), "body"],
    [`${good}, ${good}`, "body"],
  ];
  for (const [header, body] of wrong) {
    const headers = header === undefined ? {} : { "x-hub-signature-256": header };
    assert.equal(await verifier.verify(request({ headers, body }), verifierContext()), undefined, header);
  }
});

test("githubSignature accepts the old and the new secret while they are exchanged", async () => {
  const verifier = githubSignature({ secret: () => ["new", "old"] });
  for (const secret of ["new", "old"]) {
    const headers = { "x-hub-signature-256": signed(secret, "body") };
    assert.ok(await verifier.verify(request({ headers, body: "body" }), verifierContext()), secret);
  }
});

test("githubSignature cannot check without a secret, and says so instead of refusing", async () => {
  const headers = { "x-hub-signature-256": signed("", "body") };
  for (const secret of ["", [], ["right", ""], undefined, null, 5, ["right", undefined]]) {
    const verifier = githubSignature({ secret: () => secret as string });
    await assert.rejects(verifier.verify(request({ headers, body: "body" }), verifierContext()), {
      code: "CredentialFailed",
    });
  }
  const failing = githubSignature({ secret: () => Promise.reject(new Error("no such file")) });
  await assert.rejects(failing.verify(request({ headers, body: "body" }), verifierContext()), /no such file/);
});

test("githubSignature refuses a secret that is none when it is made, and shows nothing of it", () => {
  const keyless = { secretRef: { namespace: "ns", name: "hook", keys: [] } };
  for (const secret of [undefined, null, "hunter2", {}, { secretRef: null }, keyless]) {
    assert.throws(() => githubSignature({ secret: secret as never }), {
      code: "InvalidOption",
      message:
        "Cannot check signatures: `secret` is neither, give a function that gives it, or { secretRef: { namespace, name, keys } }",
    });
  }
});

test("githubSignature tells deliveries apart by event and body, since nothing else is signed", () => {
  const { duplicateKey } = githubSignature({ secret: () => "right" });
  const keyOf = (event: string, body: string, delivery: string) =>
    duplicateKey?.(request({ headers: { "x-github-event": event, "x-github-delivery": delivery } }), Buffer.from(body));
  assert.equal(keyOf("push", "{}", "1"), keyOf("push", "{}", "2"));
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (event, body, otherEvent, otherBody) => {
      const isSame = event === otherEvent && body === otherBody;
      assert.equal(keyOf(event, body, "1") === keyOf(otherEvent, otherBody, "1"), isSame);
    }),
    { seed: 1 },
  );
});
