import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { type OidcOptions, oidc } from "./oidc.ts";
import { request, verifierContext } from "./scripted-sender.fixture.ts";

interface Key {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

async function createKey(kid: string, alg = "ES256"): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" }, privateKey };
}

let first: Key;
let second: Key;
before(async () => {
  [first, second] = [await createKey("first"), await createKey("second", "RS256")];
});

/** When the virtual clock begins. */
const nowSeconds = 1_893_456_000;
const audience = "https://hooks.test/builds";

/** A provider on loopback: its documents can be changed, and it counts who asks for its keys. */
async function createProvider() {
  const state = {
    keys: [] as readonly JWK[],
    status: 200,
    body: undefined as string | undefined,
    asked: 0,
    requests: 0,
  };
  const server = createServer((message, response) => {
    state.requests += 1;
    if (message.url === "/keys") state.asked += 1;
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const document = message.url === "/keys" ? { keys: state.keys } : { issuer, jwks_uri: `${issuer}/keys` };
    response.writeHead(state.status, { "content-type": "application/json", location: "/elsewhere" });
    response.end(state.body ?? JSON.stringify(document));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ctx = verifierContext();
  state.keys = [first.jwk];
  return {
    state,
    issuer,
    ctx,
    verifier: (options: Partial<OidcOptions> = {}) => oidc({ issuer, audience, ...options }),
    token: (key: Key, claims: JWTPayload = {}, header: { readonly kid?: string } = {}) =>
      new SignJWT({ iss: issuer, aud: audience, sub: "builder", exp: nowSeconds + 300, ...claims })
        .setProtectedHeader({ alg: key.jwk.alg ?? "", kid: key.jwk.kid ?? "", ...header })
        .sign(key.privateKey),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const bearer = (token: string) => request({ headers: { authorization: `Bearer ${token}` } });

test("oidc accepts a token of its issuer, for its audience, by the provider's key", async () => {
  await using provider = await createProvider();
  const { issuer, ctx, state } = provider;
  const verifier = provider.verifier();
  const identity = `${issuer} builder`;
  assert.deepEqual(await verifier.verify(bearer(await provider.token(first)), ctx), { identity });
  assert.deepEqual(await verifier.verify(bearer(await provider.token(first, { aud: ["other", audience] })), ctx), {
    identity,
  });
  const direct = provider.verifier({ jwksUri: `${issuer}/keys` });
  assert.deepEqual(await direct.verify(bearer(await provider.token(first)), ctx), { identity });
  assert.equal(state.asked, 2);
});

test("oidc refuses another issuer, audience, key or time, and tokens that nobody signed", async () => {
  await using provider = await createProvider();
  const { issuer, ctx } = provider;
  const verifier = provider.verifier();
  const unsigned = new UnsecuredJWT({ iss: issuer, aud: audience, sub: "builder", exp: nowSeconds + 300 }).encode();
  const symmetric = await new SignJWT({ iss: issuer, aud: audience, exp: nowSeconds + 300 })
    .setProtectedHeader({ alg: "HS256", kid: "first" })
    .sign(Buffer.from(JSON.stringify(first.jwk)));
  const good = await provider.token(first);
  for (const [what, token] of Object.entries({
    issuer: await provider.token(first, { iss: "https://other.test" }),
    audience: await provider.token(first, { aud: "other" }),
    expired: await provider.token(first, { exp: nowSeconds - 61 }),
    "not yet valid": await provider.token(first, { nbf: nowSeconds + 61 }),
    "without an end": await new SignJWT({ iss: issuer, aud: audience, sub: "builder" })
      .setProtectedHeader({ alg: "ES256", kid: "first" })
      .sign(first.privateKey),
    "another key": await provider.token(second),
    "another key under a known id": await provider.token({ ...first, privateKey: (await createKey("x")).privateKey }),
    unsigned,
    symmetric,
    changed: good.replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify({ iss: issuer, aud: audience })).toString("base64url")}.`,
    ),
    "no token": "abc",
  })) {
    assert.equal(await verifier.verify(bearer(token), ctx), undefined, what);
  }
});

test("oidc refuses a token that names none of several keys", async () => {
  await using provider = await createProvider();
  const { ctx, issuer, state } = provider;
  state.keys = [first.jwk, (await createKey("third")).jwk];
  const verifier = provider.verifier();
  const token = await new SignJWT({ iss: issuer, aud: audience, exp: nowSeconds + 300 })
    .setProtectedHeader({ alg: "ES256" })
    .sign(first.privateKey);
  assert.equal(await verifier.verify(bearer(token), ctx), undefined);
  assert.ok(await verifier.verify(bearer(await provider.token(first)), ctx));
});

test("oidc asks for claims, each of exactly the value", async () => {
  await using provider = await createProvider();
  const { ctx } = provider;
  const verifier = provider.verifier({ claims: { email: "push@example.test", email_verified: true } });
  const verdict = async (claims: JWTPayload) => verifier.verify(bearer(await provider.token(first, claims)), ctx);
  assert.ok(await verdict({ email: "push@example.test", email_verified: true }));
  for (const claims of [
    {},
    { email: "push@example.test" },
    { email: "push@example.test", email_verified: "true" },
    { email: "other@example.test", email_verified: true },
    { email: ["push@example.test"], email_verified: true },
  ]) {
    assert.equal(await verdict(claims), undefined);
  }
});

test("oidc keeps keys for 10 min, and fetches them once for many who wait", async () => {
  await using provider = await createProvider();
  const { ctx, state } = provider;
  const verifier = provider.verifier();
  const token = await provider.token(first, { exp: nowSeconds + 3_000 });
  await Promise.all(Array.from({ length: 20 }, () => verifier.verify(bearer(token), ctx)));
  await ctx.clock.advance("9m");
  assert.ok(await verifier.verify(bearer(token), ctx));
  assert.equal(state.asked, 1);
  await ctx.clock.advance("1m");
  assert.ok(await verifier.verify(bearer(token), ctx));
  assert.equal(state.asked, 2);
});

test("oidc fetches keys again for a key that is new, but not for each token of a stranger", async () => {
  await using provider = await createProvider();
  const { ctx, state } = provider;
  const verifier = provider.verifier();
  assert.ok(await verifier.verify(bearer(await provider.token(first)), ctx));
  state.keys = [first.jwk, second.jwk];
  await ctx.clock.advance("30s");
  assert.ok(await verifier.verify(bearer(await provider.token(second)), ctx));
  assert.equal(state.asked, 2);
  const strange = await provider.token(first, {}, { kid: "strange" });
  for (let n = 0; n < 10; n += 1) assert.equal(await verifier.verify(bearer(strange), ctx), undefined);
  assert.equal(state.asked, 2);
});

test("oidc leaves the check of a token of a new key undone while keys cannot be fetched again, and refuses no one who came at once with another", async () => {
  await using provider = await createProvider();
  const { ctx, state } = provider;
  const verifier = provider.verifier();
  assert.ok(await verifier.verify(bearer(await provider.token(first)), ctx));
  await ctx.clock.advance("31s");
  state.keys = [second.jwk];
  state.status = 503;
  const token = await provider.token(second);
  for (let n = 0; n < 5; n += 1) {
    await assert.rejects(verifier.verify(bearer(token), ctx), { code: "CredentialFailed" });
  }
  state.status = 200;
  await ctx.clock.advance("5s");
  const all = await Promise.all(Array.from({ length: 5 }, () => verifier.verify(bearer(token), ctx)));
  assert.ok(all.every((verified) => verified !== undefined));
  assert.equal(state.asked, 2);
});

test("oidc without keys leaves the check undone; with keys it goes on with them for an hour", async () => {
  await using provider = await createProvider();
  const { ctx, state } = provider;
  const verifier = provider.verifier();
  const token = await provider.token(first, { exp: nowSeconds + 10_000 });
  for (const fault of [
    { status: 500, body: undefined },
    { status: 302, body: undefined },
    { status: 200, body: "no JSON" },
    { status: 200, body: "[]" },
    { status: 200, body: JSON.stringify({ issuer: "https://other.test", jwks_uri: "https://other.test/keys" }) },
    { status: 200, body: `{"a":"${"x".repeat(300_000)}"}` },
  ]) {
    Object.assign(state, fault);
    const before = state.requests;
    for (let n = 0; n < 10; n += 1) {
      await assert.rejects(verifier.verify(bearer(token), ctx), { code: "CredentialFailed" });
    }
    assert.equal(state.requests - before, 1, "strangers do not make it be asked again and again");
    await ctx.clock.advance("5s");
  }
  Object.assign(state, { status: 200, body: undefined });
  assert.ok(await verifier.verify(bearer(token), ctx));
  state.status = 503;
  await ctx.clock.advance("59m");
  const before = state.requests;
  for (let n = 0; n < 10; n += 1) assert.ok(await verifier.verify(bearer(token), ctx));
  assert.equal(state.requests - before, 1, "whoever sends does not wait for a provider that does not answer");
  await ctx.clock.advance("2m");
  await assert.rejects(verifier.verify(bearer(token), ctx), { code: "CredentialFailed" });
});

test("oidc takes no issuer or keys that come over plain HTTP from elsewhere", () => {
  for (const options of [
    { issuer: "http://example.test", audience },
    { issuer: "https://example.test", audience, jwksUri: "http://example.test/keys" },
    { issuer: "example.test", audience },
    { issuer: "file:///etc/keys", audience },
  ]) {
    assert.throws(() => oidc(options), { code: "InvalidOption" });
  }
});
