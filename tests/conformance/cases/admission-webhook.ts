import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";
import { podTemplate, selector } from "../pod.ts";
import type { Answer } from "../request.ts";
import { type Answering, type Review, startWebhookServer, type WebhookServer, WholeAnswer } from "../webhook-server.ts";

const omit = ["metadata.managedFields"];
const registration = "/apis/admissionregistration.k8s.io/v1";

type Fields = Readonly<Record<string, unknown>>;

interface Hook {
  readonly mutating?: boolean;
  readonly answering?: Answering | undefined;
  /** Of the webhook. */
  readonly fields?: Fields;
  readonly rules?: readonly Fields[];
}

/** Webhooks of one case, which see the objects that are labelled with the case's namespace. */
interface Hooks {
  readonly server: WebhookServer;
  readonly labels: Readonly<Record<string, string>>;
  /** Registers a webhook `NAME.example.com` and waits until the server knows it. */
  add(name: string, hook: Hook): Promise<void>;
  /** A ConfigMap that the webhooks see. */
  labelled(name: string, data?: Readonly<Record<string, string>>): Fields;
  /** The URL of the server has another port in every run. */
  readonly view: (body: Answer["body"]) => unknown;
  /** What a webhook was sent, without what is another in every run. */
  reviews(name: string): readonly unknown[];
}

const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
const configMapRule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

async function hooksOf({ quietly, cleanup, sleep, namespace }: Conversation): Promise<Hooks> {
  const server = await startWebhookServer();
  cleanup(async () => server[Symbol.asyncDispose]());
  const labels = { hook: namespace };
  const register = async (name: string, { mutating = false, answering, fields, rules = [configMapRule] }: Hook) => {
    const kinds = `${registration}/${mutating ? "mutating" : "validating"}webhookconfigurations`;
    server.on(name, answering);
    const webhook = {
      name: `${name}.example.com`,
      clientConfig: { url: server.url(name), caBundle: server.caBundle },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      objectSelector: { matchLabels: labels },
      timeoutSeconds: 5,
      rules,
      ...fields,
    };
    const made = `${namespace}-${name}`;
    const { status, body } = await quietly("POST", kinds, { body: { metadata: { name: made }, webhooks: [webhook] } });
    if (status !== 201) throw new Error(`Cannot register ${name}: ${JSON.stringify(body)}`);
    cleanup(() => quietly("DELETE", `${kinds}/${made}`));
  };
  /** Configurations are seen in the order in which they were made. */
  const settled = async (name: string, mutating: boolean): Promise<void> => {
    const marker = { ...labels, hook: `${namespace}-${name}` };
    await register(`${name}-known`, {
      mutating,
      answering: () => ({ allowed: true }),
      fields: { objectSelector: { matchLabels: marker } },
    });
    for (let tries = 0; server.asked(`${name}-known`).length === 0; tries += 1) {
      if (tries === 200) throw new Error(`The server asks no webhook ${name}`);
      if (tries > 0) await sleep("50ms");
      const body = configMap("probe", { labels: marker });
      await quietly("POST", configMaps(namespace), { body, query: { dryRun: "All" } });
    }
  };
  const plain = (text: string): string => text.replaceAll(server.url(""), "https://webhook/");
  return {
    server,
    labels,
    async add(name, hook) {
      await register(name, hook);
      await settled(name, hook.mutating ?? false);
    },
    labelled: (name, data) => configMap(name, { labels, ...(data === undefined ? {} : { data }) }),
    view: (body) => JSON.parse(plain(JSON.stringify(body ?? null))),
    reviews: (name) => server.asked(name).map(({ query, review }) => ({ query, ...masked(review) })),
  };
}

/** What of an object is the same in every run. */
function maskedObject(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { metadata, ...rest } = value as { readonly metadata?: Fields };
  const { managedFields: _, creationTimestamp, uid, resourceVersion, ...kept } = metadata ?? {};
  const has = Object.entries({ creationTimestamp, uid }).flatMap(([name, one]) => (one ? [name] : []));
  return { ...rest, metadata: { ...kept, has } };
}

