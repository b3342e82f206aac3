import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "farwatch";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { attributes, readerOf, registry, stored } from "./admission.fixture.ts";
import type { Admission } from "./admission.ts";
import type { Webhook } from "./built-in/webhook-configuration.ts";
import { createAdmission } from "./create-admission.ts";
import { type WebhookCall, WebhookFailure } from "./webhook/webhook-post.ts";

interface ReviewRequest {
  readonly uid: string;
  readonly object: DraftObject | null;
  readonly oldObject: DraftObject | null;
}

type Answering = (request: ReviewRequest, call: WebhookCall) => Promise<object> | object;

interface SetUp {
  readonly mutating?: readonly Webhook[];
  readonly validating?: readonly Webhook[];
  readonly objects?: Readonly<Record<string, readonly StoredObject[]>>;
  readonly answers?: Readonly<Record<string, Answering>>;
  readonly resolveService?: () => string;
}

const registration = "admissionregistration.k8s.io";
const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];

/** A webhook `NAME.example.com` that is posted to at `/NAME`. */
function hook(name: string, fields: Webhook = {}): Webhook {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: `https://hook/${name}` },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    rules,
    ...fields,
  };
}

function setUp({ mutating = [], validating = [], objects = {}, answers = {}, resolveService }: SetUp) {
  const calls: string[] = [];
  const configured = (kind: string, hooks: readonly Webhook[]): readonly StoredObject[] =>
    hooks.map((webhook, index) =>
      stored(`${registration}/v1`, kind, { metadata: { name: `c${index}` }, webhooks: [webhook] }),
    );
  let uids = 0;
  const admission: Admission = createAdmission({
    reader: readerOf({
      "/namespaces": [stored("v1", "Namespace", { metadata: { name: "default" } })],
      [`${registration}/mutatingwebhookconfigurations`]: configured("MutatingWebhookConfiguration", mutating),
      [`${registration}/validatingwebhookconfigurations`]: configured("ValidatingWebhookConfiguration", validating),
      ...objects,
    }),
    registry,
    codec: {
      decode: (_served, value) => ({ object: value as DraftObject }),
      convert: (_served, object, { version }) => ({ ...object, apiVersion: version }),
    },
    random: seededRandom(1),
    uuid: () => `uid-${++uids}`,
    post: async (call) => {
      const name = new URL(call.url).pathname.slice(1);
      calls.push(name);
      const { request, apiVersion }: { readonly request: ReviewRequest; readonly apiVersion: string } = JSON.parse(
        call.body,
      );
      const response = await (answers[name] ?? (() => ({})))(request, call);
      const body = { kind: "AdmissionReview", apiVersion, response: { uid: request.uid, allowed: true, ...response } };
      return { status: 200, contentType: "application/json", text: JSON.stringify(body) };
    },
    ...(resolveService === undefined ? {} : { resolveService }),
  });
  return { admission, calls };
}

function patching(...operations: readonly object[]): object {
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}

const append = (letter: string): Answering =>
  function appendTo({ object }) {
    const seen = (object?.data as { readonly seen?: string } | undefined)?.seen ?? "";
    return patching({ op: "add", path: "/data", value: { seen: `${seen}${letter}` } });
  };

const denying: Answering = () => ({ allowed: false, status: { message: "no" } });
const failing: Answering = () => {
  throw new WebhookFailure("Post: broken");
};

test("Mutating webhooks go one after the other, and once more where they want to know", async () => {
  const again = { reinvocationPolicy: "IfNeeded" };
  const { admission, calls } = setUp({
    mutating: [hook("a"), hook("b", again), hook("c", again)],
    answers: { a: append("a"), b: append("b"), c: append("c") },
  });
  const object = await admission.mutate(attributes());
  assert.deepEqual(object.data, { seen: "abcbc" });
  assert.deepEqual(calls, ["a", "b", "c", "b", "c"]);
});

test("A webhook that changes nothing makes nobody look again", async () => {
  const { admission, calls } = setUp({
    mutating: [hook("a", { reinvocationPolicy: "IfNeeded" }), hook("b")],
    answers: { b: () => patching({ op: "add", path: "/metadata/name", value: "a" }) },
  });
  await admission.mutate(attributes());
  assert.deepEqual(calls, ["a", "b"]);
});

