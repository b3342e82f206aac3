import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";
import type { Answer } from "../request.ts";

const omit = ["metadata.managedFields"];
const registration = "/apis/admissionregistration.k8s.io/v1";
const policies = `${registration}/validatingadmissionpolicies`;
const bindings = `${registration}/validatingadmissionpolicybindings`;

type Fields = Readonly<Record<string, unknown>>;

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] };
const deny = { validationActions: ["Deny"] };

/**
 * A policy over ConfigMaps that are labelled with the case's namespace, bound, and known to the server: it is when it refuses
 * what carries `probe`.
 */
async function bound(
  conversation: Conversation,
  spec: Fields,
  ...bindingSpecs: readonly Fields[]
): Promise<(data: Fields, name?: string) => Promise<Answer>> {
  const { quietly, cleanup, send, sleep, namespace } = conversation;
  const labels = { policy: namespace };
  const make = async (path: string, name: string, rest: Fields): Promise<void> => {
    const { status, body } = await quietly("POST", path, { body: { metadata: { name }, spec: rest } });
    if (status !== 201) throw new Error(`Cannot make ${name}: ${JSON.stringify(body)}`);
    cleanup(() => quietly("DELETE", `${path}/${name}`));
  };
  const matchConstraints = { resourceRules: [rule], objectSelector: { matchLabels: labels } };
  await make(policies, namespace, { matchConstraints, ...spec });
  for (const [index, one] of (bindingSpecs.length === 0 ? [deny] : bindingSpecs).entries()) {
    await make(bindings, `${namespace}-${index}`, { policyName: namespace, ...deny, ...one });
  }
  // The newest policy is the last to be known.
  const marker = { policy: `${namespace}-known` };
  await make(policies, `${namespace}-known`, {
    matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: marker } },
    validations: [{ expression: "false" }],
  });
  await make(bindings, `${namespace}-known`, { policyName: `${namespace}-known`, ...deny });
  for (let tries = 0; tries < 300; tries += 1) {
    const body = configMap("probe", { labels: marker });
    const { status } = await quietly("POST", configMaps(namespace), { body, query: { dryRun: "All" } });
    if (status === 422) break;
    await sleep("50ms");
  }
  return (data, name = "a") =>
    send("POST", configMaps(namespace), { body: configMap(name, { labels, data }), query: { dryRun: "All" }, omit });
}

