import { type Area, defineArea } from "../area.ts";
import { judgeSpecs, kindOf, verdict } from "../judged-spec.ts";

const text = { type: "string" };
const nested = {
  type: "object",
  properties: {
    known: text,
    list: { type: "array", items: { type: "object", properties: { k: text } } },
    map: { type: "object", additionalProperties: { type: "object", properties: { k: text } } },
    open: {
      type: "object",
      properties: { inner: { type: "object", properties: { k: text } } },
      "x-kubernetes-preserve-unknown-fields": true,
    },
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object", properties: { k: text } } },
    },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    openList: {
      type: "array",
      "x-kubernetes-preserve-unknown-fields": true,
      items: { type: "object", properties: { k: text } },
    },
  },
};
const unknowns = {
  zoo: 1,
  ant: { deep: 1 },
  known: "a",
  list: [{ k: "a", u: 1 }, { u: 2 }],
  map: { one: { k: "a", u: 1 } },
  open: { free: { u: 1 }, inner: { k: "a", u: 1 } },
  embedded: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", labels: { a: "b" }, huh: 1 },
    spec: { k: "a", u: 1 },
    u: 2,
  },
  any: { u: [{ v: 1 }] },
  openList: [{ k: "a", u: 1 }],
};

export const area: Area = defineArea("custom-resource-pruning", (check) => {
  for (const fieldValidation of [undefined, "Ignore", "Warn", "Strict"]) {
    check(`unknown fields with fieldValidation ${fieldValidation ?? "unset"}`, async (conversation) => {
      const kind = await kindOf(conversation, nested);
      await conversation.send("POST", kind.path, {
        body: {
          ...kind.object("a", { spec: unknowns, top: 1 }),
          metadata: { name: "a", zed: 1, ownerReferences: undefined },
        },
        query: { fieldValidation },
        omit: ["metadata.managedFields"],
      });
    });

    check(`duplicate fields with fieldValidation ${fieldValidation ?? "unset"}`, async (conversation) => {
      const kind = await kindOf(conversation, nested);
      const body = `{"apiVersion":"${kind.apiVersion}","kind":"Widget","metadata":{"name":"a","name":"a","labels":{"x":"1","x":"2"}},
        "spec":{"known":"1","known":"2","list":[{"k":"1","k":"2"}],"any":{"z":[{"y":1,"y":2}]},"kn\\u006fwn":"3"},"spec":{"known":"4","u":1}}`;
      await conversation.send("POST", kind.path, {
        body,
        query: { fieldValidation },
        omit: ["metadata.managedFields"],
      });
    });
  }

  check("an unknown fieldValidation is refused", async ({ send, crd }) => {
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a"), query: { fieldValidation: "Maybe" } });
  });

  check("unknown fields of an update and of a patch", async (conversation) => {
    const kind = await kindOf(conversation, nested);
    const { body: made } = await conversation.quietly("POST", kind.path, {
      body: kind.object("a", { spec: { known: "a" } }),
    });
    await conversation.send("PUT", `${kind.path}/a`, { body: { ...made, spec: { known: "b", u: 1 } }, view: verdict });
    for (const fieldValidation of ["Warn", "Strict"]) {
      await conversation.send("PATCH", `${kind.path}/a`, {
        body: { spec: { u: 1 } },
        query: { fieldValidation },
        view: verdict,
      });
    }
  });

  check("fields below unknown ones are not told", async (conversation) => {
    const kind = await kindOf(conversation, { type: "object", properties: { a: { type: "object" } } });
    await judgeSpecs(conversation, kind, [{ a: { b: { c: 1 } }, d: { e: 1 } }, { a: [{ f: 1 }] }]);
  });

  check("a name that objects of JavaScript have is a field like any other", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: { open: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    });
    const body = `{"apiVersion":"${kind.apiVersion}","kind":"Widget","metadata":{"name":"a"},"spec":{"__proto__":{"a":1},"constructor":1,"toString":2,"open":{"__proto__":{"b":1},"hasOwnProperty":3}}}`;
    await conversation.send("POST", kind.path, { body, omit: ["metadata"] });
  });

  check("defaults are set from the outside in", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        port: { type: "integer", default: 80 },
        absent: { type: "object", properties: { inner: { type: "string", default: "never" } } },
        present: { type: "object", default: {}, properties: { inner: { type: "string", default: "always" } } },
        list: { type: "array", items: { type: "object", properties: { k: text, v: { type: "integer", default: 1 } } } },
        map: {
          type: "object",
          additionalProperties: { type: "object", properties: { v: { type: "boolean", default: true } } },
        },
        nullable: { type: "string", nullable: true, default: "d" },
        strict: { type: "string", default: "d" },
        choice: { type: "string", enum: ["a", "b"], default: "a" },
      },
    });
    await judgeSpecs(conversation, kind, [
      {},
      { absent: {}, list: [{ k: "a" }, { v: 2 }], map: { x: {}, y: { v: false } } },
      { nullable: null, strict: null, port: null },
      { port: 0, choice: "b", present: { inner: "set" } },
    ]);
  });

  check("a spec that is absent gets no defaults of its fields but its own", async ({ send, crd }) => {
    const fields = { type: "object", properties: { a: { type: "string", default: "x" } } };
    const kind = await crd({
      schema: { type: "object", properties: { spec: fields, given: { ...fields, default: { a: "y" } } } },
    });
    await send("POST", kind.path, { body: kind.object("a"), omit: ["metadata"] });
  });

  check("null items and values are set to their defaults", async (conversation) => {
    const item = { type: "string", default: "d" };
    const kind = await kindOf(conversation, {
      type: "object",
      properties: { list: { type: "array", items: item }, map: { type: "object", additionalProperties: item } },
    });
    await judgeSpecs(conversation, kind, [{ list: [null, "a"], map: { a: null, b: "c" } }]);
  });

  check("a default that is added later shows in objects that are stored", async (conversation) => {
    const { crd, quietly, send, until } = conversation;
    const kind = await crd({
      schema: { type: "object", properties: { spec: { type: "object", properties: { old: text, gone: text } } } },
    });
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { old: "a", gone: "b" } }) });
    const { body: definition } = await quietly("GET", kind.crdPath);
    const changed = structuredClone(definition);
    changed.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties = {
      old: text,
      fresh: { type: "integer", default: 7 },
    };
    await quietly("PUT", kind.crdPath, { body: changed });
    await until(`${kind.path}/a`, ({ body }) => body.spec?.fresh === 7, { omit: ["metadata"] });
    await send("GET", kind.path, { only: ["items"], omit: ["items.*.metadata"] });
  });
});