function masked({ request, ...review }: Review): Fields {
  const { uid, object, oldObject, userInfo, ...fields } = request;
  return {
    ...review,
    request: {
      ...fields,
      uid: typeof uid,
      userInfo: (userInfo as Fields).username,
      object: maskedObject(object),
      oldObject: maskedObject(oldObject),
    },
  };
}

const allow: Answering = () => ({ allowed: true });

function patch(...operations: readonly object[]): Answering {
  const text = Buffer.from(JSON.stringify(operations)).toString("base64");
  return () => ({ allowed: true, patchType: "JSONPatch", patch: text });
}

/** One request for each answer of a webhook. */
async function answers(conversation: Conversation, hook: Omit<Hook, "answering">, list: readonly Answering[]) {
  const hooks = await hooksOf(conversation);
  await hooks.add("hook", { ...hook, answering: allow });
  for (const [index, answering] of list.entries()) {
    hooks.server.on("hook", answering);
    const body = hooks.labelled(`c${index}`, { a: "1" });
    await conversation.send("POST", configMaps(conversation.namespace), { body, view: hooks.view, omit });
  }
}

const status =
  (fields: Fields): Answering =>
  () => ({ allowed: false, status: fields });
const whole =
  (code: number, body: unknown, contentType?: string): Answering =>
  () =>
    new WholeAnswer(code, body, contentType);
const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };

