import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import { verdict } from "../judged-spec.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const text = { type: "string" };
const good = {
  type: "object",
  properties: { spec: { type: "object", properties: { a: text, n: { type: "integer" } } } },
};

interface Version {
  readonly name?: string;
  readonly served?: unknown;
  readonly storage?: unknown;
  readonly [field: string]: unknown;
}

const version = (rest: Version = {}): Version => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: good },
  ...rest,
});

function definition(group: string, spec: Readonly<Record<string, unknown>> = {}, name = `widgets.${group}`): unknown {
  const names = { plural: "widgets", kind: "Widget" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group, scope: "Namespaced", names, versions: [version()], ...spec },
  };
}

async function offer(
  { send, group }: Conversation,
  ...specs: readonly Readonly<Record<string, unknown>>[]
): Promise<void> {
  for (const spec of specs) {
    await send("POST", definitions, { body: definition(group, spec), query: { dryRun: "All" }, view: verdict });
  }
}

/** As schemas of the only version. */
function offerSchemas(conversation: Conversation, ...schemas: readonly unknown[]): Promise<void> {
  return offer(
    conversation,
    ...schemas.map((openAPIV3Schema) => ({ versions: [version({ schema: { openAPIV3Schema } })] })),
  );
}

/** As schemas of the only field. */
function offerFields(conversation: Conversation, ...fields: readonly unknown[]): Promise<void> {
  return offerSchemas(conversation, ...fields.map((a) => ({ type: "object", properties: { a } })));
}

