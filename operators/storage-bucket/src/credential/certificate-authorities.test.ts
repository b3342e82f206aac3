import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type CertificateAuthority, createCertificateAuthority } from "@farwatch/testing";
import fc from "fast-check";
import { parseCaBundle } from "./certificate-authorities.ts";

let authority: CertificateAuthority;
before(async () => {
  authority = await createCertificateAuthority();
});

const where = "ConfigMap ca, key ca.crt";

test("CA bundle takes certificates with comments between them, and keeps the certificates alone", () => {
  const pem = authority.cert.trim();
  assert.deepEqual(parseCaBundle(`# Our authority\n${pem}\n\n# Again\n${pem}\n`, where), { pem: `${pem}\n${pem}` });
  assert.deepEqual(parseCaBundle(pem.replaceAll("\n", "\r\n"), where), { pem: pem.replaceAll("\n", "\r\n") });
});

test("CA bundle refuses anything but certificates, and does not repeat it", async () => {
  const { cert, key } = await authority.issue({ commonName: "server", usage: "server" });
  const alone = { problem: `${where} does not hold PEM certificates alone` };
  const unreadable = { problem: `${where} holds a certificate that cannot be read` };
  assert.deepEqual(parseCaBundle("", where), alone);
  assert.deepEqual(parseCaBundle(key, where), alone);
  assert.deepEqual(parseCaBundle(`${cert}\n${key}`, where), alone);
  assert.deepEqual(
    parseCaBundle("-----BEGIN CERTIFICATE-----\nbm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----", where),
    unreadable,
  );
  assert.deepEqual(parseCaBundle(`${cert}\n${cert.replace(/M/g, "N")}`, where), unreadable);
});

test("CA bundle says the same two things of whatever else it is given", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
      const read = parseCaBundle(`-----BEGIN CERTIFICATE-----${text}-----END CERTIFICATE-----`, where);
      assert.ok(
        "problem" in read &&
          /^ConfigMap ca, key ca\.crt (?:does not hold PEM certificates alone|holds a certificate that cannot be read)$/.test(
            read.problem,
          ),
      );
    }),
  );
});
