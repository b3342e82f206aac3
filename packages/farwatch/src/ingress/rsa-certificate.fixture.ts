// A certificate of an RSA key, by hand: nothing that this package uses can issue one.

import { createPublicKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";

export interface RsaCertificate {
  readonly pem: string;
  readonly privateKey: KeyObject;
}

/** DER (X.690): a tag, the length, the contents. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const nameless = sequence();
const sha256WithRsa = sequence(Buffer.from("06092a864886f70d01010b", "hex"), Buffer.from("0500", "hex"));

/** Valid between two years, in UTC. */
export function createRsaCertificate(fromYear: number, toYear: number): RsaCertificate {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const year = (number: number): Buffer => der(0x18, Buffer.from(`${number}0101000000Z`));
  const serial = der(0x02, Buffer.from([1]));
  const toSign = sequence(serial, sha256WithRsa, nameless, sequence(year(fromYear), year(toYear)), nameless, spki);
  const signature = der(0x03, Buffer.from([0]), sign("RSA-SHA256", toSign, privateKey));
  const certificate = new X509Certificate(sequence(toSign, sha256WithRsa, signature));
  return { pem: certificate.toString(), privateKey };
}
