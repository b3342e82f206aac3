import { z } from "zod";
import type { TortureCase } from "./torture-case.ts";

export const objectCases: readonly TortureCase[] = [
  {
    name: "an object whose unknown fields are pruned",
    spec: z.object({ a: z.string().optional(), inner: z.object({ b: z.int().optional() }).optional() }),
    takes: [
      [
        { a: "x", z: 1, inner: { b: 1, y: 2 } },
        { a: "x", inner: { b: 1 } },
      ],
    ],
  },
  {
    name: "a strict object, whose unknown fields are pruned all the same",
    spec: z.strictObject({ a: z.string().optional() }),
    takes: [[{ a: "x", z: 1 }, { a: "x" }]],
  },
  {
    name: "an empty object",
    spec: z.object({ anonymous: z.object({}).optional() }),
    takes: [[{ anonymous: {} }], [{ anonymous: { a: 1 } }, { anonymous: {} }]],
  },
  {
    name: "defaults, which reach into an absent object only through its own default",
    spec: z.object({
      level: z.enum(["Head", "List"]).default("Head"),
      plain: z.object({ period: z.int().default(30) }).optional(),
      probe: z
        .object({ period: z.int().default(30), deep: z.object({ x: z.int().default(1) }).prefault({}) })
        .prefault({}),
      whole: z.object({ a: z.int().default(1), b: z.int().default(2) }).default({ a: 3, b: 4 }),
      list: z.array(z.string()).default(["a"]),
      caught: z.int().catch(7),
    }),
    takes: [
      [{}, { level: "Head", probe: { period: 30, deep: { x: 1 } }, whole: { a: 3, b: 4 }, list: ["a"], caught: 7 }],
      [
        { level: "List", plain: {}, probe: { period: 5 }, whole: {}, list: [], caught: 1 },
        {
          level: "List",
          plain: { period: 30 },
          probe: { period: 5, deep: { x: 1 } },
          whole: { a: 1, b: 2 },
          list: [],
          caught: 1,
        },
      ],
    ],
  },
  {
    name: "records",
    spec: z.object({
      labels: z.record(z.string(), z.string().max(3)).optional(),
      limits: z.record(z.string(), z.object({ max: z.int().default(1), name: z.string() })).optional(),
      listed: z.record(z.enum(["a", "b"]), z.int()).optional(),
      partial: z.partialRecord(z.enum(["a", "b"]), z.int()).optional(),
      anything: z.record(z.string(), z.unknown()).optional(),
      nested: z.record(z.string(), z.record(z.string(), z.array(z.int()))).optional(),
    }),
    takes: [
      [
        { labels: { any: "abc", "x/y.z": "" }, limits: { k: { name: "n" } } },
        { labels: { any: "abc", "x/y.z": "" }, limits: { k: { max: 1, name: "n" } } },
      ],
      [{ listed: { a: 1, b: 2 }, partial: { b: 1 }, anything: { x: [1, { y: null }] }, nested: { a: { b: [1] } } }],
      [{ partial: { a: 1, c: 3 } }, { partial: { a: 1 } }],
    ],
    refuses: [
      [{ labels: { k: "long" } }, "spec.labels.k"],
      [{ labels: { k: 1 } }, "must be of type string"],
      [{ limits: { k: {} } }, "spec.limits.k.name: Required value"],
      [{ listed: { a: 1 } }, "spec.listed.b: Required value"],
      [{ nested: { a: { b: ["x"] } } }, "must be of type integer"],
    ],
  },
  {
    name: "objects and values that are kept as they are",
    spec: z.object({
      loose: z.looseObject({ k: z.string() }).optional(),
      unknown: z.unknown().optional(),
      any: z.any().optional(),
      list: z.array(z.unknown()).optional(),
      cut: z.object({ k: z.string().optional() }).optional(),
      pod: z.unknown().meta({ "x-kubernetes-embedded-resource": true }).optional(),
    }),
    options: { preserveUnknownFields: ["spec.cut"] },
    takes: [
      [
        {
          loose: { k: "x", y: { z: [1] } },
          unknown: { a: [null] },
          any: 3,
          list: [1, "a", { b: null }, null],
          cut: { k: "x", y: 1 },
        },
      ],
      [{ unknown: null, any: null }],
      [{ pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { x: 1 } } }],
    ],
    refuses: [
      [{ loose: {} }, "spec.loose.k: Required value"],
      [{ cut: { k: 1 } }, "must be of type string"],
      [{ pod: { spec: {} } }, "spec.pod.apiVersion"],
    ],
  },
  {
    name: "intersections",
    spec: z.object({
      both: z.intersection(
        z.object({ a: z.string(), s: z.string().min(2) }),
        z.object({ b: z.int(), s: z.string().max(3) }),
      ),
      extended: z.object({ a: z.string() }).extend({ b: z.string() }).optional(),
    }),
    takes: [[{ both: { a: "x", b: 1, s: "ab" }, extended: { a: "x", b: "y" } }]],
    refuses: [
      [{ both: { a: "x", s: "ab" } }, "spec.both.b: Required value"],
      [{ both: { a: "x", b: 1, s: "a" } }, "at least 2 chars"],
      [{ both: { a: "x", b: 1, s: "abcd" } }, "may not be more than 3"],
    ],
  },
  {
    name: "schemas with a name, used twice",
    spec: z.object({
      first: z.object({ name: z.string().min(1) }).meta({ id: "TortureReference", description: "A reference." }),
      second: z.lazy(() => z.string()).optional(),
    }),
    takes: [[{ first: { name: "a" }, second: "b" }]],
    refuses: [[{ first: { name: "" } }, "at least 1 chars"]],
  },
  {
    name: "a recursive schema, cut where the caller says so",
    spec: z.object({
      get tree() {
        return Tree.optional();
      },
    }),
    options: { preserveUnknownFields: ["spec.tree.children[]"] },
    takes: [[{ tree: { name: "a", children: [{ name: "b", x: 1, children: [{ y: 2 }] }] } }]],
    refuses: [[{ tree: { name: 1, children: [] } }, "must be of type string"]],
  },
  {
    name: "CEL rules at the object, at fields, at items and at values",
    spec: z.object({
      min: z.int().default(1),
      max: z.int().default(9),
      hosts: z
        .array(z.object({ name: z.string().max(63), port: z.int() }))
        .max(8)
        .optional(),
      limits: z.record(z.string(), z.int()).optional(),
      "in-use": z.boolean().optional(),
      immutable: z.string().optional(),
    }),
    options: {
      rules: [
        { path: "", rule: "self.metadata.name.startsWith('t')", message: "the name begins with t" },
        {
          path: "spec",
          rule: "self.min <= self.max",
          message: "min is above max",
          reason: "FieldValueInvalid",
          fieldPath: ".min",
        },
        { path: ".spec.hosts[]", rule: "self.port != 22", messageExpression: "'port 22 of ' + self.name" },
        { path: "spec.limits{}", rule: "self >= 0", message: "limits are not negative" },
        { path: "spec['in-use']", rule: "self", message: "only true" },
        { path: "spec.immutable", rule: "self == oldSelf", message: "cannot change" },
      ],
    },
    takes: [[{ min: 1, max: 2, hosts: [{ name: "a", port: 80 }], limits: { a: 0 }, "in-use": true, immutable: "x" }]],
    refuses: [
      [{ min: 3, max: 2 }, "spec.min: Invalid value: min is above max"],
      [{ hosts: [{ name: "a", port: 22 }] }, "port 22 of a"],
      [{ limits: { a: -1 } }, "limits are not negative"],
      [{ "in-use": false }, "only true"],
    ],
  },
];

const Tree: z.ZodObject<{ name: z.ZodString; readonly children: z.ZodArray<z.ZodType> }> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree as z.ZodType);
  },
});
