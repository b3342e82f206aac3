import { actingAs } from "../acting-as.ts";
import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import type { Answer, RequestOptions } from "../request.ts";

const apiVersion = "authorization.k8s.io/v1";
const pods = { verb: "get", resource: "pods" };

/** Asks a review of group authorization.k8s.io. */
function ask(
  { send, namespace }: Conversation,
  kind: string,
  spec: unknown,
  options: RequestOptions & { readonly metadata?: object } = {},
): Promise<Answer> {
  const { metadata, ...rest } = options;
  const place = kind === "LocalSubjectAccessReview" ? `namespaces/${namespace}/` : "";
  return send("POST", `/apis/${apiVersion}/${place}${kind.toLowerCase()}s`, {
    ...rest,
    body: { apiVersion, kind, ...(metadata && { metadata }), spec },
  });
}

export const area: Area = defineArea("reviews", (check) => {
  check("a SelfSubjectAccessReview says whether", async (conversation) => {
    const headers = actingAs(`${conversation.namespace}-user`);
    await ask(conversation, "SelfSubjectAccessReview", { resourceAttributes: pods });
    await ask(conversation, "SelfSubjectAccessReview", { resourceAttributes: pods }, { headers });
    await ask(
      conversation,
      "SelfSubjectAccessReview",
      { nonResourceAttributes: { path: "/x", verb: "get" } },
      { headers },
    );
  });

  check("a SelfSubjectAccessReview says which binding allows", async (conversation) => {
    const headers = actingAs(`${conversation.namespace}-user`);
    const group = "authentication.k8s.io";
    const resourceAttributes = { verb: "create", group, resource: "selfsubjectreviews" };
    await ask(conversation, "SelfSubjectAccessReview", { resourceAttributes }, { headers });
    const nonResourceAttributes = { verb: "get", path: "/openapi/v3" };
    await ask(conversation, "SelfSubjectAccessReview", { nonResourceAttributes }, { headers });
  });

  check("a SelfSubjectAccessReview wants exactly one kind of attributes", async (conversation) => {
    await ask(conversation, "SelfSubjectAccessReview", {});
    await ask(conversation, "SelfSubjectAccessReview", undefined);
    const both = { resourceAttributes: pods, nonResourceAttributes: { path: "/", verb: "get" } };
    await ask(conversation, "SelfSubjectAccessReview", both);
  });

  check("a SelfSubjectAccessReview may ask about nothing", async (conversation) => {
    await ask(conversation, "SelfSubjectAccessReview", { resourceAttributes: {} });
    await ask(conversation, "SelfSubjectAccessReview", { nonResourceAttributes: {} });
  });

  check("a SelfSubjectAccessReview answers its fields in order", async (conversation) => {
    const resourceAttributes = {
      name: "x",
      subresource: "log",
      resource: "pods",
      version: "v1",
      group: "",
      verb: "get",
      namespace: "default",
    };
    await ask(conversation, "SelfSubjectAccessReview", { resourceAttributes }, { metadata: { namespace: "other" } });
  });

  check("a SelfSubjectAccessReview checks its selectors", async (conversation) => {
    const asked = (attributes: object): Promise<Answer> =>
      ask(conversation, "SelfSubjectAccessReview", { resourceAttributes: { ...pods, ...attributes } });
    const requirements = [{ key: "a", operator: "In", values: ["b"] }];
    await asked({ fieldSelector: { rawSelector: "a=b" }, labelSelector: { requirements } });
    await asked({ fieldSelector: { rawSelector: "a=b", requirements } });
    await asked({ fieldSelector: {}, labelSelector: { requirements: [] } });
    await asked({
      fieldSelector: {
        requirements: [
          { key: "", operator: "" },
          { key: "x", operator: "In" },
          { key: "x", operator: "Exists", values: ["b"] },
        ],
      },
    });
  });

  check("a SubjectAccessReview asks about somebody", async (conversation) => {
    const { namespace } = conversation;
    await ask(conversation, "SubjectAccessReview", { user: `${namespace}-user`, resourceAttributes: pods });
    await ask(conversation, "SubjectAccessReview", { groups: ["system:masters"], resourceAttributes: pods });
    await ask(conversation, "SubjectAccessReview", {
      nonResourceAttributes: { path: "/openapi", verb: "get" },
      uid: "1",
      extra: { a: ["b"] },
      groups: ["system:authenticated"],
      user: `${namespace}-user`,
    });
  });

  check("a SubjectAccessReview needs somebody and something", async (conversation) => {
    await ask(conversation, "SubjectAccessReview", { resourceAttributes: pods });
    await ask(conversation, "SubjectAccessReview", {});
  });

  check("a SubjectAccessReview is not for everybody", async (conversation) => {
    const headers = actingAs(`${conversation.namespace}-user`);
    await ask(conversation, "SubjectAccessReview", { user: "x", resourceAttributes: pods }, { headers });
    await ask(conversation, "LocalSubjectAccessReview", { user: "x", resourceAttributes: pods }, { headers });
  });

  check("a LocalSubjectAccessReview asks about its own namespace", async (conversation) => {
    const { namespace } = conversation;
    const user = `${namespace}-user`;
    const local = (spec: object, metadata?: object): Promise<Answer> =>
      ask(conversation, "LocalSubjectAccessReview", { user, ...spec }, metadata === undefined ? {} : { metadata });
    await local({ resourceAttributes: { ...pods, namespace } });
    await local({ resourceAttributes: { ...pods, namespace } }, { namespace });
    await local({ resourceAttributes: pods });
    await local({ resourceAttributes: { ...pods, namespace: "kube-system" } });
    await local({ nonResourceAttributes: { verb: "get", path: "/" } });
    await local({ resourceAttributes: { ...pods, namespace } }, { namespace: "other" });
  });

  check("a SelfSubjectRulesReview lists what a user may", async (conversation) => {
    const { quietly, send, until, namespace } = conversation;
    const headers = actingAs(`${namespace}-user`, "system:unauthenticated");
    const apiGroup = "rbac.authorization.k8s.io";
    const api = `/apis/${apiGroup}/v1/namespaces/${namespace}`;
    const rules = [
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
      { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["x"], verbs: ["*"] },
      { apiGroups: [apiGroup, "authorization.k8s.io"], resources: ["*"], verbs: ["create"] },
    ];
    await quietly("POST", `${api}/roles`, { body: { metadata: { name: "r" }, rules } });
    const subjects = [{ kind: "User", apiGroup, name: `${namespace}-user` }];
    await quietly("POST", `${api}/rolebindings`, {
      body: { metadata: { name: "r" }, roleRef: { apiGroup, kind: "Role", name: "r" }, subjects },
    });
    await until(`/api/v1/namespaces/${namespace}/pods`, ({ status }) => status === 200, { headers, only: ["kind"] });
    // Asking for oneself is a right of the authenticated, which this user is not.
    await ask(conversation, "SelfSubjectRulesReview", { namespace }, { headers });
    const authenticated = actingAs(`${namespace}-user`);
    const { body } = await ask(
      conversation,
      "SelfSubjectRulesReview",
      { namespace },
      { headers: authenticated, omit: ["status"] },
    );
    const listed = JSON.stringify(body.status.resourceRules);
    for (const rule of ["deployments", "selfsubjectreviews", "selfsubjectrulesreviews"]) {
      if (!listed.includes(rule)) throw new Error(`Cannot find ${rule} among the rules: ${listed}`);
    }
    await send("GET", `/api/v1/namespaces/${namespace}/secrets`, { headers });
  });

  check("a SelfSubjectRulesReview needs a namespace", async (conversation) => {
    await ask(conversation, "SelfSubjectRulesReview", {});
  });

  check("a review can be created and nothing else", async ({ send }) => {
    await send("GET", `/apis/${apiVersion}/subjectaccessreviews`);
    await send("GET", `/apis/${apiVersion}/subjectaccessreviews/x`);
    await send("DELETE", `/apis/${apiVersion}/selfsubjectaccessreviews`);
    await send("PUT", `/apis/${apiVersion}/selfsubjectaccessreviews`, { body: {} });
  });

  check("a review of another kind is refused", async ({ send }) => {
    await send("POST", `/apis/${apiVersion}/selfsubjectaccessreviews`, {
      body: { apiVersion, kind: "SubjectAccessReview", spec: { resourceAttributes: pods } },
    });
  });
});
