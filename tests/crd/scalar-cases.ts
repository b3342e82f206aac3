import { instantOf, parseTime } from "farwatch";
import { z } from "zod";
import type { TortureCase } from "./torture-case.ts";

export const scalarCases: readonly TortureCase[] = [
  {
    name: "strings with lengths and a pattern",
    spec: z.object({
      s: z
        .string()
        .min(2)
        .max(4)
        .regex(/^[a-z]+$/),
    }),
    takes: [[{ s: "ab" }], [{ s: "abcd" }]],
    refuses: [
      [{}, "spec.s: Required value"],
      [{ s: "a" }, "at least 2 chars"],
      [{ s: "abcde" }, "may not be more than 4"],
      [{ s: "AB" }, "should match"],
      [{ s: 5 }, "must be of type string"],
    ],
  },
  {
    name: "strings with several patterns",
    spec: z.object({ s: z.string().startsWith("a").endsWith("z").regex(/m/) }),
    takes: [[{ s: "amz" }]],
    refuses: [
      [{ s: "az" }, "should match"],
      [{ s: "bmz" }, "should match"],
    ],
  },
  {
    name: "patterns in JavaScript's own words",
    spec: z.object({
      slash: z
        .string()
        .regex(/^https?:\/\/[^/\s]+$/)
        .optional(),
      unicode: z
        .string()
        .regex(/^\u00e9\u{1F980}?$/u)
        .optional(),
      control: z
        .string()
        .regex(/^\cJ[\b]\0$/)
        .optional(),
      script: z
        .string()
        .regex(/^\p{Script=Greek}+$/u)
        .optional(),
      named: z
        .string()
        .regex(/^(?<word>\w+)-\d{1,1000}$/)
        .optional(),
    }),
    takes: [
      [{ slash: "https://a.example" }],
      [{ unicode: "é🦀" }],
      [{ control: "\n\b\0" }],
      [{ script: "αβγ" }],
      [{ named: "a-1" }],
    ],
    refuses: [
      [{ slash: "https://a/b" }, "should match"],
      [{ unicode: "e" }, "should match"],
      [{ script: "abc" }, "should match"],
    ],
  },
  {
    name: "formats that the server checks",
    spec: z.object({
      at: z.iso.datetime().optional(),
      day: z.iso.date().optional(),
      id: z.uuid().optional(),
      mail: z.email().optional(),
      url: z.url().optional(),
      v4: z.ipv4().optional(),
      v6: z.ipv6().optional(),
      host: z.hostname().optional(),
    }),
    takes: [
      [{ at: "2030-01-01T00:00:00.123Z", day: "2024-02-29", id: "6f1c9c1e-6d2f-4c66-9d3e-0b1b8a1f3c55" }],
      [{ mail: "a@example.org", url: "https://example.org/a?b=c", v4: "10.0.0.1", v6: "::1", host: "a.example.org" }],
    ],
    refuses: [
      [{ at: "2030-01-01" }, "must be of type date-time"],
      [{ at: "2023-02-29T00:00:00Z" }, "must be of type date-time"],
      [{ day: "2023-02-29" }, "must be of type date"],
      [{ id: "x" }, "spec.id"],
      [{ mail: "x" }, "spec.mail"],
      [{ url: "::" }, "spec.url"],
      [{ v4: "10.0.0.256" }, "spec.v4"],
      [{ v6: "10.0.0.1" }, "spec.v6"],
      [{ host: "a..b" }, "spec.host"],
    ],
  },
  {
    name: "formats that the server does not check",
    spec: z.object({
      time: z.iso.time().optional(),
      duration: z.iso.duration().optional(),
      base64: z.base64().optional(),
      cidr: z.cidrv4().optional(),
    }),
    takes: [
      [{ time: "23:59:59" }],
      [{ duration: "P1DT2H30M" }],
      [{ duration: "P2W" }],
      [{ base64: "YWJj" }],
      [{ cidr: "10.0.0.0/8" }],
    ],
    refuses: [
      [{ time: "25:00" }, "should match"],
      [{ duration: "1h30m" }, "should match"],
      [{ duration: "P" }, "should match"],
      [{ duration: "P1DT" }, "should match"],
      [{ base64: "!" }, "should match"],
      [{ cidr: "10.0.0.0/33" }, "should match"],
    ],
  },
  {
    name: "numbers with bounds and steps",
    spec: z.object({
      positive: z.number().positive().optional(),
      below: z.number().lt(1).optional(),
      step: z.number().multipleOf(2).optional(),
      fraction: z.number().min(0.5).lt(2.5).optional(),
      negative: z.number().gt(-2.5).max(-0.5).optional(),
      integer: z.int().optional(),
      range: z.int().min(5).max(3600).optional(),
      small: z.int32().optional(),
      unsigned: z.uint32().optional(),
      float: z.float32().optional(),
    }),
    takes: [
      [
        {
          positive: 0.5,
          below: 0.5,
          step: 4,
          fraction: 2,
          negative: -2,
          integer: 9007199254740991,
          range: 5,
          small: -2147483648,
          unsigned: 4294967295,
          float: 1.5,
        },
      ],
      [{ integer: -9007199254740991, range: 3600, fraction: 0.5, negative: -0.5 }],
    ],
    refuses: [
      [{ positive: 0 }, "greater than 0"],
      [{ below: 1 }, "less than 1"],
      [{ step: 3 }, "multiple of"],
      [{ fraction: 0 }, "must be greater than or equal to 0.5"],
      [{ fraction: 2.5 }, "must be less than 2.5"],
      [{ negative: -3 }, "must be greater than -2.5"],
      [{ negative: 0 }, "must be less than or equal to -0.5"],
      [{ integer: 1.5 }, "must be of type integer"],
      [{ range: 4 }, "greater than or equal to 5"],
      [{ range: 3601 }, "less than or equal to 3600"],
      [{ small: 2147483648 }, "spec.small"],
      [{ unsigned: -1 }, "spec.unsigned"],
    ],
  },
  {
    name: "enums and literals",
    spec: z.object({
      level: z.enum(["Head", "List"]).optional(),
      on: z.enum(["on", "off", "yes", "no"]).optional(),
      one: z.literal("one").optional(),
      count: z.literal([1, 2, 3]).optional(),
      yes: z.literal(true).optional(),
      either: z.union([z.literal("a"), z.literal("b")]).optional(),
      both: z.union([z.literal(true), z.literal(false)]).optional(),
    }),
    takes: [[{ level: "Head", on: "on", one: "one", count: 2, yes: true, either: "b", both: false }]],
    refuses: [
      [{ level: "Read" }, 'supported values: "Head", "List"'],
      [{ on: "maybe" }, "Unsupported value"],
      [{ one: "two" }, "Unsupported value"],
      [{ count: 4 }, "Unsupported value"],
      [{ yes: false }, "Unsupported value"],
      [{ either: "c" }, "Unsupported value"],
      [{ both: "true" }, "must be of type boolean"],
    ],
  },
  {
    name: "nullable values",
    spec: z.object({
      s: z.string().min(2).nullable(),
      n: z.int().nullish(),
      e: z.enum(["a", "b"]).nullable().optional(),
      odd: z.enum(["a.b", "(c|d)", "e\nf"]).nullable().optional(),
      count: z.literal([1, 2.5]).nullable().optional(),
      yes: z.literal(true).nullable().optional(),
      o: z.object({ k: z.string() }).nullable().optional(),
      l: z.array(z.string().nullable()).nullable().optional(),
      d: z.string().nullable().default(null),
    }),
    takes: [
      [{ s: null, n: null, e: null, odd: null, count: null, yes: null, o: null, l: null, d: null }],
      [{ s: "ab", n: 1, e: "a", odd: "(c|d)", count: 2.5, yes: true, d: null }],
      [{ s: "ab", odd: "e\nf", count: 1, d: "x" }],
      [{ s: "ab", n: 1, e: "a", o: { k: "x" }, l: [null, "x"] }],
    ],
    refuses: [
      [{ s: "a" }, "at least 2 chars"],
      [{}, "spec.s: Required value"],
      [{ s: null, e: "c" }, "should match '^(?:a|b)$'"],
      [{ s: null, odd: "axb" }, "should match"],
      [{ s: null, odd: "c" }, "should match"],
      [{ s: null, count: 2 }, "must be one of 1, 2.5, or null"],
      [{ s: null, yes: false }, "must be one of true, or null"],
      [{ s: null, o: {} }, "spec.o.k: Required value"],
    ],
  },
  {
    name: "values that are not nullable, whose null counts as absent",
    spec: z.object({ s: z.string().optional(), d: z.int().default(3) }),
    takes: [
      [{ s: null, d: null }, { d: 3 }],
      [{}, { d: 3 }],
    ],
  },
  {
    name: "integers or strings",
    spec: z.object({
      port: z.union([z.int().min(1).max(65535), z.string().min(1)]).optional(),
      share: z.union([z.int().min(0), z.string().regex(/^\d+%$/)]).optional(),
      mode: z.union([z.literal("auto"), z.int()]).optional(),
      size: z.union([z.literal(["small", "large"]), z.literal([1, 2])]).optional(),
      fixed: z.union([z.literal([80, 443]), z.string()]).optional(),
      small: z.union([z.int32(), z.string()]).optional(),
      marked: z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true }).optional(),
    }),
    takes: [
      [{ port: 80, share: "50%", mode: "auto", size: "small", fixed: 443, small: 1, marked: 1 }],
      [{ port: "http", share: 3, mode: 7, size: 2, fixed: "https", small: "x", marked: "x" }],
    ],
    refuses: [
      [{ port: 0 }, "greater than or equal to 1"],
      [{ port: "" }, "at least 1 chars"],
      [{ port: true }, "must be of type integer,string"],
      [{ share: "50" }, "should match"],
      [{ mode: "manual" }, "should match '^(?:auto)$'"],
      [{ size: 3 }, "Unsupported value"],
      [{ size: "x" }, "Unsupported value"],
      [{ fixed: 81 }, "at least one schema"],
    ],
  },
  {
    name: "alternatives of one type",
    spec: z.object({
      target: z.union([z.ipv4(), z.literal("auto")]).optional(),
      count: z.union([z.int().max(10), z.int().min(100)]).optional(),
      ratio: z.union([z.int(), z.number().max(1)]).optional(),
    }),
    takes: [[{ target: "10.0.0.1", count: 5, ratio: 0.5 }], [{ target: "auto", count: 100, ratio: 7 }]],
    refuses: [
      [{ target: "manual" }, "at least one schema"],
      [{ count: 50 }, "at least one schema"],
      [{ ratio: 7.5 }, "at least one schema"],
    ],
  },
  {
    name: "transforms, pipes and coercion, by what they take",
    spec: z.object({
      length: z
        .string()
        .transform((text) => text.length)
        .optional(),
      piped: z.string().transform(Number).pipe(z.number()).optional(),
      when: z
        .codec(z.iso.datetime(), z.date(), {
          decode: (text) => parseTime(text) ?? instantOf(0),
          encode: (at) => at.toISOString(),
        })
        .optional(),
      trimmed: z.string().trim().toLowerCase().optional(),
      flag: z.stringbool().optional(),
      prepared: z.preprocess((value) => value, z.string()).optional(),
      branded: z.string().brand("Name").readonly().optional(),
    }),
    takes: [
      [
        {
          length: "abc",
          piped: "1",
          when: "2030-01-01T00:00:00Z",
          trimmed: " A ",
          flag: "yes",
          prepared: "x",
          branded: "y",
        },
      ],
    ],
    refuses: [
      [{ length: 3 }, "must be of type string"],
      [{ when: "x" }, "must be of type date-time"],
    ],
  },
];
