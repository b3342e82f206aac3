import { type Area, defineArea } from "../area.ts";
import { configMaps } from "../config-map.ts";
import type { CustomKind } from "../custom-kind.ts";

/** More than the real server takes. */
const tooMany = 10_001;
const json = "application/json";
const merge = "application/merge-patch+json";
const patch = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
const yaml = "application/yaml";
const apply = "application/apply-patch+yaml";

const lists = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

/** The texts of YAML say how many levels there may be, which is not the same everywhere. */
const withoutLimit = (body: unknown): unknown =>
  String((body as { readonly message?: unknown }).message).replace(/max depth of \d+/, "max depth of <levels>");

function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

/** How deep each field of the spec is: the whole would be a long recording. */
const levelsOfSpec = (body: unknown): unknown => {
  const { spec = {} } = body as { readonly spec?: Readonly<Record<string, unknown>> };
  return Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, levelsOf(value)]));
};

/** Keeps all that it is given. */
const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const schema = { type: "object", properties: { spec: free } };

const textOf = ({ apiVersion, kind }: CustomKind, spec: string, name = "a"): string =>
  `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"${name}"},"spec":${spec}}`;

export const area: Area = defineArea("deep-body", (check) => {
  for (const [what, nested] of Object.entries({ objects, lists })) {
    check(`a body of too many ${what} in each other is refused`, async ({ send, namespace }) => {
      const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${nested(tooMany)}}`;
      await send("POST", configMaps(namespace), { body: text });
      await send("POST", configMaps(namespace), { body: nested(tooMany) });
      await send("POST", configMaps(namespace), { body: nested(tooMany).slice(0, tooMany * 5) });
    });
  }

  check("a body that ends before its levels do is told of what comes first", async ({ send, namespace }) => {
    for (const body of ["[".repeat(900), "[".repeat(20_000), `[${lists(900)}x${lists(tooMany)}`]) {
      await send("POST", configMaps(namespace), { body });
    }
  });

  check("a custom object of too many levels is refused", async ({ send, crd }) => {
    const kind = await crd({ kind: "Deep", schema });
    await send("POST", kind.path, { body: textOf(kind, lists(tooMany)) });
    await send("POST", kind.path, { body: textOf(kind, lists(tooMany)), contentType: yaml, view: withoutLimit });
  });

  check("patches of too many levels are refused, each in its own words", async ({ send, quietly, namespace, crd }) => {
    const kind = await crd({ kind: "Deep", schema });
    await quietly("POST", kind.path, { body: textOf(kind, "{}") });
    await quietly("POST", configMaps(namespace), { body: { metadata: { name: "a" } } });
    const spec = `{"spec":{"x":${objects(tooMany)}}}`;
    for (const contentType of [merge, strategic]) {
      for (const fieldValidation of ["Ignore", "Strict"]) {
        await send("PATCH", `${configMaps(namespace)}/a`, { body: spec, contentType, query: { fieldValidation } });
      }
    }
    await send("PATCH", `${kind.path}/a`, { body: spec, contentType: merge });
    const operations = `[{"op":"add","path":"/spec/x","value":${lists(tooMany)}}]`;
    await send("PATCH", `${kind.path}/a`, { body: operations, contentType: patch });
    const applied = { contentType: apply, query: { fieldManager: "me" }, view: withoutLimit };
    await send("PATCH", `${kind.path}/a`, { body: textOf(kind, lists(tooMany)), ...applied });
    await send("PATCH", `${kind.path}/b`, { body: textOf(kind, objects(tooMany), "b"), ...applied });
  });

  check("a JSON patch that would nest too many levels is refused", async ({ send, quietly, crd }) => {
    const kind = await crd({ kind: "Deep", schema });
    await quietly("POST", kind.path, { body: textOf(kind, "{}") });
    const half = JSON.parse(objects(900)) as unknown;
    const deepened = Array.from({ length: 12 }, (_, index) => ({
      op: "add",
      path: `/spec${"/a".repeat(index * 900)}/a`,
      value: half,
    }));
    await send("PATCH", `${kind.path}/a`, { body: deepened, contentType: patch });
  });

  check("options of too many levels are refused", async ({ send, namespace }) => {
    const body = `{"apiVersion":"v1","kind":"DeleteOptions","x":${objects(tooMany)}}`;
    await send("DELETE", `${configMaps(namespace)}/a`, { body, contentType: json });
  });

  check("hundreds of levels are kept, merged and applied", async ({ send, crd }) => {
    const kind = await crd({ kind: "Deep", schema });
    await send("POST", kind.path, { body: textOf(kind, `{"x":${lists(900)}}`), view: levelsOfSpec });
    const merged = { body: `{"spec":{"y":${objects(900)}}}`, contentType: merge, view: levelsOfSpec };
    await send("PATCH", `${kind.path}/a`, merged);
    const applied = { contentType: apply, query: { fieldManager: "me" }, view: levelsOfSpec };
    await send("PATCH", `${kind.path}/a`, { body: textOf(kind, `{"z":${objects(800)}}`), ...applied });
    await send("GET", `${kind.path}/a`, { view: levelsOfSpec });
  });
});