export const area: Area = defineArea("custom-resource-definition", (check) => {
  check("a definition is answered with what the server adds", async ({ send, group, cleanup, quietly }) => {
    cleanup(() => quietly("DELETE", `${definitions}/widgets.${group}`));
    await send("POST", definitions, { body: definition(group) });
  });

  check("the name is made of plural and group", async ({ send, group }) => {
    await send("POST", definitions, { body: definition(group, {}, `others.${group}`), view: verdict });
  });

  check("a group is a domain with a dot", async ({ send }) => {
    for (const group of ["nodot", "Upper.example", ""]) {
      await send("POST", definitions, { body: definition(group), view: verdict });
    }
  });

  check("groups of Kubernetes need approval", async ({ send }) => {
    const body = definition("conformance.k8s.io") as { readonly metadata: object };
    await send("POST", definitions, { body, query: { dryRun: "All" }, view: verdict });
    for (const approved of ["unapproved, a test", "https://example.com/1", "anything"]) {
      const annotations = { "api-approved.kubernetes.io": approved };
      await send("POST", definitions, {
        body: { ...body, metadata: { ...body.metadata, annotations } },
        query: { dryRun: "All" },
        view: verdict,
      });
    }
  });

  check("names are checked", (conversation) =>
    offer(
      conversation,
      { names: { plural: "widgets", kind: "No_Kind" } },
      { names: { plural: "widgets" } },
      { names: { plural: "widgets", kind: "Widget", listKind: "Widget", shortNames: ["W"], categories: ["a b"] } },
      { names: { plural: "widgets", kind: "Widget", singular: "Not-Lower" } },
    ),
  );

  check("scope is one of two", (conversation) => offer(conversation, { scope: "Global" }, { scope: "" }));

  check("exactly one version is stored", (conversation) =>
    offer(
      conversation,
      { versions: [version(), version({ name: "v2" })] },
      { versions: [version({ storage: false })] },
      { versions: [version(), version({ storage: false })] },
      { versions: [] },
    ),
  );

  check("names of versions are checked", (conversation) =>
    offer(conversation, { versions: [version({ name: "V_1" })] }),
  );

  check("every version needs a schema", (conversation) =>
    offer(
      conversation,
      { versions: [{ name: "v1", served: true, storage: true }] },
      { versions: [version({ schema: {} })] },
      { versions: [version(), { name: "v2", served: false, storage: false }] },
    ),
  );

  check("errors in one of two schemas name its version", (conversation) =>
    offer(conversation, {
      versions: [
        version(),
        version({ name: "v2", storage: false, schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } } }),
      ],
    }),
  );

  check("a schema must be structural", (conversation) =>
    offerFields(
      conversation,
      {},
      { type: "array" },
      { type: "array", items: {} },
      { anyOf: [{ type: "string" }] },
      { type: "object", properties: { b: text }, oneOf: [{ properties: { c: { minLength: 1 } } }] },
      {
        type: "object",
        allOf: [{ properties: { b: { type: "string", default: "x", description: "d", nullable: true } } }],
      },
      { type: "array", items: text, not: { items: { pattern: "(" } } },
      { type: "object", additionalProperties: {} },
    ),
  );

  check("the root of a schema", (conversation) =>
    offerSchemas(
      conversation,
      {},
      { type: "string" },
      { type: "object", nullable: true },
      { type: "object", additionalProperties: text },
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
      },
      { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
      {
        type: "object",
        properties: { metadata: { type: "string" }, kind: { type: "integer" }, apiVersion: { type: "object" } },
      },
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } },
      },
    ),
  );

  check("what a schema may not say", (conversation) =>
    offerFields(
      conversation,
      { type: "text" },
      { type: "null" },
      { type: "array", uniqueItems: true, items: text },
      { type: "array", items: [text] },
      { type: "object", properties: { b: text }, additionalProperties: text },
      { type: "object", patternProperties: { a: text } },
      { $ref: "#/definitions/x" },
      { type: "object", definitions: { a: text } },
      { type: "object", dependencies: { a: ["b"] } },
      { type: "array", items: text, additionalItems: true },
      { type: "string", id: "a" },
      { type: "string", pattern: "(?=a)" },
      { type: "string", pattern: "a**" },
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      { type: "object", additionalProperties: false },
    ),
  );

  check("int-or-string and embedded resources", (conversation) =>
    offerFields(
      conversation,
      { "x-kubernetes-int-or-string": true, type: "string" },
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }] },
      {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "^a" }],
      },
      { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
      { "x-kubernetes-embedded-resource": true },
      { type: "object", "x-kubernetes-embedded-resource": true },
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        additionalProperties: text,
        properties: { kind: { type: "integer" } },
      },
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: {
          metadata: { type: "object", properties: { labels: { type: "object", additionalProperties: text } } },
        },
      },
    ),
  );

  check("list and map types", (conversation) => {
    const item = { type: "object", properties: { k: text, o: { type: "object" } } };
    return offerFields(
      conversation,
      { type: "array", "x-kubernetes-list-type": "heap", items: text },
      { type: "string", "x-kubernetes-list-type": "set" },
      { "x-kubernetes-list-type": "set" },
      { type: "array", "x-kubernetes-list-type": "map", items: item },
      { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: item },
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "k", "z", "o"],
        items: { ...item, required: ["k", "o"] },
      },
      { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: text },
      { type: "array", "x-kubernetes-list-map-keys": ["k"], items: item },
      { type: "array", "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["k"], items: text },
      { type: "array", "x-kubernetes-list-type": "set", items: item },
      { type: "array", "x-kubernetes-list-type": "set", items: { ...text, nullable: true } },
      {
        type: "array",
        "x-kubernetes-list-type": "set",
        items: { type: "array", "x-kubernetes-list-type": "set", items: text },
      },
      { type: "object", "x-kubernetes-map-type": "loose" },
      { type: "string", "x-kubernetes-map-type": "atomic" },
    );
  });

  check("defaults must be values that the schema takes", (conversation) =>
    offerFields(
      conversation,
      { type: "integer", default: "x" },
      { type: "integer", minimum: 5, default: 1 },
      { type: "string", enum: ["a"], default: "b" },
      { type: "object", properties: { b: text }, default: { b: "x", c: 1 } },
      { type: "object", required: ["b"], properties: { b: text }, default: {} },
      { type: "string", maxLength: 5, default: "abc", "x-kubernetes-validations": [{ rule: "self == 'x'" }] },
      { type: "string", nullable: true, default: null },
      { type: "array", items: { type: "string", default: "a" } },
      { type: "object", additionalProperties: { type: "string", default: 1 } },
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        default: { kind: "Pod" },
      },
    ),
  );

  check("unknown formats are warned of", async ({ send, group }) => {
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: { a: { type: "string", format: "unheard" }, b: { type: "integer", format: "int32" } },
      },
    };
    await send("POST", definitions, {
      body: definition(group, { versions: [version({ schema })] }),
      query: { dryRun: "All" },
      only: ["kind"],
    });
  });

  check("unknown fields of a definition", async ({ send, group }) => {
    const schema = { openAPIV3Schema: { type: "object", zip: 1, properties: { a: { type: "string", zap: 2 } } } };
    const body = definition(group, { versions: [version({ schema, extra: 1 })], more: 1 });
    for (const fieldValidation of ["Warn", "Strict"]) {
      await send("POST", definitions, {
        body,
        query: { dryRun: "All", fieldValidation },
        only: ["kind", "reason", "message"],
      });
    }
  });

  check("values of wrong types are refused", async ({ send, group }) => {
    for (const spec of [
      { versions: "v1" },
      { versions: [version({ schema: { openAPIV3Schema: { type: 1 } } })] },
      { versions: [version({ schema: { openAPIV3Schema: { type: "object", maxLength: "1" } } })] },
      { versions: [version({ served: "yes" })] },
      { names: [] },
    ]) {
      await send("POST", definitions, { body: definition(group, spec), view: verdict });
    }
  });

  check("printer columns are checked", (conversation) =>
    offer(conversation, {
      versions: [
        version({
          additionalPrinterColumns: [
            { name: "", type: "text", jsonPath: "spec" },
            { name: "b", type: "string", format: "odd", jsonPath: "" },
            { name: "c", jsonPath: ".spec.a" },
          ],
        }),
      ],
    }),
  );

  check("paths of a scale are checked", (conversation) =>
    offer(
      conversation,
      {
        versions: [
          version({
            subresources: {
              scale: { specReplicasPath: "spec.n", statusReplicasPath: ".spec.n", labelSelectorPath: ".metadata.x" },
            },
          }),
        ],
      },
      { versions: [version({ subresources: { scale: {} } })] },
    ),
  );

  check("selectable fields are checked", (conversation) => {
    const fields = (...paths: readonly string[]): Readonly<Record<string, unknown>> => ({
      versions: [version({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) })],
    });
    return offer(
      conversation,
      fields(".spec.a", ".spec.n"),
      fields(".spec.a", ".spec.a", ".spec", ".spec.none", "spec.a", "", ".metadata.name", ".spec['a']"),
    );
  });

  check("status as a subresource restricts the root", (conversation) =>
    offer(
      conversation,
      {
        versions: [
          version({ subresources: { status: {} }, schema: { openAPIV3Schema: { ...good, required: ["spec"] } } }),
        ],
      },
      {
        versions: [
          version({ subresources: { status: {} }, schema: { openAPIV3Schema: { ...good, maxProperties: 5 } } }),
        ],
      },
      {
        versions: [
          version({ subresources: { status: {} }, schema: { openAPIV3Schema: { type: "array", items: text } } }),
        ],
      },
    ),
  );

  check("deprecation warnings are checked", (conversation) =>
    offer(
      conversation,
      { versions: [version({ deprecationWarning: "old" })] },
      { versions: [version({ deprecated: true, deprecationWarning: "" })] },
      { versions: [version({ deprecated: true, deprecationWarning: `a\tb${"x".repeat(260)}` })] },
    ),
  );

  check("conversion is checked", (conversation) =>
    offer(
      conversation,
      { conversion: { strategy: "Magic" } },
      {
        conversion: {
          strategy: "None",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a.b/" } },
        },
      },
      { conversion: { strategy: "Webhook" } },
      {
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v7", "v7", "V"], clientConfig: { url: "http://user@a.b/?q#f" } },
        },
      },
      {
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { service: { name: "", namespace: "x", path: "a//B" } },
          },
        },
      },
      { conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: {} } } },
      {
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { service: { name: "a", namespace: "b" } } },
        },
      },
    ),
  );

  check("preserveUnknownFields may not be set", (conversation) => offer(conversation, { preserveUnknownFields: true }));

  const rules = (...list: readonly unknown[]): Readonly<Record<string, unknown>> => ({
    type: "object",
    properties: { s: text, n: { type: "integer" }, list: { type: "array", items: text } },
    "x-kubernetes-validations": list,
  });

  check("the texts of rules are checked", (conversation) =>
    offerFields(
      conversation,
      rules({ rule: " " }),
      rules({ rule: "true", message: " " }),
      rules({ rule: "true", message: "a\nb" }),
      rules({ rule: "true\n", messageExpression: " " }, { rule: "true &&\ntrue" }),
      rules({ rule: "true", reason: "Because" }),
      rules(
        { rule: "true", fieldPath: ".none" },
        { rule: "true", fieldPath: "s" },
        { rule: "true", fieldPath: ".s[0]" },
      ),
    ),
  );

  for (const rule of [
    "self.none > 1",
    "self.n + 'x' == ''",
    "self.n",
    "self.n >",
    "(self.n == 1",
    "self.n == 1)",
    "none(self.n)",
    "self.s.none()",
    "self.s.startsWith(1)",
    "self.list.all(x, x)",
    "self.list.all(1, true)",
    "self.s.all(x, true)",
    "has(self.s.none)",
    "has(self)",
    "[1, 'a'] == []",
    "self.s.matches('[')",
    "duration('x') == duration('1s')",
    "self.s == 'it''s'",
    "self.n == 99999999999999999999",
    "self == oldSelf && undeclared",
  ]) {
    check(`a rule that cannot be compiled: ${rule}`, (conversation) => offerFields(conversation, rules({ rule })));
  }

  check("message expressions are compiled", (conversation) =>
    offerFields(
      conversation,
      rules({ rule: "true", messageExpression: "1" }, { rule: "true", messageExpression: "self.none" }),
    ),
  );

  check("oldSelf needs values that can be told apart", (conversation) =>
    offerFields(
      conversation,
      {
        type: "array",
        maxItems: 5,
        items: { type: "integer", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
      },
      { type: "integer", "x-kubernetes-validations": [{ rule: "self > 1", optionalOldSelf: true }] },
    ),
  );

  check("rules that may cost too much are refused", (conversation) =>
    offerFields(
      conversation,
      rules({ rule: "self.list.all(x, self.list.all(y, x != y))" }),
      rules({ rule: "self.s.matches(self.s)" }),
      rules({ rule: "self.list.filter(x, x == 'a').size() == 2" }),
      { type: "array", items: { ...text, "x-kubernetes-validations": [{ rule: "self.contains('a')" }] } },
      {
        type: "array",
        maxItems: 1000,
        items: {
          type: "array",
          maxItems: 1000,
          items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0 && self < 100" }] },
        },
      },
    ),
  );

  check("many rules together may cost too much", (conversation) => {
    const many = Array.from({ length: 12 }, (_, index) => ({ rule: `self.list.all(x, x.size() > ${index})` }));
    return offerFields(conversation, {
      type: "object",
      properties: { list: { type: "array", items: text } },
      "x-kubernetes-validations": many,
    });
  });

  check("a definition is established step by step", async ({ send, group, cleanup, watch, quietly }) => {
    const path = `${definitions}/widgets.${group}`;
    cleanup(() => quietly("DELETE", path));
    const { body: list } = await quietly("GET", definitions);
    const watching = await watch(definitions, {
      query: { resourceVersion: list.metadata.resourceVersion, fieldSelector: `metadata.name=widgets.${group}` },
    });
    await quietly("POST", definitions, {
      body: definition(group, {
        names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      }),
    });
    await watching.events(3);
    await watching.close();
    await send("GET", path, { only: ["status"] });
  });

  check(
    "names that are in use are not accepted until they are free",
    async ({ crd, group, until, quietly, cleanup, send }) => {
      const first = await crd({ names: { shortNames: ["wd"] } });
      const path = `${definitions}/gadgets.${group}`;
      cleanup(() => quietly("DELETE", path));
      const names = { plural: "gadgets", kind: "Widget", shortNames: ["wd", "gd"] };
      await quietly("POST", definitions, { body: definition(first.group, { names }, `gadgets.${first.group}`) });
      const conditions = { only: ["status"] };
      await until(path, ({ body }) => (body.status.conditions ?? []).length > 0, conditions);
      await send("GET", `/apis/${group}/v1/gadgets`);
      await quietly("DELETE", first.crdPath);
      await until(
        path,
        ({ body }) =>
          body.status.conditions.some(
            (one: { type: string; status: string }) => one.type === "Established" && one.status === "True",
          ),
        conditions,
      );
    },
  );

  check("what of a definition may not change", async ({ crd, quietly, send }) => {
    const { crdPath } = await crd();
    const { body: made } = await quietly("GET", crdPath);
    const changes = [
      { scope: "Cluster" },
      { names: { ...made.spec.names, kind: "Gadget", listKind: "GadgetList" } },
      { names: { ...made.spec.names, plural: "gadgets" } },
      { group: "other.example.com" },
      { versions: [{ ...made.spec.versions[0], name: "v2" }] },
      { names: { ...made.spec.names, shortNames: ["w"] } },
    ];
    for (const change of changes) {
      await send("PUT", crdPath, {
        body: { ...made, spec: { ...made.spec, ...change } },
        query: { dryRun: "All" },
        view: verdict,
      });
    }
  });

  check("a new storage version is kept among the stored ones", async ({ crd, quietly, send }) => {
    const { crdPath } = await crd();
    const { body: made } = await quietly("GET", crdPath);
    const [first] = made.spec.versions;
    const versions = [
      { ...first, storage: false },
      { ...first, name: "v2", storage: true },
    ];
    await send("PUT", crdPath, {
      body: { ...made, spec: { ...made.spec, versions } },
      only: ["status.storedVersions", "metadata.generation"],
    });
    await send("PATCH", crdPath, { body: { spec: { versions: versions.slice(1) } }, view: verdict });
    await send("PATCH", `${crdPath}/status`, {
      body: { status: { storedVersions: ["v2"] } },
      only: ["status.storedVersions", "metadata.generation"],
    });
  });

  check("a version that is not served, or deprecated", async ({ crd, send }) => {
    const kind = await crd({
      versions: [
        version(),
        version({ name: "v1beta1", storage: false, deprecated: true }),
        version({ name: "v1alpha1", storage: false, deprecated: true, deprecationWarning: "gone soon" }),
        version({ name: "v0", storage: false, served: false }),
      ],
    });
    for (const name of ["v1", "v1beta1", "v1alpha1", "v0"]) await send("GET", kind.pathIn(name));
  });

  check("each version prunes and defaults by its own schema", async ({ crd, send }) => {
    const own = (properties: unknown): unknown => ({
      openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
    });
    const kind = await crd({
      versions: [
        version({ schema: own({ a: text, only1: text, both: { type: "string", default: "one" } }) }),
        version({
          name: "v2",
          storage: false,
          schema: own({ a: text, only2: text, both: { type: "string", default: "two" } }),
        }),
      ],
    });
    await send("POST", kind.pathIn("v2"), {
      body: {
        apiVersion: `${kind.group}/v2`,
        kind: "Widget",
        metadata: { name: "a" },
        spec: { a: "x", only2: "y", only1: "z" },
      },
      omit: ["metadata"],
    });
    await send("GET", `${kind.pathIn("v1")}/a`, { omit: ["metadata"] });
    await send("GET", `${kind.pathIn("v2")}/a`, { omit: ["metadata"] });
  });

  check("a body of another version than the path is refused", async ({ crd, send }) => {
    const kind = await crd({ versions: [version(), version({ name: "v2", storage: false })] });
    await send("POST", kind.pathIn("v2"), { body: kind.object("a") });
    await send("POST", kind.path, { body: { ...kind.object("a"), kind: "Gadget" } });
  });
});
