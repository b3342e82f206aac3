import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import type { Answer, RequestOptions } from "../request.ts";

const token = "authentication-plain-token";
const users = [
  { name: "authentication-plain", token },
  { name: "authentication-grouped", groups: ["devs", "ops"] },
] as const;

/** Asks who asks. */
function whoAmI({ send }: Pick<Conversation, "send">, options: RequestOptions = {}): Promise<Answer> {
  return send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
    ...options,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
}

export const area: Area = defineArea("authentication", { users }, (check) => {
  check("a bearer token makes its user", async (conversation) => {
    await whoAmI(conversation, { as: "authentication-plain" });
    await whoAmI(conversation, { as: "authentication-grouped" });
  });

  check("the administrator is in system:masters", async (conversation) => {
    await whoAmI(conversation);
  });

  check("the scheme of a bearer token may be in lower case", async (conversation) => {
    await whoAmI(conversation, { headers: { authorization: `bearer ${token}` } });
  });

  check("what follows a bearer token does not matter", async (conversation) => {
    await whoAmI(conversation, { headers: { authorization: `Bearer ${token} more` } });
  });

  check("a bearer token behind two spaces is ignored with a warning", async ({ send, namespace }) => {
    const headers = { authorization: `Bearer  ${token}` };
    await send("GET", `/api/v1/namespaces/${namespace}/pods`, { headers });
  });

  check("an unknown bearer token is 401, whatever is asked", async ({ send, namespace }) => {
    const headers = { authorization: "Bearer nobody-knows-this" };
    await send("GET", `/api/v1/namespaces/${namespace}/pods`, { headers });
    await send("GET", "/healthz", { headers });
    await send("GET", "/no/such/path", { headers });
  });

  check("a header that holds no bearer token leaves the request anonymous", async ({ send, namespace }) => {
    for (const authorization of ["Basic Zm9vOmJhcg==", "Bearer", "Digest x"]) {
      await send("GET", `/api/v1/namespaces/${namespace}/pods`, { as: "anonymous", headers: { authorization } });
    }
  });

  check("an anonymous request may see whether the server is well, and no more", async (conversation) => {
    const { send } = conversation;
    await send("GET", "/healthz", { as: "anonymous" });
    await send("GET", "/readyz", { as: "anonymous" });
    await send("GET", "/livez", { as: "anonymous" });
    await send("GET", "/version", { as: "anonymous", only: ["major"] });
    await send("GET", "/api", { as: "anonymous" });
    await send("GET", "/no/such/path", { as: "anonymous" });
    await send("GET", "/api/v1/namespaces", { as: "anonymous" });
    await whoAmI(conversation, { as: "anonymous" });
  });

  check("a user may see what is served, and no more", async ({ send }) => {
    const as = "authentication-plain";
    await send("GET", "/version", { as, only: ["major"] });
    await send("GET", "/apis", { as, only: ["kind"] });
    await send("GET", "/metrics", { as });
    await send("GET", "/", { as });
    await send("POST", "/metrics", { as, body: {} });
  });

  check("impersonation makes another user", async (conversation) => {
    await whoAmI(conversation, { headers: { "impersonate-user": "zed" } });
    await whoAmI(conversation, { headers: { "impersonate-user": "zed", "impersonate-group": "g1" } });
    await whoAmI(conversation, {
      headers: { "impersonate-user": "zed", "impersonate-group": "system:authenticated" },
    });
  });

  check("impersonation takes a uid and extra fields", async (conversation) => {
    const headers = {
      "impersonate-user": "zed",
      "impersonate-uid": "u1",
      "impersonate-extra-Scopes": "a",
      "impersonate-extra-acme.com%2fproject": "p",
    };
    await whoAmI(conversation, { headers });
  });

  check("impersonation of a service account brings its groups, unless others are named", async (conversation) => {
    const user = "system:serviceaccount:default:robot";
    await whoAmI(conversation, { headers: { "impersonate-user": user } });
    await whoAmI(conversation, { headers: { "impersonate-user": user, "impersonate-group": "g" } });
    await whoAmI(conversation, { headers: { "impersonate-user": "system:serviceaccount:default" } });
  });

  check("impersonation of nobody stays unauthenticated", async (conversation) => {
    await whoAmI(conversation, { headers: { "impersonate-user": "system:anonymous" } });
    const headers = { "impersonate-user": "system:anonymous", "impersonate-group": "system:authenticated" };
    await whoAmI(conversation, { headers });
    await whoAmI(conversation, { headers: { "impersonate-user": "" } });
  });

  check("impersonation without a user is refused", async (conversation) => {
    await whoAmI(conversation, { headers: { "impersonate-group": "g" } });
    await whoAmI(conversation, { headers: { "impersonate-uid": "u" } });
    await whoAmI(conversation, { headers: { "impersonate-extra-a": "x", "impersonate-group": "g" } });
    await whoAmI(conversation, { headers: { "impersonate-group": "g" }, as: "authentication-plain" });
  });

  check("impersonation needs the right to it", async (conversation) => {
    const as = "authentication-plain";
    await whoAmI(conversation, { as, headers: { "impersonate-user": "zed" } });
    await whoAmI(conversation, { as, headers: { "impersonate-user": "system:serviceaccount:default:robot" } });
    await whoAmI(conversation, { as: "anonymous", headers: { "impersonate-user": "zed" } });
  });

  check("a refusal names a user as Go quotes it, with HTML's escapes", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await send("GET", path, { headers: { "impersonate-user": "a<b>&\"c\\d'" } });
    await send("GET", "/a%22b%3Cc", { as: "authentication-plain" });
  });
});
