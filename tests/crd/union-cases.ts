import { z } from "zod";
import type { TortureCase } from "./torture-case.ts";

const s3 = z.object({ bucket: z.string().min(3), region: z.string().optional() });
const azure = z.object({ account: z.string(), container: z.string() });

export const unionCases: readonly TortureCase[] = [
  {
    name: "a discriminated union",
    spec: z.object({
      source: z.discriminatedUnion("type", [
        z.object({ type: z.literal("S3"), s3, retries: z.int().optional() }),
        z.object({ type: z.literal("Azure"), azure, retries: z.int().optional() }),
        z.object({ type: z.literal("None"), note: z.string().optional() }),
      ]),
    }),
    takes: [
      [{ source: { type: "S3", s3: { bucket: "abc" }, retries: 1 } }],
      [{ source: { type: "Azure", azure: { account: "a", container: "b" } } }],
      [{ source: { type: "None" } }],
    ],
    refuses: [
      [{ source: {} }, "spec.source.type: Required value"],
      [{ source: { type: "GCS" } }, "Unsupported value"],
      [{ source: { type: "S3" } }, 'spec.source.s3: Required value: s3 is required when type is "S3"'],
      [
        { source: { type: "S3", s3: { bucket: "abc" }, azure: { account: "a", container: "b" } } },
        'spec.source.azure: Forbidden: azure is allowed only when type is "Azure"',
      ],
      [{ source: { type: "None", retries: 1 } }, 'retries is allowed only when type is "S3" or "Azure"'],
      [{ source: { type: "S3", s3: { bucket: "a" } } }, "at least 3 chars"],
    ],
  },
  {
    name: "a discriminated union whose branches check one field differently",
    spec: z.object({
      probe: z.discriminatedUnion("level", [
        z.object({ level: z.literal("Head"), period: z.int().min(5) }),
        z.object({ level: z.literal(["Read", "Write"]), period: z.int().min(300), key: z.string() }),
      ]),
    }),
    takes: [[{ probe: { level: "Head", period: 5 } }], [{ probe: { level: "Write", period: 300, key: "k" } }]],
    refuses: [
      [{ probe: { level: "Head", period: 4 } }, "at least one schema"],
      [{ probe: { level: "Read", period: 299, key: "k" } }, "at least one schema"],
      [{ probe: { level: "Read", period: 300 } }, 'key is required when level is "Read" or "Write"'],
      [{ probe: { level: "Head", period: 5, key: "k" } }, "key is allowed only when"],
    ],
  },
  {
    name: "a discriminated union by booleans, by numbers and with a default",
    spec: z.object({
      tls: z
        .discriminatedUnion("enabled", [
          z.object({ enabled: z.literal(true), secret: z.string() }),
          z.object({ enabled: z.literal(false) }),
        ])
        .optional(),
      schema: z
        .discriminatedUnion("version", [
          z.object({ version: z.literal(1), a: z.string() }),
          z.object({ version: z.literal(2), b: z.string() }),
        ])
        .optional(),
      mode: z
        .union([
          z.object({ kind: z.literal("auto").default("auto") }),
          z.object({ kind: z.literal("manual"), value: z.int() }),
        ])
        .optional(),
    }),
    takes: [
      [
        { tls: { enabled: true, secret: "s" }, schema: { version: 2, b: "x" }, mode: {} },
        { tls: { enabled: true, secret: "s" }, schema: { version: 2, b: "x" }, mode: { kind: "auto" } },
      ],
      [{ tls: { enabled: false }, schema: { version: 1, a: "x" }, mode: { kind: "manual", value: 1 } }],
    ],
    refuses: [
      [{ tls: { enabled: true } }, "secret is required when enabled is true"],
      [{ tls: { enabled: false, secret: "s" } }, "secret is allowed only when enabled is true"],
      [{ schema: { version: 1, b: "x", a: "y" } }, "b is allowed only when version is 2"],
      [{ mode: { value: 1 } }, 'value is allowed only when kind is "manual"'],
    ],
  },
  {
    name: "a discriminated union in lists and records, in another one, and with odd names",
    spec: z.object({
      steps: z
        .array(
          z.discriminatedUnion("do", [
            z.object({ do: z.literal("wait"), for: z.int() }),
            z.discriminatedUnion("to", [
              z.object({ do: z.literal("go"), to: z.literal("a"), "by-way": z.string() }),
              z.object({ do: z.literal("go"), to: z.literal("b"), namespace: z.string() }),
            ]),
          ]),
        )
        .optional(),
      byName: z
        .record(
          z.string(),
          z.discriminatedUnion("t", [
            z.object({ t: z.literal("x"), x: z.int() }),
            z.object({ t: z.literal("y"), y: z.int() }),
          ]),
        )
        .optional(),
    }),
    takes: [
      [
        {
          steps: [
            { do: "wait", for: 1 },
            { do: "go", to: "a", "by-way": "w" },
            { do: "go", to: "b", namespace: "n" },
          ],
          byName: { k: { t: "x", x: 1 } },
        },
      ],
    ],
    refuses: [
      [{ steps: [{ do: "wait" }] }, 'for is required when do is "wait"'],
      [{ steps: [{ do: "go", to: "a" }] }, 'by-way is required when to is "a"'],
      [{ steps: [{ do: "go", to: "a", "by-way": "w", namespace: "n" }] }, 'namespace is allowed only when to is "b"'],
      [{ steps: [{ do: "go", to: "b", namespace: "n", for: 1 }] }, 'for is allowed only when do is "wait"'],
      [{ steps: [{ do: "go" }] }, 'to is required when do is "go"'],
      [{ byName: { k: { t: "y" } } }, 'y is required when t is "y"'],
    ],
  },
  {
    name: "a plain union of objects",
    spec: z.object({
      ref: z.union([z.object({ secret: z.string() }), z.object({ file: z.string(), mode: z.int().optional() })]),
    }),
    takes: [[{ ref: { secret: "a" } }], [{ ref: { file: "f" } }], [{ ref: { file: "f", mode: 1 } }]],
    refuses: [
      [{ ref: {} }, "must have the fields of one of { secret }, { file, mode? }"],
      [{ ref: { secret: "a", mode: 1 } }, "must have the fields of one of"],
      [{ ref: { secret: "a", file: "f" } }, "must have the fields of one of"],
    ],
  },
  {
    name: "a plain union whose branches check one field differently",
    spec: z.object({
      size: z.union([
        z.object({ small: z.string(), n: z.int().max(9) }),
        z.object({ large: z.string(), n: z.int().min(100) }),
      ]),
    }),
    takes: [[{ size: { small: "a", n: 9 } }], [{ size: { large: "a", n: 100 } }]],
    refuses: [
      [{ size: { small: "a", n: 100 } }, "at least one schema"],
      [{ size: { large: "a", n: 9 } }, "at least one schema"],
    ],
  },
  {
    name: "an exclusive union",
    spec: z.object({
      one: z.xor([
        z.object({ a: z.string(), c: z.string().optional() }),
        z.object({ b: z.string(), c: z.string().optional() }),
      ]),
    }),
    takes: [[{ one: { a: "x", c: "y" } }], [{ one: { b: "x" } }]],
    refuses: [
      [{ one: { c: "x" } }, "exactly one of"],
      [{ one: { a: "x", b: "y" } }, "exactly one of"],
    ],
  },
  {
    name: "a union with null, with an optional branch and as the whole spec",
    spec: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), inner: z.union([z.object({ x: z.int() }), z.null()]).optional() }),
      z.object({ kind: z.literal("b"), never: z.never().optional() }),
    ]),
    takes: [[{ kind: "a", inner: null }], [{ kind: "a", inner: { x: 1 } }], [{ kind: "b" }]],
    refuses: [
      [{ kind: "b", inner: { x: 1 } }, 'inner is allowed only when kind is "a"'],
      [{ kind: "a", inner: {} }, "spec.inner.x: Required value"],
    ],
  },
  {
    name: "the spec of a StorageBucket: exactly one of several, by a rule",
    spec: z.object({
      s3: s3.optional(),
      gcs: z.object({ bucket: z.string() }).optional(),
      azure: azure.optional(),
      probe: z.object({ periodSeconds: z.int().default(30), timeoutSeconds: z.int().min(1).default(5) }).prefault({}),
    }),
    options: {
      rules: [
        {
          path: "spec",
          rule: "[has(self.s3), has(self.gcs), has(self.azure)].filter(x, x).size() == 1",
          message: "exactly one of s3, gcs and azure",
        },
        {
          path: "spec.probe",
          rule: "self.periodSeconds == 0 || self.timeoutSeconds <= self.periodSeconds",
          message: "timeout above period",
        },
      ],
    },
    takes: [[{ s3: { bucket: "abc" } }, { s3: { bucket: "abc" }, probe: { periodSeconds: 30, timeoutSeconds: 5 } }]],
    refuses: [
      [{}, "exactly one of s3, gcs and azure"],
      [{ s3: { bucket: "abc" }, gcs: { bucket: "b" } }, "exactly one of s3, gcs and azure"],
      [{ gcs: { bucket: "b" }, probe: { periodSeconds: 5, timeoutSeconds: 6 } }, "timeout above period"],
    ],
  },
];