export const area: Area = defineArea("admission-webhook", (check) => {
  check("a refusal is answered with what the webhook says", async (conversation) => {
    await answers(conversation, {}, [
      () => ({ allowed: false }),
      status({ message: "no way" }),
      status({ reason: "BecauseISaySo" }),
      status({ code: 200, message: "low", status: "Success" }),
      status({
        code: 418,
        reason: "Teapot",
        message: "tea",
        details: { name: "n", causes: [{ field: "a.b", message: "m", reason: "r" }] },
      }),
    ]);
  });

  check("warnings of a webhook reach the client", async (conversation) => {
    await answers(conversation, {}, [
      () => ({ allowed: true, warnings: ["one", 'two "quoted"'] }),
      () => ({ allowed: false, warnings: ["three"] }),
    ]);
  });

  check("an answer that is none is a failure", async (conversation) => {
    await answers(conversation, {}, [
      whole(200, ""),
      whole(200, []),
      whole(200, review),
      () => ({ uid: "x", allowed: true }),
      ({ request }) => new WholeAnswer(200, { response: { uid: request.uid, allowed: true } }),
      whole(200, { apiVersion: "v1", kind: "ConfigMap" }),
      whole(200, { ...review, apiVersion: "admission.k8s.io/v1beta1", response: {} }),
      () => ({ allowed: "yes" }),
    ]);
  });

  check("an answer with another code is a failure", async (conversation) => {
    await answers(conversation, {}, [
      whole(500, "boom"),
      whole(500, { kind: "Status", apiVersion: "v1", status: "Failure", message: "it broke", code: 500 }),
      whole(404, "404 page not found", "text/plain"),
      whole(403, "go away", "text/plain"),
      whole(400, {}),
      whole(503, "", "text/plain"),
    ]);
  });

  check("a validating webhook patches nothing", async (conversation) => {
    await answers(conversation, {}, [patch({ op: "remove", path: "/data" }), () => ({ allowed: true, patchType: "" })]);
  });

  check("a webhook that cannot be reached fails", async (conversation) => {
    const { send, namespace } = conversation;
    for (const [name, clientConfig] of [
      ["refused", { url: "https://127.0.0.1:1/x" }],
      ["service", { service: { name: "s", namespace, path: "/x" } }],
    ] as const) {
      const hooks = await hooksOf(conversation);
      await hooks.add(name, { fields: { clientConfig, objectSelector: { matchLabels: { hook: name } } } });
      const body = configMap("a", { labels: { hook: name } });
      await send("POST", configMaps(namespace), { body, view: hooks.view });
    }
  });

  check("a webhook whose authority is unknown fails", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("hook", { answering: allow, fields: { clientConfig: { url: hooks.server.url("hook") } } });
    await send("POST", configMaps(namespace), { body: hooks.labelled("a"), view: hooks.view });
  });

  check("a webhook that may fail is passed over, but not its refusal", async (conversation) => {
    await answers(conversation, { fields: { failurePolicy: "Ignore" } }, [whole(500, ""), whole(200, ""), status({})]);
  });

  check("a webhook that takes too long fails", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("slow", { fields: { timeoutSeconds: 1 } });
    await send("POST", configMaps(namespace), { body: hooks.labelled("a"), view: hooks.view });
  });

  check("conditions decide whether a webhook is asked", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const matchConditions = [
      { name: "a", expression: "object.data.a == '1'" },
      { name: "b", expression: "request.operation == 'CREATE' && !(request.userInfo.username in ['nobody'])" },
    ];
    await hooks.add("hook", { answering: status({}), fields: { matchConditions } });
    for (const data of [{ a: "1" }, { a: "2" }, { b: "1" }]) {
      await send("POST", configMaps(namespace), { body: hooks.labelled("a", data), view: ({ message }) => message });
    }
    await send("POST", configMaps(namespace), { body: hooks.labelled("b"), omit });
  });

  check("conditions that fail pass over a webhook that may fail", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const matchConditions = [{ name: "a", expression: "object.spec.a == '1'" }];
    await hooks.add("hook", { answering: status({}), fields: { matchConditions, failurePolicy: "Ignore" } });
    await send("POST", configMaps(namespace), { body: hooks.labelled("a"), only: ["kind"] });
  });

  check("selectors decide whether a webhook is asked", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const namespaceSelector = { matchExpressions: [{ key: "quiet", operator: "DoesNotExist" }] };
    await hooks.add("hook", { answering: status({}), fields: { namespaceSelector } });
    const view = ({ message, kind }: Answer["body"]): unknown => message ?? kind;
    await send("POST", configMaps(namespace), { body: hooks.labelled("a"), view });
    await send("POST", configMaps(namespace), { body: configMap("b"), view });
    await quietly("PATCH", `/api/v1/namespaces/${namespace}`, { body: { metadata: { labels: { quiet: "y" } } } });
    await conversation.sleep("1s");
    await send("POST", configMaps(namespace), { body: hooks.labelled("c"), view });
  });

  check("rules decide whether a webhook is asked", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const rule = { ...everything, apiGroups: ["apps"], resources: ["deployments", "deployments/status"] };
    await hooks.add("hook", { answering: allow, rules: [{ ...rule, operations: ["UPDATE"], scope: "Namespaced" }] });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const spec = { selector, template: podTemplate() };
    await quietly("POST", path, { body: { metadata: { name: "d", labels: hooks.labels }, spec } });
    await quietly("PATCH", `${path}/d/status`, { body: { status: { replicas: 0 } } });
    await quietly("PATCH", `${path}/d/scale`, { body: { spec: { replicas: 2 } } });
    await quietly("PATCH", `${path}/d`, { body: { metadata: { labels: { a: "b" } } } });
    await quietly("DELETE", `${path}/d`);
    const asked = hooks.server.asked("hook").map(({ review: { request } }) => [request.operation, request.subResource]);
    await send("GET", `${path}/d`, { view: () => asked });
  });

  check("a webhook is told all of a request", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("hook", { answering: allow, rules: [everything] });
    const path = configMaps(namespace);
    const query = { fieldManager: "m", fieldValidation: "Strict" };
    await quietly("POST", path, { body: hooks.labelled("a", { a: "1" }), query });
    await quietly("PATCH", `${path}/a`, { body: { data: { a: "2" } } });
    await quietly("PUT", `${path}/a`, { body: hooks.labelled("a"), query: { dryRun: "All" } });
    await quietly("DELETE", `${path}/a`, { body: { propagationPolicy: "Background", gracePeriodSeconds: 3 } });
    await send("GET", `${path}/a`, { view: () => hooks.reviews("hook") });
  });

  check("a mutating webhook sees what the client sent", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("hook", { mutating: true, answering: allow, rules: [everything] });
    const path = configMaps(namespace);
    await quietly("POST", path, { body: hooks.labelled("a", { a: "1" }) });
    await quietly("DELETE", path, { query: { labelSelector: `hook=${namespace}` } });
    const reviews = (): unknown => [hooks.reviews("hook").at(0), hooks.reviews("hook").at(-1)];
    await send("GET", `${path}/a`, { view: reviews });
  });

  check("a webhook of a namespace and of a cluster's object", async (conversation) => {
    const { send, quietly, cleanup, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("hook", { answering: allow, rules: [{ ...everything, scope: "Cluster" }] });
    const path = `/api/v1/namespaces/${namespace}-x`;
    await quietly("POST", "/api/v1/namespaces", {
      body: { metadata: { name: `${namespace}-x`, labels: hooks.labels } },
    });
    cleanup(() => quietly("DELETE", path));
    await quietly("POST", configMaps(namespace), { body: hooks.labelled("a") });
    await send("GET", `${path}/none`, { view: () => hooks.reviews("hook") });
  });

  check("a webhook of the old version of reviews", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const fields = { admissionReviewVersions: ["v2", "v1beta1", "v1"] };
    await hooks.add("hook", { fields, answering: () => ({ uid: "", allowed: false, status: { message: "old" } }) });
    await send("POST", configMaps(namespace), { body: hooks.labelled("a") });
    await send("GET", `${configMaps(namespace)}/a`, { view: () => hooks.reviews("hook") });
  });

  check("a webhook that knows another version sees that one", async (conversation) => {
    const { send, quietly, crd } = conversation;
    const hooks = await hooksOf(conversation);
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const served = (name: string, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: schema },
    });
    const widgets = await crd({ versions: [served("v1", true), served("v2", false)] });
    const rules = [{ operations: ["CREATE"], apiGroups: [conversation.group], apiVersions: ["v2"], resources: ["*"] }];
    await hooks.add("equal", { answering: allow, rules });
    await hooks.add("exact", { answering: status({}), rules, fields: { matchPolicy: "Exact" } });
    const body = { ...widgets.object("a"), metadata: { name: "a", labels: hooks.labels } };
    await send("POST", widgets.path, { body, omit });
    await quietly("POST", widgets.path, { body });
    await send("GET", `${widgets.path}/none`, { view: () => hooks.reviews("equal").slice(0, 1) });
  });

  check("a webhook of one group sees events of the other", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const rules = [{ operations: ["*"], apiGroups: ["events.k8s.io"], apiVersions: ["v1"], resources: ["events"] }];
    await hooks.add("hook", { answering: allow, rules });
    const involvedObject = { kind: "ConfigMap", namespace, name: "a" };
    const body = { metadata: { name: "e", labels: hooks.labels }, involvedObject, message: "m" };
    await quietly("POST", `/api/v1/namespaces/${namespace}/events`, { body });
    await send("GET", `/api/v1/namespaces/${namespace}/events/none`, { view: () => hooks.reviews("hook") });
  });

  check("scale is seen as a Scale", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const rule = { ...everything, apiGroups: ["apps"], resources: ["deployments/scale"] };
    const fields = {
      objectSelector: {},
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    };
    await hooks.add("hook", { answering: allow, rules: [rule], fields });
    await hooks.add("more", {
      mutating: true,
      answering: patch({ op: "replace", path: "/spec/replicas", value: 3 }),
      rules: [rule],
      fields,
    });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const spec = { selector, template: podTemplate() };
    await quietly("POST", path, { body: { metadata: { name: "d" }, spec } });
    await send("PATCH", `${path}/d/scale`, { body: { spec: { replicas: 2 } } });
    await send("GET", `${path}/d`, { view: () => hooks.reviews("hook") });
    await send("GET", `${path}/d`, { only: ["spec.replicas"] });
  });

  check("a patch changes the object before it is checked", async (conversation) => {
    await answers(conversation, { mutating: true }, [
      patch({ op: "add", path: "/metadata/annotations", value: { by: "hook" } }),
      patch({ op: "add", path: "/data/b", value: "2" }, { op: "remove", path: "/data/a" }),
      patch({ op: "add", path: "/data/a b", value: "2" }),
      patch({ op: "add", path: "/unknown", value: "2" }),
      patch({ op: "replace", path: "/metadata/name", value: "renamed" }),
      patch({ op: "replace", path: "/metadata/namespace", value: "other" }),
      patch(),
    ]);
  });

  check("a patch that cannot be done is a failure", async (conversation) => {
    const text = (value: string): Answering => {
      const bytes = Buffer.from(value).toString("base64");
      return () => ({ allowed: true, patchType: "JSONPatch", patch: bytes });
    };
    await answers(conversation, { mutating: true }, [
      patch({ op: "remove", path: "/nope/x" }),
      patch({ op: "remove", path: "/data/x" }),
      patch({ op: "add", path: "/nope/x", value: 1 }),
      patch({ op: "test", path: "/data/a", value: "2" }),
      patch({ op: "replace", path: "/data", value: "text" }),
      patch({ op: "move", from: "/nope/x", path: "/data/a" }),
      patch({ op: "x", path: "/data" }),
      text('{"a":1}'),
      text("zzz"),
      () => ({ allowed: true, patchType: "JSONPatch", patch: "%%%" }),
      () => ({ allowed: true, patch: "W10=" }),
      () => ({ allowed: true, patchType: "JSONPatch" }),
      () => ({
        allowed: true,
        patchType: "Merge",
        patch: Buffer.from('[{"op":"remove","path":"/data"}]').toString("base64"),
      }),
    ]);
  });

  check("failures of patches, and those of webhooks that may fail", async (conversation) => {
    await answers(conversation, { mutating: true, fields: { failurePolicy: "Ignore" } }, [
      patch({ op: "remove", path: "/nope/x" }),
      () => ({ allowed: true, patchType: "JSONPatch", patch: "e30=" }),
      whole(500, ""),
    ]);
  });

  check("a patch of a custom object is pruned and checked", async (conversation) => {
    const { send, crd } = conversation;
    const hooks = await hooksOf(conversation);
    const properties = { size: { type: "integer", maximum: 5 }, color: { type: "string", default: "red" } };
    const widgets = await crd({
      schema: { type: "object", properties: { spec: { type: "object", properties } } },
    });
    const rules = [{ ...everything, apiGroups: [conversation.group], operations: ["CREATE"] }];
    await hooks.add("hook", {
      mutating: true,
      rules,
      answering: patch({ op: "add", path: "/spec", value: { size: 3, unknown: 1 } }),
    });
    const metadata = { name: "a", labels: hooks.labels };
    await send("POST", widgets.path, { body: { ...widgets.object("a"), metadata }, omit });
    hooks.server.on("hook", patch({ op: "add", path: "/spec", value: { size: 9 } }));
    await send("POST", widgets.path, { body: { ...widgets.object("b"), metadata: { ...metadata, name: "b" } } });
  });

  check(
    "mutating webhooks go by the names of their configurations, and again where they want to",
    async (conversation) => {
      const { send, namespace } = conversation;
      const hooks = await hooksOf(conversation);
      const note =
        (name: string): Answering =>
        ({ request }) => {
          const { data = {} } = request.object as { readonly data?: Readonly<Record<string, string>> };
          const value = `${data.seen ?? ""}${name}`;
          return patch({ op: "add", path: "/data", value: { seen: value } })({} as Review);
        };
      await hooks.add("b", { mutating: true, answering: note("b"), fields: { reinvocationPolicy: "IfNeeded" } });
      await hooks.add("a", { mutating: true, answering: note("a") });
      await hooks.add("c", { mutating: true, answering: note("c"), fields: { reinvocationPolicy: "IfNeeded" } });
      await send("POST", configMaps(namespace), { body: hooks.labelled("x"), omit });
    },
  );

  check("what a webhook adds to a pod is completed", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    const rules = [{ ...configMapRule, resources: ["pods"] }];
    const sidecar = { name: "sidecar", image: "proxy", resources: { limits: { cpu: "1" } } };
    await hooks.add("hook", {
      mutating: true,
      rules,
      answering: patch({ op: "add", path: "/spec/containers/-", value: sidecar }),
    });
    const body = { metadata: { name: "p", labels: hooks.labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await send("POST", `/api/v1/namespaces/${namespace}/pods`, { body, only: ["spec.containers", "message"] });
  });

  check("a webhook is not asked about webhooks", async (conversation) => {
    const { send, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("hook", { answering: status({}), rules: [everything] });
    const body = { metadata: { name: `${namespace}-other`, labels: hooks.labels }, webhooks: [] };
    const path = `${registration}/validatingwebhookconfigurations`;
    await send("POST", path, { body, query: { dryRun: "All" }, omit });
  });

  check("a webhook may stand in the way of a deletion", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const hooks = await hooksOf(conversation);
    await hooks.add("hook", {
      answering: status({ message: "keep it" }),
      rules: [{ ...everything, operations: ["DELETE"] }],
    });
    await quietly("POST", configMaps(namespace), { body: hooks.labelled("a") });
    await send("DELETE", `${configMaps(namespace)}/a`);
    await send("DELETE", configMaps(namespace));
    hooks.server.on("hook", allow);
    await send("DELETE", `${configMaps(namespace)}/a`);
  });

  check("configurations of webhooks are checked", async ({ send, namespace }) => {
    const webhook = {
      name: "a.example.com",
      clientConfig: { url: "https://example.com/x" },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    const path = `${registration}/mutatingwebhookconfigurations`;
    for (const fields of [
      {},
      { name: "a.b", clientConfig: {}, sideEffects: "Some", admissionReviewVersions: ["v3"] },
      { clientConfig: { url: "http://u:p@example.com/x?a=b#c", service: { name: "" } } },
      { clientConfig: { url: "http://u:p@example.com/x?a=b#c" } },
      { clientConfig: { service: { name: "", namespace: "", path: "a//b", port: 0 } } },
      { failurePolicy: "X", matchPolicy: "X", reinvocationPolicy: "X", timeoutSeconds: 31 },
      { rules: [{ operations: ["X", "*"], apiGroups: ["*", "a"], apiVersions: [""], resources: [], scope: "X" }] },
      { rules: [{ ...everything, resources: ["*/*", "pods", "pods/*", "pods/x"] }] },
      { matchConditions: [{ name: "a b", expression: "1" }, { name: "a", expression: "x" }, {}] },
      { matchConditions: [{ name: "a", expression: "object" }] },
      { namespaceSelector: { matchExpressions: [{ key: "a", operator: "X" }] } },
    ]) {
      const body = { metadata: { name: namespace }, webhooks: [{ ...webhook, ...fields }] };
      await send("POST", path, { body, query: { dryRun: "All" }, omit });
    }
    const twice = { metadata: { name: namespace }, webhooks: [webhook, webhook] };
    await send("POST", path, { body: twice, query: { dryRun: "All" } });
  });
});
