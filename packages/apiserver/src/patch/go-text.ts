import type { JsonObject } from "farwatch";
import { goNumber } from "../failure/go-number.ts";
import { setOwn } from "../schema/plain-object.ts";

/** Compares as Go compares strings: byte by byte in UTF-8, which is the order of code points and not that of UTF-16. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    let a = left.charCodeAt(index);
    let b = right.charCodeAt(index);
    if (a === b) continue;
    // Surrogates stand for code points above all others.
    if (a >= 0xd800 && b >= 0xd800) {
      a = a >= 0xe000 ? a - 0x800 : a + 0x2000;
      b = b >= 0xe000 ? b - 0x800 : b + 0x2000;
    }
    return a < b ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}

const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as Go's encoder writes it: what HTML minds is escaped, and names stand as they are. */
export function goJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[<>&\u2028\u2029]/g, (character) => escaped[character] ?? character)
    .replace(/\\(\\|[bf])/g, (whole, character: string) => {
      if (character === "b") return "\\u0008";
      return character === "f" ? "\\u000c" : whole;
    });
}

/** The same of Go's maps, whose names are sorted. */
export function sortedGoJson(value: unknown): string {
  return goJson(sortedNames(value));
}

function sortedNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedNames);
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  const sorted: Record<string, unknown> = {};
  for (const [name, child] of entries) setOwn(sorted, name, sortedNames(child));
  return sorted;
}

/** A value as `%v` prints it: `map[a:1 b:[x y]]`. */
export function goValueText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValueText).join(" ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value as JsonObject).sort(([a], [b]) => compareText(a, b));
    return `map[${entries.map(([name, child]) => `${name}:${goValueText(child)}`).join(" ")}]`;
  }
  return typeof value === "number" ? goNumber(value) : String(value);
}

/** What `%T` says of a JSON value that is held in an `interface {}`. */
export function goTypeText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "int64" : "float64";
  if (typeof value === "object") return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : "string";
}

/** What encoding/json calls a value that it cannot put where it should go. */
export function jsonKindText(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
