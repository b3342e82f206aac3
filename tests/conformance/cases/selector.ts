import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";

const only = ["kind", "code", "reason", "message", "items.*.metadata.name"];

async function createColored({ quietly, namespace }: Conversation): Promise<void> {
  const colors: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    plain: {},
    red: { color: "red", size: "1" },
    blue: { color: "blue", size: "2" },
    empty: { color: "", "example.com/tier": "web" },
  };
  for (const [name, labels] of Object.entries(colors))
    await quietly("POST", configMaps(namespace), { body: configMap(name, { labels }) });
}

export const area: Area = defineArea("selector", (check) => {
  check("labels are selected by equality", async (conversation) => {
    await createColored(conversation);
    const { send, namespace } = conversation;
    for (const labelSelector of [
      "color=red",
      "color==red",
      "color!=red",
      "color=",
      "color!=",
      "size=1,color=red",
      "size=1,color=blue",
    ])
      await send("GET", configMaps(namespace), { query: { labelSelector }, only });
  });

  check("labels are selected by sets", async (conversation) => {
    await createColored(conversation);
    const { send, namespace } = conversation;
    for (const labelSelector of [
      "color",
      "!color",
      "color in (red,blue)",
      "color in (red , )",
      "color notin (red)",
      "color in ()",
      "example.com/tier in (web),!size",
      " color = red ",
      "",
      ",",
    ])
      await send("GET", configMaps(namespace), { query: { labelSelector }, only });
  });

  check("labels are selected by size", async (conversation) => {
    await createColored(conversation);
    const { send, namespace } = conversation;
    for (const labelSelector of ["size>1", "size<2", "size > 0", "size>x", "color>1", "size>=1", "size>1.5"])
      await send("GET", configMaps(namespace), { query: { labelSelector }, only });
  });

  check("a label selector that is none is refused with what is wrong", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const labelSelector of [
      "color in red",
      "color in (red",
      "in (red)",
      "=red",
      "color=red=blue",
      "color=red blue",
      "!color=red",
      "!!color",
      "-color=red",
      "color=-red",
      "Example.com/UPPER_/x=1",
      "a/b/c=1",
      "color=a&b",
      "color ~ red",
      `color=${"x".repeat(64)}`,
      `${"x".repeat(64)}=red`,
      "(",
      "color,,size",
    ]) {
      await send("GET", configMaps(namespace), { query: { labelSelector }, only });
      await send("GET", path, { query: { labelSelector }, only });
    }
  });

  check("name and namespace are fields of every kind", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await quietly("POST", configMaps(namespace), { body: configMap("b") });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("POST", kind.path, { body: kind.object("b") });
    for (const fieldSelector of [
      "metadata.name=a",
      "metadata.name==a",
      "metadata.name!=a",
      "metadata.name=",
      `metadata.namespace=${namespace},metadata.name=b`,
      "metadata.namespace=default",
      "metadata.name=a,metadata.name=b",
      "metadata.name=a,metadata.name!=b",
      "",
      "metadata.name=a\\,b",
    ]) {
      await send("GET", configMaps(namespace), { query: { fieldSelector }, only });
      await send("GET", kind.path, { query: { fieldSelector }, only });
    }
  });

  check("a field that cannot be selected is refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const fieldSelector of [
      "data.key=1",
      "metadata.uid=1",
      "metadata.labels.color=red",
      "spec.size=1",
      "nothing",
      "=a",
      "metadata.name in (a)",
      "metadata.name=a\\b",
      "metadata.name=a=b",
      "metadata.name",
      "status.phase=Active",
    ]) {
      await send("GET", configMaps(namespace), { query: { fieldSelector }, only });
      await send("GET", path, { query: { fieldSelector }, only });
    }
  });

  check("built-in kinds have fields of their own", async ({ send, quietly, namespace }) => {
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    await quietly("POST", secrets, { body: { metadata: { name: "a" }, type: "example.com/a" } });
    await quietly("POST", secrets, { body: { metadata: { name: "b" } } });
    await send("GET", secrets, { query: { fieldSelector: "type=example.com/a" }, only });
    await send("GET", secrets, { query: { fieldSelector: "type!=Opaque" }, only });
    await send("GET", "/api/v1/namespaces", {
      query: { fieldSelector: `status.phase=Active,metadata.name=${namespace}` },
      only: [...only, "items.*.status"],
    });
    await send("GET", "/api/v1/namespaces", { query: { fieldSelector: "spec.phase=Active" }, only });
  });

  check("a selectable field of a custom kind is selected", async ({ send, quietly, watch, crd }) => {
    const spec = {
      type: "object",
      properties: { color: { type: "string" }, size: { type: "integer" }, on: { type: "boolean" } },
    };
    const kind = await crd({
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.on" }],
        },
      ],
    });
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { color: "red", size: 1, on: true } }) });
    await quietly("POST", kind.path, { body: kind.object("b", { spec: { color: "blue", size: 2 } }) });
    await quietly("POST", kind.path, { body: kind.object("c") });
    for (const fieldSelector of [
      "spec.color=red",
      "spec.color!=red",
      "spec.color=",
      "spec.size=2",
      "spec.on=true",
      "spec.on=",
      "spec.other=1",
    ])
      await send("GET", kind.path, { query: { fieldSelector }, only });
    const stream = await watch(kind.path, { query: { fieldSelector: "spec.color=red" } });
    await quietly("PATCH", `${kind.path}/b`, { body: { spec: { color: "red" } } });
    await quietly("PATCH", `${kind.path}/a`, { body: { spec: { color: "blue" } } });
    await stream.events(3);
  });
});