export const area: Area = defineArea("admission-policy", (check) => {
  check("a policy refuses what its expressions do not allow", async (conversation) => {
    const create = await bound(conversation, {
      validations: [
        { expression: "object.data.a == '1'" },
        { expression: "object.data.b == '1'", message: "  b is not 1 " },
      ],
    });
    await create({ a: "1", b: "1" });
    await create({ a: "1", b: "2" });
    await create({ a: "2", b: "2" });
    await create({ b: "1" });
  });

  check("the message of a refusal may be an expression", async (conversation) => {
    const create = await bound(conversation, {
      validations: [
        {
          expression: "object.data.a == '1'",
          message: "fallback",
          messageExpression: "'a is ' + string(object.data.a) + ('b' in object.data ? string(object.data.nope) : '')",
          reason: "Forbidden",
        },
      ],
    });
    await create({ a: "2" });
    await create({ a: "2", b: "" });
    await create({ a: "x\ny" });
  });

  check("a policy that may fail allows what it cannot tell", async (conversation) => {
    const validations = [{ expression: "object.data.a == '1'" }];
    const create = await bound(conversation, { validations, failurePolicy: "Ignore" });
    await create({ b: "1" });
    await create({ a: "2" });
  });

  check("a policy has variables", async (conversation) => {
    const create = await bound(conversation, {
      variables: [
        { name: "names", expression: "object.data.map(name, name)" },
        { name: "many", expression: "variables.names.size() > 1" },
        { name: "broken", expression: "object.data.nope" },
      ],
      validations: [
        { expression: "!variables.many", messageExpression: "'has ' + string(variables.names.size())" },
        { expression: "!('broken' in object.data) || variables.broken == ''" },
      ],
    });
    await create({ a: "1" });
    await create({ a: "1", b: "2" });
    await create({ broken: "" });
  });

  check("a policy sees the request and the namespace", async (conversation) => {
    const { quietly, namespace } = conversation;
    await quietly("PATCH", `/api/v1/namespaces/${namespace}`, { body: { metadata: { labels: { team: "a" } } } });
    const create = await bound(conversation, {
      validations: [
        { expression: "namespaceObject.metadata.labels.team == 'a'" },
        { expression: "oldObject == null && request.operation == 'CREATE' && request.dryRun" },
        {
          expression: "request.name == 'b'",
          messageExpression: "request.name + request.userInfo.username + request.resource.resource + request.kind.kind",
        },
      ],
    });
    await create({});
    await create({}, "b");
  });

  check("conditions of a policy", async (conversation) => {
    const create = await bound(conversation, {
      matchConditions: [{ name: "m", expression: "object.data.a == '1'" }],
      validations: [{ expression: "false" }],
    });
    await create({ a: "1" });
    await create({ a: "2" });
    await create({ b: "1" });
  });

  check("a binding may only warn", async (conversation) => {
    const create = await bound(
      conversation,
      { validations: [{ expression: "false", message: "no" }] },
      { validationActions: ["Warn", "Audit"] },
      { validationActions: ["Audit"] },
    );
    await create({});
  });

  check("a binding takes a part of what its policy takes", async (conversation) => {
    const create = await bound(
      conversation,
      { validations: [{ expression: "false" }] },
      { matchResources: { namespaceSelector: { matchLabels: { team: "x" } } } },
      { matchResources: { resourceRules: [{ ...rule, operations: ["DELETE"] }] } },
      { matchResources: { excludeResourceRules: [{ ...rule, resourceNames: ["a"] }] } },
    );
    await create({});
    await create({}, "b");
  });

  check("a policy has parameters", async (conversation) => {
    const { quietly, namespace } = conversation;
    for (const min of ["3", "5"]) {
      const body = configMap(`min-${min}`, { labels: { is: "param" }, data: { min } });
      await quietly("POST", configMaps(namespace), { body });
    }
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [
        {
          expression: "int(object.data.a) >= int(params.data.min)",
          messageExpression: "'less than ' + string(params.data.min)",
        },
      ],
    };
    const paramRef = { selector: { matchLabels: { is: "param" } }, parameterNotFoundAction: "Deny" };
    const create = await bound(conversation, spec, { paramRef });
    await create({ a: "4" });
    await create({ a: "6" });
  });

  check("a parameter is found in the namespace of the object", async (conversation) => {
    const { quietly, namespace } = conversation;
    await quietly("POST", configMaps(namespace), { body: configMap("limit", { data: { min: "3" } }) });
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "int(object.data.a) >= int(params.data.min) && params.metadata.name == 'limit'" }],
    };
    const paramRef = { name: "limit", parameterNotFoundAction: "Deny" };
    const create = await bound(conversation, spec, { paramRef });
    await create({ a: "2" });
    await create({ a: "3" });
  });

  check("parameters that are not there", async (conversation) => {
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "object.data.a == params.data.a" }],
    };
    const allowing = { paramRef: { name: "none", parameterNotFoundAction: "Allow" } };
    const create = await bound(conversation, spec, allowing);
    await create({ a: "1" });
  });

  check("parameters that are missed", async (conversation) => {
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "object.data.a == params.data.a" }],
    };
    const create = await bound(conversation, spec, { paramRef: { name: "none", parameterNotFoundAction: "Deny" } });
    await create({ a: "1" });
  });

  check("a kind of parameters that is none", async (conversation) => {
    const spec = {
      paramKind: { apiVersion: "example.com/v1", kind: "Nope" },
      validations: [{ expression: "object.data.a == params.data.a" }],
    };
    const create = await bound(conversation, spec, { paramRef: { name: "x", parameterNotFoundAction: "Deny" } });
    await create({ a: "1" });
  });

  check("policies are checked", async ({ send, namespace }) => {
    const whole = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "true" }] };
    for (const spec of [
      {},
      whole,
      { ...whole, validations: [{ expression: " " }, { expression: "1 +" }, { expression: "1" }] },
      { ...whole, validations: [{ expression: "object.a" }, { expression: "nope" }] },
      { ...whole, validations: [{ expression: "true", message: "a\nb", messageExpression: "1", reason: "X" }] },
      {
        ...whole,
        variables: [
          { name: "a b", expression: "1" },
          { name: "a", expression: "" },
        ],
      },
      { ...whole, variables: [{ name: "a", expression: "1" }], validations: [{ expression: "variables.b == 1" }] },
      { ...whole, variables: [{ name: "a", expression: "1" }], validations: [{ expression: "variables.a == ''" }] },
      { ...whole, matchConditions: [{ name: "a", expression: "params.x == 1" }] },
      { ...whole, paramKind: { apiVersion: "a/b/c", kind: "" } },
      { ...whole, failurePolicy: "X", matchConstraints: { matchPolicy: "X" } },
      { ...whole, auditAnnotations: [{ key: "a b", valueExpression: "1" }] },
      { matchConstraints: whole.matchConstraints, auditAnnotations: [{ key: "a", valueExpression: "'x'" }] },
    ]) {
      await send("POST", policies, { body: { metadata: { name: namespace }, spec }, query: { dryRun: "All" }, omit });
    }
  });

  check("bindings are checked", async ({ send, namespace }) => {
    for (const spec of [
      {},
      { policyName: "A", validationActions: ["X", "Deny", "Deny"] },
      { policyName: "a", validationActions: ["Deny", "Warn"] },
      { policyName: "a", ...deny, paramRef: {} },
      { policyName: "a", ...deny, paramRef: { name: "a", selector: {}, parameterNotFoundAction: "X" } },
      { policyName: "a", ...deny, matchResources: { resourceRules: [{}] } },
      { policyName: "a", ...deny, matchResources: {} },
    ]) {
      await send("POST", bindings, { body: { metadata: { name: namespace }, spec }, query: { dryRun: "All" }, omit });
    }
  });
});
