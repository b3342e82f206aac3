import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  createCertificateAuthority,
  findProgram,
  freePort,
  startNatsServer,
  startRedisServer,
} from "@farwatch/testing";
import { nkeys } from "@nats-io/transport-node";
import { jetStreamSource, redisStreamSource, type Source } from "farwatch";
import { createClient } from "redis";
import { skipWithout } from "./available-server.ts";
import { openSource } from "./opened-source.ts";

const [noNats, noRedis] = await Promise.all(
  ["nats-server", "redis-server"].map((program) => skipWithout(() => findProgram(program))),
);

/** Certificates of a server and of a client, as PEM and, those of the server, as files. */
async function certificates() {
  const folder = await mkdtempDisposable(join(tmpdir(), "farwatch-tls-"));
  const authority = await createCertificateAuthority();
  const own = await authority.issue({ commonName: "broker", hosts: ["127.0.0.1", "localhost"], usage: "server" });
  const client = await authority.issue({ commonName: "farwatch", usage: "client" });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder.path, name), text);
    return join(folder.path, name);
  };
  return {
    authority: await file("ca.pem", authority.cert),
    cert: await file("cert.pem", own.cert),
    key: await file("key.pem", own.key),
    file,
    trusting: { ca: authority.cert, cert: client.cert, key: client.key },
    /** It has no certificate of its own. */
    nameless: { ca: authority.cert },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function failureOf(source: Source<unknown>): Promise<string> {
  await using opened = openSource(source);
  return (await opened.failing()).lastError ?? "";
}

test("jetStreamSource speaks TLS and shows its certificate, as a user and by an NKey", { skip: noNats }, async () => {
  await using files = await certificates();
  const nkey = nkeys.createUser();
  const users = `{ user: "app", password: "secret-1" }, { nkey: ${nkey.getPublicKey()} }`;
  const config = await files.file("nats.conf", `authorization { users = [ ${users} ] }`);
  const tls = ["--tlsverify", "--tlscert", files.cert, "--tlskey", files.key, "--tlscacert", files.authority];
  await using server = await startNatsServer({ flags: ["--config", config, ...tls] });
  const place = { servers: `tls://localhost:${server.port}`, stream: "nothing", consumer: "farwatch" };
  const user = { user: "app", password: "secret-1" };
  const nkeySeed = new TextDecoder().decode(nkey.getSeed());
  const letIn = /^Cannot read stream nothing: there is none on this server/;
  assert.match(await failureOf(jetStreamSource({ ...place, auth: user, tls: files.trusting })), letIn);
  assert.match(await failureOf(jetStreamSource({ ...place, auth: { nkeySeed }, tls: files.trusting })), letIn);
  const refused = /^Cannot read source jetstream-nothing-farwatch from NATS: /;
  assert.match(await failureOf(jetStreamSource({ ...place, auth: user, tls: files.nameless })), refused);
  assert.match(await failureOf(jetStreamSource({ ...place, auth: user })), refused);
  assert.match(
    await failureOf(jetStreamSource({ ...place, auth: { ...user, password: "no" }, tls: files.trusting })),
    refused,
  );
});

test("redisStreamSource speaks TLS and shows its certificate", { skip: noRedis }, async () => {
  await using files = await certificates();
  const port = await freePort();
  const tls = { "tls-cert-file": files.cert, "tls-key-file": files.key, "tls-ca-cert-file": files.authority };
  await using _server = await startRedisServer({ settings: { "tls-port": String(port), ...tls } });
  const place = { url: `rediss://127.0.0.1:${port}`, stream: "s", group: "g" };
  {
    await using source = openSource(redisStreamSource({ ...place, tls: files.trusting, read: () => "read" }));
    const client = createClient({ url: place.url, socket: { tls: true, ...files.trusting } });
    await client.connect();
    await client.xAdd("s", "*", { n: "1" });
    client.destroy();
    const { event, hold } = await source.next();
    assert.equal(event.object, "read");
    hold.done();
  }
  const refused = /^Cannot read source redis-s-g from Redis: /;
  assert.match(await failureOf(redisStreamSource({ ...place, tls: files.nameless })), refused);
  assert.match(await failureOf(redisStreamSource(place)), refused);
});
