import assert from "node:assert/strict";
import { test } from "node:test";
import { mutualTls } from "./mutual-tls.ts";
import { request, verifierContext } from "./scripted-sender.fixture.ts";

const fingerprint = "0123456789abcdef".repeat(4);
const peerCertificate = { fingerprint, subject: "CN=sender,O=example" };

test("mutualTls accepts a certificate by its fingerprint or its subject, and no other", async () => {
  const colons = fingerprint.toUpperCase().replaceAll(/(..)(?=.)/g, "$1:");
  for (const [options, accepted] of [
    [{ fingerprints: [fingerprint] }, true],
    [{ fingerprints: [colons] }, true],
    [{ subjects: ["CN=sender,O=example"] }, true],
    [{ subjects: ["CN=sender"] }, false],
    [{ fingerprints: [fingerprint.replaceAll("0", "1")], subjects: ["CN=other"] }, false],
  ] as const) {
    const verified = await mutualTls(options).verify(request({ peerCertificate }), verifierContext());
    assert.deepEqual(verified, accepted ? { identity: "CN=sender,O=example" } : undefined);
  }
});

test("mutualTls refuses whoever has no certificate that TLS has verified", async () => {
  assert.equal(await mutualTls({ subjects: ["CN=sender"] }).verify(request({}), verifierContext()), undefined);
});

test("mutualTls wants to know who may send", () => {
  assert.throws(() => mutualTls({}), { code: "InvalidOption" });
  assert.throws(() => mutualTls({ fingerprints: ["abc"] }), { code: "InvalidOption" });
});
