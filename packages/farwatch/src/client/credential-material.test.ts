import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { loadConfig } from "./load-config.ts";
import { createMemoryFiles } from "./memory-files.fixture.ts";
import { diskReader } from "./read-file.ts";

const fixture = (name: string): Promise<string> =>
  diskReader(createVirtualClock())(join(import.meta.dirname, "fixtures", name));
const [ca, cert, key, otherCert, otherKey] = (await Promise.all(
  ["ca.pem", "client.pem", "client-key.pem", "other-client.pem", "other-client-key.pem"].map(fixture),
)) as [string, string, string, string, string];
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function access(options: {
  readonly user?: object;
  readonly cluster?: object;
  readonly files?: Readonly<Record<string, string>>;
}) {
  const clock = createVirtualClock();
  const files = createMemoryFiles(options.files);
  const config = await loadConfig({
    clock,
    env: {},
    readFile: files.readFile,
    kubeconfig: {
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: "https://c.example", ...options.cluster } }],
      users: [{ name: "u", user: options.user }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    },
  });
  return { clock, files, config, current: () => config.credentials.current() };
}

test("credentials given inline carry authority, certificate and key, and never change", async () => {
  const { config, files, current } = await access({
    cluster: {
      "certificate-authority-data": `${base64(ca).slice(0, 60)}\n${base64(ca).slice(60)}`,
      "tls-server-name": "inner.example",
    },
    user: { "client-certificate-data": base64(cert), "client-key-data": base64(key), token: "both" },
  });
  const credential = await current();
  assert.deepEqual(credential, {
    headers: { authorization: "Bearer both" },
    tls: { ca, cert, key, serverName: "inner.example" },
  });
  assert.equal(await config.credentials.refused(credential), false);
  assert.deepEqual(files.reads, []);
});

test("credentials without verification say so and carry nothing else", async () => {
  const { current } = await access({ cluster: { "insecure-skip-tls-verify": true } });
  assert.deepEqual(await current(), { headers: {}, tls: { insecureSkipVerify: true } });
});

// Promise 11
test("a client certificate and its key are read again from their files", async () => {
  const { clock, files, current } = await access({
    user: { "client-certificate": "/c", "client-key": "/k" },
    files: { "/c": cert, "/k": key },
  });
  assert.deepEqual((await current()).tls, { cert, key });
  files.write("/c", otherCert);
  await clock.advance("60s");
  assert.deepEqual((await current()).tls, { cert, key }, "the new certificate waits for its key");
  files.write("/k", otherKey);
  await clock.advance("10s");
  assert.deepEqual((await current()).tls, { cert: otherCert, key: otherKey });
});

test("a tokenFile is used before a token, since it can be renewed, and trimmed", async () => {
  const { current } = await access({ user: { token: "old", tokenFile: "/t" }, files: { "/t": " \ufefffresh\r\n" } });
  assert.equal((await current()).headers.authorization, "Bearer fresh");
});

test("a client certificate and key that do not fit are named by their files", async () => {
  const user = { "client-certificate": "/c", "client-key": "/k" };
  const cannot = (what: string, path: string, field: string, problem: string) => ({
    code: "CredentialFailed",
    message: `Cannot read the ${what} file ${path} of the given kubeconfig, users[0].user.${field}: it ${problem}`,
  });
  await assert.rejects(
    access({ user, files: { "/c": cert, "/k": otherKey } }),
    cannot("client key", "/k", "client-key", "holds the key of another certificate"),
  );
  await assert.rejects(
    access({ user, files: { "/c": cert, "/k": "secret" } }),
    cannot("client key", "/k", "client-key", "holds no unencrypted private key in PEM form"),
  );
  await assert.rejects(
    access({ user, files: { "/c": key, "/k": key } }),
    cannot("client certificate", "/c", "client-certificate", "holds no certificate in PEM form"),
  );
  await assert.rejects(
    access({ user, files: { "/c": cert } }),
    cannot("client key", "/k", "client-key", "does not exist"),
  );
});

test("a client key given inline that does not fit is named by its field", async () => {
  const user = { "client-certificate-data": base64(cert), "client-key-data": base64(otherKey) };
  await assert.rejects(access({ user }), {
    code: "InvalidConfig",
    message: "Cannot read the given kubeconfig: users[0].user.client-key-data holds the key of another certificate",
  });
});
