import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { instantOf, systemClock } from "farwatch";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type IssuedCertificate,
} from "./certificate-authority.ts";

/** What a client that trusts `authority` says of a server with the certificate: undefined, or the code of its error. */
async function verdict(
  authority: CertificateAuthority,
  served: IssuedCertificate,
  servername?: string,
): Promise<string | undefined> {
  const server = createServer({ cert: served.cert, key: served.key }, (socket) => socket.end());
  // A client that refuses the certificate resets the connection.
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket: TLSSocket = connect({
    host: "127.0.0.1",
    port,
    ca: authority.cert,
    ...(servername === undefined ? {} : { servername }),
  });
  try {
    await once(socket, "secureConnect");
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
    server.close();
  }
}

test("certificate authority issues server certificates that its clients accept for their hosts and for no others", async () => {
  const authority = await createCertificateAuthority();
  const served = await authority.issue({ commonName: "s3", hosts: ["127.0.0.1", "s3.test"], usage: "server" });
  assert.equal(await verdict(authority, served), undefined);
  assert.equal(await verdict(authority, served, "s3.test"), undefined);
  assert.equal(await verdict(authority, served, "other.test"), "ERR_TLS_CERT_ALTNAME_INVALID");
});

test("certificate authority is not trusted by the clients of another one", async () => {
  const [mine, other] = [await createCertificateAuthority(), await createCertificateAuthority()];
  const served = await mine.issue({ commonName: "s3", hosts: ["127.0.0.1"], usage: "server" });
  assert.equal(await verdict(other, served), "UNABLE_TO_VERIFY_LEAF_SIGNATURE");
});

test("certificate authority issues certificates that are over, or not begun", async () => {
  const authority = await createCertificateAuthority();
  const nowMs = systemClock.now().getTime();
  const request = { commonName: "s3", hosts: ["127.0.0.1"], usage: "server" } as const;
  const over = await authority.issue({ ...request, notBefore: instantOf(nowMs - 7_200_000), validFor: "1h" });
  const early = await authority.issue({ ...request, notBefore: instantOf(nowMs + 3_600_000) });
  assert.equal(await verdict(authority, over), "CERT_HAS_EXPIRED");
  assert.equal(await verdict(authority, early), "CERT_NOT_YET_VALID");
});

test("certificate authority writes user and groups of a client certificate where Kubernetes reads them", async () => {
  const authority = await createCertificateAuthority();
  const { cert } = await authority.issue({ commonName: "ada", organizations: ["dev", "ops"], usage: "client" });
  const parsed = new X509Certificate(cert);
  assert.equal(parsed.subject, "CN=ada\nO=dev\nO=ops");
  assert.deepEqual(parsed.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(parsed.ca, false);
  assert.ok(parsed.checkIssued(new X509Certificate(authority.cert)));
});
