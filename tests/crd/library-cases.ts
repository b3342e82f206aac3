import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import type { TortureCase } from "./torture-case.ts";

/** The same in the words of other libraries that speak Standard JSON Schema. */
export const libraryCases: readonly TortureCase[] = [
  {
    name: "a valibot schema",
    spec: toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(3), v.regex(/^[a-z]+$/)),
        at: v.optional(v.pipe(v.string(), v.isoTimestamp(), v.regex(/Z$/))),
        level: v.optional(v.picklist(["Head", "List"]), "Head"),
        count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
        port: v.optional(v.union([v.string(), v.pipe(v.number(), v.integer())])),
        nothing: v.nullish(v.string()),
        labels: v.optional(v.record(v.string(), v.string())),
        probe: v.optional(v.object({ period: v.optional(v.number(), 30) }), {}),
        source: v.optional(
          v.variant("type", [
            v.object({ type: v.literal("a"), x: v.string() }),
            v.object({ type: v.literal("b"), y: v.string() }),
          ]),
        ),
        open: v.optional(v.looseObject({ k: v.string() })),
        unknown: v.optional(v.unknown()),
      }),
    ),
    options: { preserveUnknownFields: ["spec.open"] },
    takes: [
      [{ name: "abc" }, { name: "abc", level: "Head", probe: { period: 30 } }],
      [
        {
          name: "abc",
          at: "2030-01-01T00:00:00Z",
          port: "x",
          nothing: null,
          labels: { a: "b" },
          open: { k: "x", y: 1 },
          unknown: [1],
          source: { type: "b", y: "z" },
        },
        {
          name: "abc",
          at: "2030-01-01T00:00:00Z",
          port: "x",
          nothing: null,
          labels: { a: "b" },
          open: { k: "x", y: 1 },
          unknown: [1],
          source: { type: "b", y: "z" },
          level: "Head",
          probe: { period: 30 },
        },
      ],
    ],
    refuses: [
      [{ name: "ab" }, "at least 3 chars"],
      [{ name: "abc", at: "2030-01-01T00:00:00+01:00" }, "should match 'Z$'"],
      [{ name: "abc", level: "x" }, "Unsupported value"],
      [{ name: "abc", count: 0.5 }, "must be of type integer"],
      [{ name: "abc", source: { type: "a" } }, 'x is required when type is "a"'],
    ],
  },
  {
    name: "an arktype schema",
    spec: type({
      name: "3 <= string <= 63",
      "level?": "'Head' | 'List'",
      period: "number.integer >= 5 = 30",
      "port?": "string | number.integer",
      "nothing?": "string | null",
      "labels?": { "[string]": "string" },
      "tags?": "string[] >= 1",
      "source?": [{ type: "'a'", x: "string" }, "|", { type: "'b'", "y?": "string" }],
      "any?": "object",
      "share?": "0 < number < 1",
    }),
    takes: [
      [{ name: "abc" }, { name: "abc", period: 30 }],
      [
        {
          name: "abc",
          period: 5,
          level: "List",
          port: 80,
          nothing: null,
          labels: { a: "b" },
          tags: ["x"],
          source: { type: "b" },
          any: { x: 1 },
          share: 0.5,
        },
      ],
    ],
    refuses: [
      [{ name: "ab" }, "at least 3 chars"],
      [{ name: "abc", level: "x" }, "Unsupported value"],
      [{ name: "abc", period: 4 }, "greater than or equal to 5"],
      [{ name: "abc", tags: [] }, "at least 1 items"],
      [{ name: "abc", source: { type: "a" } }, 'x is required when type is "a"'],
      [{ name: "abc", share: 1 }, "less than 1"],
    ],
  },
];
