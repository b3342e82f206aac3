import type { JsonObject, ValueValidation } from "../wire/structural-schema.ts";
import { toRe2 } from "./re2.ts";
import type { Refuse } from "./refuse.ts";

/** The formats of a string that kube-apiserver checks; it ignores any other. */
const serverFormats: ReadonlySet<string> = new Set([
  ...["bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time", "duration", "email", "hexcolor", "hostname"],
  ...["ipv4", "ipv6", "isbn", "isbn10", "isbn13", "k8s-long-name", "k8s-short-name", "mac", "password", "rgbcolor"],
  ...["ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5"],
]);

/**
 * What a format takes and refuses: a pattern that tells all of these apart is the format's own, spelled by the library.
 */
const samples: Readonly<Record<string, { readonly valid: readonly string[]; readonly invalid: readonly string[] }>> = {
  "date-time": {
    valid: ["2024-02-29T23:59:59Z", "2030-12-31T00:00:00.123Z"],
    invalid: ["", "2023-02-29T00:00:00Z", "2030-13-01T00:00:00Z", "2030-01-01T25:00:00Z", "2030-01-01"],
  },
  date: { valid: ["2024-02-29", "2030-12-31"], invalid: ["", "2023-02-29", "2030-13-01", "2030-01-01T00:00:00Z"] },
  hostname: { valid: ["a", "storage.example.com", "a-1.b"], invalid: ["", "-a", "a..b", "a_b", `${"a".repeat(64)}.b`] },
  duration: { valid: ["P1D", "PT1H30M", "P2W"], invalid: ["", "P", "PT", "P1DT", "1h"] },
};

/** RFC 3339's durations in RE2's words: the format `duration` of the server is Go's (`1h30m`), another thing. */
const isoDuration: ValueValidation = {
  pattern: "^P(?:\\d+W|(?:\\d+Y)?(?:\\d+M)?(?:\\d+D)?(?:T(?:\\d+H)?(?:\\d+M)?(?:\\d+(?:[.,]\\d+)?S)?)?)$",
  allOf: [{ pattern: "\\d[YMWDHS]$" }],
};

/**
 * Length, format and pattern of a string as the server takes them: a format that it does not know goes, the pattern
 * beside it stays; a format's own pattern goes where the server checks the format itself; a pattern is rewritten for
 * RE2.
 */
export function stringValidation(node: JsonObject, path: string, refuse: Refuse): ValueValidation {
  const lengths: ValueValidation = {
    ...(typeof node.minLength === "number" && { minLength: node.minLength }),
    ...(typeof node.maxLength === "number" && { maxLength: node.maxLength }),
  };
  const format = typeof node.format === "string" ? node.format : undefined;
  const pattern = typeof node.pattern === "string" ? node.pattern : undefined;
  const own = format !== undefined && pattern !== undefined && isPatternOf(format, pattern);
  if (own && format === "duration") return { ...lengths, ...isoDuration };
  const known = format !== undefined && serverFormats.has(format) && !(format === "duration" && pattern !== undefined);
  if (format !== undefined && !known && pattern === undefined && node.allOf === undefined) {
    return refuse(path, `has the format ${format}, which the API server does not check; give a pattern instead`);
  }
  return {
    ...lengths,
    ...(known && { format }),
    ...(pattern !== undefined && !own && { pattern: re2Pattern(pattern, path, refuse) }),
  };
}

function re2Pattern(source: string, path: string, refuse: Refuse): string {
  const re2 = toRe2(source);
  if ("pattern" in re2) return re2.pattern;
  return refuse(
    path,
    `has the pattern ${source} with ${re2.problem}, which RE2, the API server's regular expressions, does not have; write it without, or as a CEL rule`,
  );
}

function isPatternOf(format: string, pattern: string): boolean {
  const sample = samples[format];
  if (sample === undefined) return false;
  let expression: RegExp;
  try {
    expression = new RegExp(pattern);
  } catch {
    return false;
  }
  return sample.valid.every((text) => expression.test(text)) && !sample.invalid.some((text) => expression.test(text));
}
