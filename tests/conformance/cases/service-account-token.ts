import { actingAs } from "../acting-as.ts";
import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import type { Answer, RequestOptions } from "../request.ts";

const apiVersion = "authentication.k8s.io/v1";
const hidden = ["status.token"];

async function account({ quietly, namespace }: Conversation, name = "robot"): Promise<void> {
  await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name } } });
}

function request({ send, namespace }: Conversation, body: unknown, name = "robot"): Promise<Answer> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  return send("POST", path, { body, omit: hidden });
}

async function tokenFor({ quietly, namespace }: Conversation, spec: object = {}): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`;
  const { body } = await quietly("POST", path, { body: { apiVersion, kind: "TokenRequest", spec } });
  return body.status.token as string;
}

function review({ send }: Conversation, spec: object, options: RequestOptions = {}): Promise<Answer> {
  return send("POST", `/apis/${apiVersion}/tokenreviews`, {
    body: { apiVersion, kind: "TokenReview", spec },
    omit: ["spec.token"],
    ...options,
  });
}

/**
 * Deletes what tokens depend on, and waits until that has ended them: the real server looks into a cache, which hears of
 * the deletion later. It also remembers a token that it has accepted for ten seconds, so that each is asked about once.
 */
async function endTokens(conversation: Conversation, path: string, spec?: object): Promise<void> {
  const { quietly, sleep } = conversation;
  const probes: string[] = [];
  while (probes.length < 9) probes.push(await tokenFor(conversation, spec));
  await quietly("DELETE", path);
  for (const [count, token] of probes.entries()) {
    const body = { apiVersion, kind: "TokenReview", spec: { token } };
    const { status } = (await quietly("POST", `/apis/${apiVersion}/tokenreviews`, { body })).body;
    if (status.authenticated !== true) return;
    await sleep(50 * 2 ** count);
  }
  throw new Error(`Tokens are still good 25 s after DELETE ${path}`);
}

/** What a token claims; recorded by way of an error, since the token itself is no JSON. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as Record<string, unknown>;
}

async function pod(conversation: Conversation, name: string, spec: object = {}): Promise<void> {
  const { quietly, namespace } = conversation;
  await quietly("POST", `/api/v1/namespaces/${namespace}/pods`, {
    body: {
      metadata: { name },
      spec: { serviceAccountName: "robot", containers: [{ name: "a", image: "a" }], ...spec },
    },
  });
}

export const area: Area = defineArea("service-account-token", (check) => {
  check("a token lasts an hour and is for the server itself", async (conversation) => {
    await account(conversation);
    const { body } = await request(conversation, { apiVersion, kind: "TokenRequest", spec: {} });
    const { exp, iat, nbf, iss, aud, sub, ...rest } = claimsOf(body.status.token as string);
    if (Number(exp) - Number(iat) !== 3600 || iat !== nbf)
      throw new Error(`Cannot take these times: ${exp}, ${iat}, ${nbf}`);
    const fields = Object.keys(rest).join();
    if (fields !== "jti,kubernetes.io") throw new Error(`Cannot take these claims: ${fields}`);
    if (
      JSON.stringify([iss, aud, sub]) !==
      JSON.stringify([
        "https://kubernetes.default.svc",
        ["https://kubernetes.default.svc"],
        `system:serviceaccount:${conversation.namespace}:robot`,
      ])
    ) {
      throw new Error(`Cannot take these claims: ${JSON.stringify([iss, aud, sub])}`);
    }
  });

  check("a token may be asked for without a kind, and without anything", async (conversation) => {
    await account(conversation);
    await request(conversation, {});
    await request(conversation, { spec: null });
    await request(conversation, { metadata: { generateName: "x-", labels: { a: "b" } }, spec: {} });
  });

  check("a token's duration has bounds", async (conversation) => {
    await account(conversation);
    for (const expirationSeconds of [599, 0, -5, 600, 4294967297]) {
      await request(conversation, { spec: { expirationSeconds } });
    }
  });

  check("a token may be for others", async (conversation) => {
    await account(conversation);
    await request(conversation, { spec: { audiences: ["a", "b"], expirationSeconds: 1000 } });
    await request(conversation, { spec: { audiences: [] } });
  });

  check("a token request agrees with its service account", async (conversation) => {
    await account(conversation);
    await request(conversation, {}, "missing");
    await request(conversation, { spec: { expirationSeconds: 1 } }, "missing");
    await request(conversation, { metadata: { name: "other" }, spec: { expirationSeconds: 1 } });
    await request(conversation, { metadata: { name: "robot", uid: "zz" } });
    await request(conversation, { metadata: { namespace: "other" } });
    await request(conversation, { apiVersion: "v1", kind: "ConfigMap" });
  });

  check("a token may be bound to a secret", async (conversation) => {
    const { quietly, namespace } = conversation;
    await account(conversation);
    await quietly("POST", `/api/v1/namespaces/${namespace}/secrets`, { body: { metadata: { name: "s" } } });
    await request(conversation, { spec: { boundObjectRef: { kind: "Secret", name: "s", apiVersion: "v1" } } });
    await request(conversation, { spec: { boundObjectRef: { kind: "Secret", name: "s" } } });
    await request(conversation, {
      spec: { boundObjectRef: { kind: "Secret", name: "s", apiVersion: "v1", uid: "bad" } },
    });
  });

  check("a token cannot be bound to what is not there, or cannot hold it", async (conversation) => {
    await account(conversation);
    for (const boundObjectRef of [
      { kind: "ConfigMap", name: "x", apiVersion: "v1" },
      { kind: "Secret", name: "x", apiVersion: "apps/v1" },
      { kind: "Secret", apiVersion: "v1" },
      { kind: "Secret", name: "x", apiVersion: "v1" },
      { kind: "Pod", name: "x", apiVersion: "v1" },
      { kind: "Node", name: "x", apiVersion: "v1" },
      {},
    ]) {
      await request(conversation, { spec: { boundObjectRef } });
    }
  });

  check("a token may be bound to a pod of its service account", async (conversation) => {
    await account(conversation);
    await pod(conversation, "mine");
    await pod(conversation, "placed", { nodeName: "nowhere" });
    await pod(conversation, "other", { serviceAccountName: "other" });
    const bound = async (name: string): Promise<void> => {
      const spec = { boundObjectRef: { kind: "Pod", name, apiVersion: "v1" } };
      await request(conversation, { spec });
      if (name !== "other") await review(conversation, { token: await tokenFor(conversation, spec) });
    };
    for (const name of ["mine", "placed", "other"]) await bound(name);
  });

  check("a token makes its bearer the service account", async (conversation) => {
    const { send, namespace } = conversation;
    await account(conversation);
    const headers = { authorization: `Bearer ${await tokenFor(conversation)}` };
    const body = { apiVersion, kind: "SelfSubjectReview" };
    await send("POST", `/apis/${apiVersion}/selfsubjectreviews`, { headers, body });
    await send("GET", `/api/v1/namespaces/${namespace}/pods`, { headers });
  });

  check("a token for others is none here", async (conversation) => {
    await account(conversation);
    const headers = { authorization: `Bearer ${await tokenFor(conversation, { audiences: ["a"] })}` };
    await conversation.send("GET", "/api", { headers });
  });

  check("a TokenReview says whose a token is", async (conversation) => {
    await account(conversation);
    await review(conversation, { token: await tokenFor(conversation) });
  });

  check("a TokenReview asks for audiences", async (conversation) => {
    await account(conversation);
    const token = await tokenFor(conversation, { audiences: ["a", "b"] });
    await review(conversation, { token });
    for (const audiences of [["a", "z"], ["b", "a"], ["z"]]) await review(conversation, { token, audiences });
    const own = await tokenFor(conversation);
    await review(conversation, { token: own, audiences: ["z"] });
    await review(conversation, { token: own, audiences: ["z", "https://kubernetes.default.svc"] });
  });

  check("a TokenReview says that a token is none", async (conversation) => {
    await review(conversation, { token: "nobody-knows-this" });
    await review(conversation, { token: "a.b.c" });
    await review(conversation, { token: "nobody-knows-this", audiences: ["z"] });
    await review(conversation, {});
    await review(conversation, { token: "" });
  });

  check("a TokenReview notices a forged token", async (conversation) => {
    await account(conversation);
    const [header = "", payload = "", signature = ""] = (await tokenFor(conversation)).split(".");
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(`.${payload}`), sub: "system:admin" })).toString(
      "base64url",
    );
    await review(conversation, { token: [header, forged, signature].join(".") });
    const foreign = Buffer.from(JSON.stringify({ iss: "https://other" })).toString("base64url");
    await review(conversation, { token: [header, foreign, signature].join(".") });
  });

  check("a TokenReview keeps what the body says where the answer says nothing", async (conversation) => {
    await account(conversation);
    const token = await tokenFor(conversation);
    const metadata = { name: "x", labels: { a: "b" } };
    const status = { authenticated: false, error: "x" };
    await review(conversation, {}, { body: { apiVersion, kind: "TokenReview", metadata, spec: { token }, status } });
  });

  check("a TokenReview is not for everybody", async (conversation) => {
    await review(conversation, { token: "x" }, { headers: actingAs(`${conversation.namespace}-user`) });
  });

  check("a token ends with its service account, also when there is another of that name", async (conversation) => {
    const path = `/api/v1/namespaces/${conversation.namespace}/serviceaccounts/robot`;
    await account(conversation);
    const first = await tokenFor(conversation);
    const second = await tokenFor(conversation);
    await endTokens(conversation, path);
    await review(conversation, { token: first });
    await account(conversation);
    await review(conversation, { token: second });
    await conversation.send("GET", "/api", { headers: { authorization: `Bearer ${second}` } });
  });

  check("a token ends with what it is bound to", async (conversation) => {
    const { quietly, namespace } = conversation;
    await account(conversation);
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    await quietly("POST", secrets, { body: { metadata: { name: "s" } } });
    const spec = { boundObjectRef: { kind: "Secret", name: "s", apiVersion: "v1" } };
    const first = await tokenFor(conversation, spec);
    const second = await tokenFor(conversation, spec);
    await endTokens(conversation, `${secrets}/s`, spec);
    await review(conversation, { token: first });
    await quietly("POST", secrets, { body: { metadata: { name: "s" } } });
    await review(conversation, { token: second });
  });
});
