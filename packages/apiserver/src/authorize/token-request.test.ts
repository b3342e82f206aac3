import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../failure/api-error.ts";
import { createTokenStage, decodeToken, issuer } from "./token.fixture.ts";

async function refusal(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.code} ${error.message}`;
  }
  return "";
}

test("a TokenRequest is answered with an hour for the server's own audience", async () => {
  const { request } = createTokenStage();
  const { status, ...answer } = await request();
  const { token, expirationTimestamp } = status as { readonly token: string; readonly expirationTimestamp: string };
  assert.deepEqual(answer, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {
      name: "sa1",
      namespace: "default",
      uid: "uid of default/sa1",
      creationTimestamp: "2030-01-01T00:00:00Z",
    },
    spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
  });
  assert.equal(expirationTimestamp, "2030-01-01T01:00:00Z");
  const { header, claims } = decodeToken(token);
  assert.deepEqual(Object.keys(header), ["alg", "kid"]);
  assert.deepEqual(claims, {
    aud: [issuer],
    exp: 1893459600,
    iat: 1893456000,
    iss: issuer,
    jti: "id-1",
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "sa1", uid: "uid of default/sa1" } },
    nbf: 1893456000,
    sub: "system:serviceaccount:default:sa1",
  });
});

test("a TokenRequest lasts at least ten minutes and at most 2^32 seconds", async () => {
  const { request } = createTokenStage();
  const start = '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value:';
  const few = "may not specify a duration less than 10 minutes";
  assert.equal(await refusal(request({ expirationSeconds: 599 })), `${start} 599: ${few}`);
  assert.equal(await refusal(request({ expirationSeconds: 0 })), `${start} 0: ${few}`);
  const many = "may not specify a duration larger than 2^32 seconds";
  assert.equal(await refusal(request({ expirationSeconds: 4294967297 })), `${start} 4294967297: ${many}`);
  assert.equal(await refusal(request({ expirationSeconds: 600 })), "");
});

test("a TokenRequest agrees with its service account's name and uid", async () => {
  const { request } = createTokenStage();
  assert.equal(
    await refusal(request({ expirationSeconds: 1 }, { name: "other" })),
    '422 TokenRequest.authentication.k8s.io "sa1" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  );
  assert.equal(
    await refusal(request({}, { uid: "zz" })),
    '409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa1": the UID in the token request (zz) does not match the UID of the service account (uid of default/sa1)',
  );
});

test("a TokenRequest of a missing service account answers 404 before all else", async () => {
  const { request, reader } = createTokenStage();
  reader.delete({ group: "", resource: "serviceaccounts" }, { namespace: "default", name: "sa1" });
  assert.equal(await refusal(request({ expirationSeconds: 1 })), '404 serviceaccounts "sa1" not found');
});

test("a TokenRequest binds to a secret, a node, or a pod with its node", async () => {
  const { token, put } = createTokenStage();
  put("secrets", { namespace: "default", name: "s" });
  put("nodes", { name: "n" });
  const spec = { serviceAccountName: "sa1" };
  put("pods", { namespace: "default", name: "loose" }, { spec });
  put("pods", { namespace: "default", name: "placed" }, { spec: { ...spec, nodeName: "n" } });
  put("pods", { namespace: "default", name: "lost" }, { spec: { ...spec, nodeName: "gone" } });
  const boundTo = async (kind: string, name: string): Promise<unknown> => {
    const { claims } = decodeToken(await token({ boundObjectRef: { kind, name, apiVersion: "v1" } }));
    const { serviceaccount, namespace, ...rest } = claims["kubernetes.io"] as Record<string, unknown>;
    return rest;
  };
  const node = { name: "n", uid: "uid of /n" };
  assert.deepEqual(await boundTo("Secret", "s"), { secret: { name: "s", uid: "uid of default/s" } });
  assert.deepEqual(await boundTo("Node", "n"), { node });
  assert.deepEqual(await boundTo("Pod", "loose"), { pod: { name: "loose", uid: "uid of default/loose" } });
  assert.deepEqual(await boundTo("Pod", "placed"), { node, pod: { name: "placed", uid: "uid of default/placed" } });
  assert.deepEqual(await boundTo("Pod", "lost"), {
    node: { name: "gone" },
    pod: { name: "lost", uid: "uid of default/lost" },
  });
});

test("a TokenRequest binds to nothing else", async () => {
  const { request, put } = createTokenStage();
  put("secrets", { namespace: "default", name: "s" });
  put("pods", { namespace: "default", name: "p" }, { spec: { serviceAccountName: "other" } });
  const bind = (boundObjectRef: object): Promise<string> => refusal(request({ boundObjectRef }));
  const type = "400 cannot bind token to object of type";
  assert.equal(await bind({ kind: "ConfigMap", name: "x", apiVersion: "v1" }), `${type} /v1, Kind=ConfigMap`);
  assert.equal(await bind({ kind: "Secret", name: "x", apiVersion: "apps/v1" }), `${type} apps/v1, Kind=Secret`);
  assert.equal(await bind({}), `${type} /, Kind=`);
  assert.equal(await bind({ kind: "__proto__", name: "x" }), `${type} /, Kind=__proto__`);
  assert.equal(await bind({ kind: "Secret" }), "400 Name parameter required.");
  assert.equal(await bind({ kind: "Secret", name: "x" }), '404 secrets "x" not found');
  assert.equal(
    await bind({ kind: "Secret", name: "s", uid: "bad" }),
    '409 Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (bad) does not match the UID in record. The object might have been deleted and then recreated',
  );
  assert.equal(
    await bind({ kind: "Pod", name: "p" }),
    '400 cannot bind token for serviceaccount "sa1" to pod running with different serviceaccount name.',
  );
});

test("a TokenRequest of a kubelet for a pod lasts a year and warns after the time that was asked for", async () => {
  const { request, put } = createTokenStage();
  put("pods", { namespace: "default", name: "p" }, { spec: { serviceAccountName: "sa1" } });
  const answer = await request({ expirationSeconds: 3607, boundObjectRef: { kind: "Pod", name: "p" } });
  const { token, expirationTimestamp } = answer.status as {
    readonly token: string;
    readonly expirationTimestamp: string;
  };
  const { claims } = decodeToken(token);
  assert.equal(expirationTimestamp, "2030-01-01T01:00:07Z");
  assert.equal(claims.exp, 1893456000 + 31_536_000);
  assert.equal((claims["kubernetes.io"] as { readonly warnafter?: number }).warnafter, 1893456000 + 3607);
});
