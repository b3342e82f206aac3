import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { githubSignature } from "./github-signature.ts";
import { request, verifierContext } from "./scripted-sender.fixture.ts";

const path = "/api/v1/namespaces/ns/secrets/github";
const signedBy = (secret: string) =>
  request({
    headers: { "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update("body").digest("hex")}` },
    body: "body",
  });
const secretOf = (data: Readonly<Record<string, string>>) => ({
  body: {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "ns", name: "github" },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
  },
});

test("webhook secret of a Secret is read once for 30 s, and all keys that are there count", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path }, secretOf({ current: "new", previous: "old" }));
  const verifier = githubSignature({
    secret: { secretRef: { namespace: "ns", name: "github", keys: ["current", "previous", "absent", "__proto__"] } },
  });
  for (const secret of ["new", "old", "new"]) assert.ok(await verifier.verify(signedBy(secret), ctx), secret);
  assert.equal(ctx.transport.requests.length, 1);
  await ctx.clock.advance("31s");
  assert.ok(await verifier.verify(signedBy("new"), ctx));
  assert.equal(ctx.transport.requests.length, 2);
});

test("webhook secret that was just exchanged is read again before anything signed with it is refused", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path }, secretOf({ current: "old" }), secretOf({ current: "new" }));
  const verifier = githubSignature({ secret: { secretRef: { namespace: "ns", name: "github", keys: ["current"] } } });
  assert.ok(await verifier.verify(signedBy("old"), ctx));
  await ctx.clock.advance("2s");
  assert.ok(await verifier.verify(signedBy("new"), ctx));
});

test("webhook secret is asked for at most once a second, however many signatures are wrong", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path }, secretOf({ current: "right" }));
  const verifier = githubSignature({ secret: { secretRef: { namespace: "ns", name: "github", keys: ["current"] } } });
  for (let n = 0; n < 100; n += 1) assert.equal(await verifier.verify(signedBy("wrong"), ctx), undefined);
  assert.equal(ctx.transport.requests.length, 1);
  await ctx.clock.advance("1s");
  for (let n = 0; n < 100; n += 1) assert.equal(await verifier.verify(signedBy("wrong"), ctx), undefined);
  assert.equal(ctx.transport.requests.length, 2);
});

test("webhook secret whose keys are not in the Secret leaves the check undone, and says which they are", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path }, secretOf({ current: "right" }));
  const secretRef = { namespace: "ns", name: "github", keys: ["curent", "previous"] };
  await assert.rejects(githubSignature({ secret: { secretRef } }).verify(signedBy("right"), ctx), {
    code: "CredentialFailed",
    message:
      "Cannot check a signature: Secret ns/github has none of the keys curent, previous, add one there or name others in `secretRef`",
  });
});

test("webhook secret that cannot be read leaves the check undone, and is asked for again a second later", async () => {
  const ctx = verifierContext();
  const notFound = { status: 404, body: { kind: "Status", status: "Failure", code: 404, reason: "NotFound" } };
  ctx.transport.on({ path }, notFound, secretOf({ current: "right" }));
  const verifier = githubSignature({ secret: { secretRef: { namespace: "ns", name: "github", keys: ["current"] } } });
  for (let n = 0; n < 100; n += 1) await assert.rejects(verifier.verify(signedBy("right"), ctx), { code: "NotFound" });
  assert.equal(ctx.transport.requests.length, 1);
  await ctx.clock.advance("1s");
  assert.ok(await verifier.verify(signedBy("right"), ctx));
});
