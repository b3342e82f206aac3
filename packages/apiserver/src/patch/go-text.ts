import type { JsonObject } from "farwatch";
import { goJson } from "../failure/go-json.ts";
import { goNumber, goNumberType } from "../failure/go-number.ts";
import { compareText } from "../schema/compare-text.ts";
import { sortedJson } from "../schema/plain-object.ts";

/** JSON as Go writes its maps, whose names are sorted. */
export function sortedGoJson(value: unknown): string {
  return goJson(sortedJson(value));
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
  if (typeof value === "number") return goNumberType(value);
  if (typeof value === "object") return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : "string";
}

/** What encoding/json calls a value that it cannot put where it should go. */
export function jsonKindText(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