test("What a webhook has added to a pod is completed, and shown to those who want to know", async () => {
  const { admission, calls } = setUp({
    mutating: [hook("a", { reinvocationPolicy: "IfNeeded" }), hook("b")],
    answers: { b: () => patching({ op: "remove", path: "/spec/tolerations" }) },
  });
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [] } };
  const mutated = await admission.mutate(attributes({ plural: "pods", object }));
  assert.equal((mutated.spec as { tolerations: unknown[] }).tolerations.length, 2);
  assert.deepEqual(calls, ["a", "b", "a"]);
});

test("A refusal ends it", async () => {
  const { admission, calls } = setUp({ mutating: [hook("a"), hook("b")], answers: { a: denying } });
  await assert.rejects(admission.mutate(attributes()), {
    code: 400,
    message: 'admission webhook "a.example.com" denied the request: no',
  });
  assert.deepEqual(calls, ["a"]);
});

test("A webhook that fails is fatal, unless it may fail", async () => {
  const answers = { a: failing };
  const fatal = setUp({ validating: [hook("a")], answers });
  await assert.rejects(fatal.admission.validate(attributes()), {
    code: 500,
    message: 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post: broken',
  });
  const { admission, calls } = setUp({ validating: [hook("a", { failurePolicy: "Ignore" })], answers });
  await admission.validate(attributes());
  assert.deepEqual(calls, ["a"]);
});

test("An error that is none of the webhook's is not passed over", async () => {
  const { admission } = setUp({
    validating: [hook("a", { failurePolicy: "Ignore" })],
    answers: {
      a: () => {
        throw new Error("a mistake");
      },
    },
  });
  await assert.rejects(admission.validate(attributes()), { message: "a mistake" });
});

test("Validating webhooks are asked at one time, and the first refusal counts", async () => {
  let release = (): void => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { admission } = setUp({
    validating: [hook("a"), hook("b")],
    answers: {
      a: async () => {
        await both;
        return { allowed: false, status: { message: "slow" } };
      },
      b: () => {
        release();
        return { allowed: false, status: { message: "fast" } };
      },
    },
  });
  await assert.rejects(admission.validate(attributes()), { message: /slow$/ });
});

test("A deletion is shown to mutating webhooks, which have nothing to change", async () => {
  const old = stored("v1", "ConfigMap", { metadata: { name: "a" } });
  const deletion = attributes({ operation: "DELETE", old });
  const seen: unknown[] = [];
  const { admission, calls } = setUp({
    mutating: [hook("a")],
    validating: [hook("b")],
    answers: {
      a: ({ object, oldObject }) => {
        seen.push(object, oldObject?.metadata.name);
        return {};
      },
    },
  });
  await admission.validate(deletion);
  assert.deepEqual(calls, ["a", "b"]);
  assert.deepEqual(seen, [null, "a"]);
  const eager = setUp({ mutating: [hook("a")], answers: { a: () => patching({ op: "add", path: "/x", value: 1 }) } });
  await assert.rejects(eager.admission.validate(deletion), {
    message: /attempted to modify the object, which is not supported for this operation$/,
  });
});

test("A dry run goes to webhooks without side effects alone", async () => {
  const quiet = setUp({ validating: [hook("a", { sideEffects: "NoneOnDryRun" })] });
  await quiet.admission.validate(attributes({ dryRun: true }));
  const loud = setUp({ validating: [hook("a", { sideEffects: "Some", failurePolicy: "Ignore" })] });
  await assert.rejects(loud.admission.validate(attributes({ dryRun: true })), {
    code: 400,
    message: 'admission webhook "a.example.com" does not support dry run',
  });
  assert.deepEqual(loud.calls, []);
});

test("A Service that a webhook names is reached where it is said to be", async () => {
  const service = { namespace: "n", name: "s", path: "/a" };
  const seen: Partial<WebhookCall>[] = [];
  const { admission } = setUp({
    validating: [
      hook("a", { clientConfig: { service, caBundle: Buffer.from("PEM").toString("base64") }, timeoutSeconds: 3 }),
    ],
    resolveService: () => "https://127.0.0.1:9",
    answers: {
      a: (_request, { url, serverName, ca, timeoutMs }) => {
        seen.push({ url, ...(serverName && { serverName }), ...(ca && { ca }), timeoutMs });
        return {};
      },
    },
  });
  await admission.validate(attributes());
  assert.deepEqual(seen, [
    { url: "https://127.0.0.1:9/a?timeout=3s", serverName: "s.n.svc", ca: "PEM", timeoutMs: 3_000 },
  ]);
});

