import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../failure/api-error.ts";
import type { ClientCertificate, Credentials } from "./authenticate.ts";
import { createTokenStage } from "./token.fixture.ts";

const { authenticator, token } = createTokenStage();

const carol: ClientCertificate = {
  trusted: true,
  commonName: "carol",
  organizations: ["devs", "ops"],
  fingerprint: "09:83:EC",
};

async function whoSends(credentials: Credentials): Promise<string> {
  try {
    const { user, warning } = await authenticator.authenticate(credentials);
    return [user.name, ...(warning === undefined ? [] : [warning])].join(": ");
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.code} ${error.message}`;
  }
}

test("a request without credentials is anonymous", async () => {
  assert.deepEqual(await authenticator.authenticate({}), {
    user: { name: "system:anonymous", groups: ["system:unauthenticated"] },
    warning: undefined,
  });
  for (const authorization of ["", "Basic Zm9vOmJhcg==", "Bearer", "Bearer "]) {
    assert.equal(await whoSends({ authorization }), "system:anonymous", authorization);
  }
});

test("a bearer token makes its user, with system:authenticated", async () => {
  const { user } = await authenticator.authenticate({ authorization: "Bearer alice-token" });
  assert.deepEqual(user, { name: "alice", uid: "alice", groups: ["system:authenticated"] });
  assert.equal(await whoSends({ authorization: "bearer alice-token" }), "alice");
  assert.equal(await whoSends({ authorization: "Bearer alice-token extra" }), "alice");
  assert.equal(await whoSends({ authorization: `Bearer ${await token()}` }), "system:serviceaccount:default:sa1");
});

test("a bearer token that nobody knows is 401, never anonymous", async () => {
  assert.equal(await whoSends({ authorization: "Bearer nope" }), "401 Unauthorized");
  assert.equal(await whoSends({ authorization: "Bearer __proto__" }), "401 Unauthorized");
  assert.equal(await whoSends({ authorization: `Bearer ${await token({ audiences: ["a"] })}` }), "401 Unauthorized");
});

test("a bearer token behind two spaces is ignored with a warning", async () => {
  assert.equal(
    await whoSends({ authorization: "Bearer  alice-token" }),
    "system:anonymous: the provided Authorization header contains extra space before the bearer token, and is ignored",
  );
});

test("a client certificate makes its subject the user, before any token", async () => {
  const { user } = await authenticator.authenticate({ certificate: carol });
  assert.deepEqual(user, {
    name: "carol",
    groups: ["devs", "ops", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=0983ec"] },
  });
  assert.equal(await whoSends({ certificate: carol, authorization: "Bearer nope" }), "carol");
  assert.equal(await whoSends({ certificate: carol, authorization: "Bearer alice-token" }), "carol");
});

test("a client certificate that is not trusted is 401 unless a token is good, and one without a name is none", async () => {
  const forged = { ...carol, trusted: false };
  assert.equal(await whoSends({ certificate: forged }), "401 Unauthorized");
  assert.equal(await whoSends({ certificate: forged, authorization: "Bearer alice-token" }), "alice");
  assert.equal(await whoSends({ certificate: { ...carol, commonName: "" } }), "system:anonymous");
});

test("a user whose groups say that it is unauthenticated stays so", async () => {
  const certificate = { ...carol, organizations: ["system:unauthenticated"] };
  const { user } = await authenticator.authenticate({ certificate });
  assert.deepEqual(user.groups, ["system:unauthenticated"]);
});
