import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const omit = ["metadata.managedFields"];

/** Each a patch of the same ConfigMap, in a case of its own. */
const patches: Readonly<Record<string, unknown>> = {
  "fields are added, changed and removed": { data: { a: "9", b: null, c: "3" } },
  "a null for a field that is not there does nothing": { data: { nothing: null }, metadata: { annotations: null } },
  "a null removes a whole object": { data: null },
  "an empty patch does nothing": {},
  "an unknown field is warned of": { fruit: { apple: 1 } },
  "a value of the wrong type is refused with the patched object": { data: 5 },
  "a nested value of the wrong type is refused": { data: { a: { z: null, l: [null, { b: null, a: 1 }] } } },
  "a patch that is a list is refused": [],
  "a patch that is a text is refused": '"text"',
  "a patch that is null is refused": null,
  "labels are merged": { metadata: { labels: { x: null, y: "2" } } },
  "the name cannot be removed": { metadata: { name: null } },
  "the kind cannot change": { kind: "Gadget" },
};

export const area: Area = defineArea("merge-patch", (check) => {
  for (const [name, body] of Object.entries(patches)) {
    check(name, async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      await quietly("POST", path, { body: configMap("a", { data: { a: "1", b: "2" }, labels: { x: "1" } }) });
      await send("PATCH", `${path}/a`, { body, omit, contentType: "application/merge-patch+json" });
    });
  }

  check(
    "text that is no JSON and what is no object, as the validation of fields asks",
    async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      await quietly("POST", path, { body: configMap("a") });
      for (const fieldValidation of ["Ignore", "Warn"]) {
        for (const body of ["{", "5", "[]", "null"]) {
          await send("PATCH", `${path}/a`, {
            body,
            contentType: "application/merge-patch+json",
            query: { fieldValidation },
          });
        }
      }
    },
  );

  check("a field that stands twice is warned of", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    await send("PATCH", `${path}/a`, {
      body: '{"data":{"a":"1","b":"2","a":"3"}}',
      contentType: "application/merge-patch+json",
      omit,
    });
  });

  check("nulls in new lists are left out, and nulls in replaced ones too", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, {
      body: kind.object("a", { spec: { list: [{ old: 1 }], object: { old: 1 }, scalar: 1 } }),
    });
    await send("PATCH", `${kind.path}/a`, {
      body: {
        spec: {
          list: [{ a: null, b: 1 }],
          fresh: [{ a: null, b: [null] }],
          object: [{ a: null }],
          scalar: [{ a: null }],
        },
      },
      omit,
    });
  });

  check("media types that are no patch are refused", async ({ send, quietly, namespace, crd }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    for (const contentType of ["application/json", "text/plain"]) {
      await send("PATCH", `${path}/a`, { body: {}, contentType });
      await send("PATCH", `${kind.path}/a`, { body: {}, contentType });
    }
    await send("PATCH", `${kind.path}/a`, { body: {}, contentType: "application/strategic-merge-patch+json" });
  });
});
