import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { createServiceAccountTokens } from "./service-account-token.ts";
import { createTokenStage, decodeToken, issuer } from "./token.fixture.ts";

const sa1 = "system:serviceaccount:default:sa1";

test("a token makes its bearer the service account", async () => {
  const { authenticator, token } = createTokenStage();
  const { user } = await authenticator.checkToken(await token());
  assert.deepEqual(user, {
    name: sa1,
    uid: "uid of default/sa1",
    groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["JTI=id-1"] },
  });
});

test("a token says what pod and node it is bound to", async () => {
  const { authenticator, token, put } = createTokenStage();
  put("nodes", { name: "n" });
  put("pods", { namespace: "default", name: "p" }, { spec: { serviceAccountName: "sa1", nodeName: "n" } });
  const { user } = await authenticator.checkToken(await token({ boundObjectRef: { kind: "Pod", name: "p" } }));
  assert.deepEqual(user?.extra, {
    "authentication.kubernetes.io/credential-id": ["JTI=id-1"],
    "authentication.kubernetes.io/node-name": ["n"],
    "authentication.kubernetes.io/node-uid": ["uid of /n"],
    "authentication.kubernetes.io/pod-name": ["p"],
    "authentication.kubernetes.io/pod-uid": ["uid of default/p"],
  });
});

test("a token is good for its audiences alone", async () => {
  const { tokens, token, whose } = createTokenStage();
  const forOthers = await token({ audiences: ["a", "b"] });
  assert.equal(await whose(forOthers), `token audiences ["a" "b"] is invalid for the target audiences ["${issuer}"]`);
  assert.equal(await whose(forOthers, ["z"]), 'token audiences ["a" "b"] is invalid for the target audiences ["z"]');
  const verdict = await tokens.check(forOthers, ["b", "z", "a"]);
  assert.deepEqual(verdict.user === undefined ? undefined : verdict.audiences, ["b", "a"]);
});

test("a token ends a minute after its time, and with it", async () => {
  const { clock, token, whose } = createTokenStage();
  const short = await token({ expirationSeconds: 600 });
  await clock.advance("11m");
  assert.equal(await whose(short), sa1);
  await clock.advance("1s");
  assert.equal(await whose(short), "service account token has expired");
});

test("a token from the future is not valid yet", async () => {
  const { clock, token, whose } = createTokenStage();
  const made = await token();
  clock.jump(-61_000);
  assert.equal(await whose(made), "service account token is not valid yet");
  clock.jump(1000);
  assert.equal(await whose(made), sa1);
});

test("a token ends with its service account, also when there is another of that name", async () => {
  const { reader, put, token, whose } = createTokenStage();
  const made = await token();
  assert.equal(await whose(made), sa1);
  reader.delete({ group: "", resource: "serviceaccounts" }, { namespace: "default", name: "sa1" });
  assert.equal(await whose(made), 'serviceaccounts "sa1" not found');
  put("serviceaccounts", { namespace: "default", name: "sa1", uid: "new" });
  assert.equal(await whose(made), "service account UID (new) does not match claim (uid of default/sa1)");
});

test("a token ends with what it is bound to", async () => {
  const { reader, put, token, whose } = createTokenStage();
  for (const [kind, resource, namespace] of [
    ["Secret", "secrets", "default"],
    ["Pod", "pods", "default"],
    ["Node", "nodes", undefined],
  ] as const) {
    const metadata = { name: "x", ...(namespace !== undefined && { namespace }) };
    put(resource, metadata, { spec: { serviceAccountName: "sa1" } });
    const made = await token({ boundObjectRef: { kind, name: "x" } });
    assert.equal(await whose(made), sa1);
    put(resource, { ...metadata, uid: "new" }, { spec: { serviceAccountName: "sa1" } });
    const what = kind.toLowerCase();
    const old = `uid of ${namespace ?? ""}/x`;
    assert.equal(await whose(made), `${what} UID (new) does not match service account ${what} ref claim (${old})`);
    reader.delete({ group: "", resource }, { namespace, name: "x" });
    assert.equal(await whose(made), "service account token has been invalidated");
  }
});

test("a token ends a minute after the deletion of its pod began", async () => {
  const { clock, put, token, whose } = createTokenStage();
  const spec = { serviceAccountName: "sa1" };
  put("pods", { namespace: "default", name: "p" }, { spec });
  const made = await token({ boundObjectRef: { kind: "Pod", name: "p" } });
  put("pods", { namespace: "default", name: "p", deletionTimestamp: "2030-01-01T00:00:00Z" }, { spec });
  await clock.advance("60s");
  assert.equal(await whose(made), sa1);
  await clock.advance("1s");
  assert.equal(await whose(made), "service account token has been invalidated");
});

test("a token that was tampered with is refused; what is none of ours is nobody's", async () => {
  const { token, whose } = createTokenStage();
  const made = await token();
  const [header = "", payload = "", signature = ""] = made.split(".");
  const forged = Buffer.from(JSON.stringify({ ...decodeToken(made).claims, sub: "x" })).toString("base64url");
  const cryptographic = "go-jose/go-jose: error in cryptographic primitive";
  assert.equal(await whose([header, forged, signature].join(".")), cryptographic);
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  assert.equal(await whose([none, payload, ""].join(".")), cryptographic);
  const foreign = Buffer.from(JSON.stringify({ iss: "foo" })).toString("base64url");
  for (const other of [
    [header, foreign, signature].join("."),
    "a.b.c",
    "a.b",
    "",
    `${made}.x`,
    "..",
    "null.bnVsbA.x",
  ]) {
    assert.equal(await whose(other), "unknown", other);
  }
});

test("a token of another server's key is refused", async () => {
  const one = createTokenStage();
  const other = createTokenStage();
  assert.equal(await one.whose(await other.token()), "invalid signature, no keys found");
});

test("a server with a key of its own takes the tokens of the server before it", async () => {
  const { clock, reader } = createTokenStage();
  for (const type of ["rsa", "ec"] as const) {
    const { privateKey } =
      type === "rsa"
        ? generateKeyPairSync(type, { modulusLength: 2048 })
        : generateKeyPairSync(type, { namedCurve: "P-256" });
    const signingKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const before = createServiceAccountTokens({ clock, reader, signingKey });
    const claim = { namespace: "default", serviceaccount: { name: "sa1", uid: "uid of default/sa1" } };
    const token = await before.issue({
      audiences: [issuer],
      claim,
      issuedAt: 1893456000,
      expiresAt: 1893459600,
      id: "1",
    });
    const after = createServiceAccountTokens({ clock, reader, signingKey });
    assert.equal((await after.check(token, [issuer])).user?.name, sa1);
  }
});