test("A Service that nobody has said where to find is not reached", async () => {
  const clientConfig = { service: { namespace: "n", name: "s" } };
  const service = stored("v1", "Service", { metadata: { name: "s", namespace: "n" } });
  for (const [objects, message] of [
    [{}, /Post "https:\/\/s\.n\.svc:443\?timeout=10s": service "s" not found$/],
    [{ "/services": [service] }, /no endpoints available for service "s": nothing runs in this cluster/],
  ] as const) {
    const { admission } = setUp({ validating: [hook("a", { clientConfig })], objects });
    await assert.rejects(admission.validate(attributes()), { code: 500, message });
  }
});

test("No webhook and no policy is asked about webhooks and policies", async () => {
  const { admission, calls } = setUp({ mutating: [hook("a")], validating: [hook("b")] });
  for (const plural of ["mutatingwebhookconfigurations", "validatingadmissionpolicybindings"]) {
    const asked = attributes({ group: registration, plural });
    await admission.mutate(asked);
    await admission.validate(asked);
  }
  assert.deepEqual(calls, []);
});

test("A condition that cannot be told refuses a request, or passes over a webhook that may fail", async () => {
  const matchConditions = [{ name: "c", expression: "object.data.a == '1'" }];
  const strict = setUp({ validating: [hook("a", { matchConditions })] });
  await assert.rejects(strict.admission.validate(attributes()), {
    code: 403,
    message: "configmaps \"a\" is forbidden: expression 'object.data.a == '1'' resulted in error: no such key: data",
  });
  const lenient = setUp({ validating: [hook("a", { matchConditions, failurePolicy: "Ignore" })] });
  await lenient.admission.validate(attributes());
  assert.deepEqual([...strict.calls, ...lenient.calls], []);
});

test("A new service gets its address from admission", () => {
  const { admission } = setUp({});
  const spec = { type: "ClusterIP", ports: [{ port: 80 }] };
  const object = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec };
  admission.allocate(attributes({ plural: "services", object }));
  assert.match((object.spec as { clusterIP?: string }).clusterIP ?? "", /^10\.0\.0\.\d+$/);
});

test("A policy that binds refuses, and its warnings are heard", async () => {
  const policy = (name: string, spec: object): StoredObject =>
    stored(`${registration}/v1`, "ValidatingAdmissionPolicy", {
      metadata: { name },
      spec: { matchConstraints: { resourceRules: rules }, ...spec },
    });
  const binding = (policyName: string, validationActions: readonly string[]): StoredObject =>
    stored(`${registration}/v1`, "ValidatingAdmissionPolicyBinding", {
      metadata: { name: `bind-${policyName}` },
      spec: { policyName, validationActions },
    });
  const { admission } = setUp({
    objects: {
      [`${registration}/validatingadmissionpolicies`]: [
        policy("loud", { validations: [{ expression: "false", message: "careful" }] }),
        policy("strict", { validations: [{ expression: "object.metadata.name == 'b'", reason: "Forbidden" }] }),
        policy("unbound", { validations: [{ expression: "false" }] }),
      ],
      [`${registration}/validatingadmissionpolicybindings`]: [binding("loud", ["Warn"]), binding("strict", ["Deny"])],
    },
  });
  const warnings: string[] = [];
  const warn = (text: string): void => {
    warnings.push(text);
  };
  await assert.rejects(admission.validate(attributes({ warn })), {
    code: 403,
    reason: "Forbidden",
    message:
      "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'strict' with binding 'bind-strict' denied request: failed expression: object.metadata.name == 'b'",
  });
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } };
  await admission.validate(attributes({ object, warn }));
  const warning = "Validation failed for ValidatingAdmissionPolicy 'loud' with binding 'bind-loud': careful";
  assert.deepEqual(warnings, [warning, warning]);
});
