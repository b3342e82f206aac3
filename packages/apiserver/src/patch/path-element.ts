import type { JsonObject } from "farwatch";
import { goJson } from "../failure/go-json.ts";
import { goNumber } from "../failure/go-number.ts";
import { goQuoted } from "../failure/go-quoted.ts";
import { readJson } from "../failure/read-json.ts";
import { compareText } from "../schema/compare-text.ts";
import { isPlain, quoted } from "./plain-text.ts";

/**
 * One step of the path of a field, in the text of FieldsV1: `f:name` a field, `k:{"name":"x"}` the item of a list of
 * maps with these keys, `v:"x"` an item of a set, `i:0` an item by its place. One step has one text, so that texts are
 * compared for equality.
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${scalarText(value)}`;
}

/** Of an item of a list of maps; absent keys are left out. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  const sorted = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => compareText(a, b));
  let text = "";
  for (const [name, value] of sorted) text += `${text === "" ? "" : ","}${quoted(name)}:${scalarText(value)}`;
  return `k:{${text}}`;
}

function scalarText(value: unknown): string {
  if (typeof value === "string" && isPlain(value)) return `"${value}"`;
  // The real server writes sets with an encoder that has no short names for these two.
  return goJson(value).replace(/\\(\\|[bf])/g, (whole, character: string) => {
    if (character === "b") return "\\u0008";
    return character === "f" ? "\\u000c" : whole;
  });
}

/** Kinds of steps in the order in which a set prints them. */
const order = "fkvi";

/** The order of FieldsV1. */
export function comparePathElements(left: PathElement, right: PathElement): number {
  if (left === right) return 0;
  const kind = order.indexOf(left.charAt(0)) - order.indexOf(right.charAt(0));
  if (kind !== 0) return kind;
  const [a, b] = [left.slice(2), right.slice(2)];
  if (left.startsWith("f")) return compareText(a, b);
  if (left.startsWith("i")) return Number(a) - Number(b);
  return left.startsWith("v") ? compareValues(JSON.parse(a), JSON.parse(b)) : compareKeys(JSON.parse(a), JSON.parse(b));
}

function compareKeys(left: JsonObject, right: JsonObject): number {
  const a = Object.entries(left);
  const b = Object.entries(right);
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const difference = compareText(name, other[0]) || compareValues(value, other[1]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(value: unknown): number {
  if (typeof value === "number") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

/** Numbers, then strings, booleans, and the rest, which no schema lets through, by its text. */
function compareValues(left: unknown, right: unknown): number {
  const difference = rank(left) - rank(right);
  if (difference !== 0) return difference;
  if (typeof left === "number") return left - (right as number);
  if (typeof left === "string") return compareText(left, right as string);
  return compareText(goJson(left), goJson(right));
}

function valueText(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return goQuoted(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (typeof value === "number") return goNumber(value);
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, child]) => `${name}=${valueText(child)}`)
    .join("");
}

/** A step as refusals print it: `.spec`, `[port=80,protocol="TCP"]`, `[="x"]`, `[0]`. */
export function pathElementText(element: PathElement): string {
  const text = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${text}`;
    case "k":
      return `[${Object.entries(JSON.parse(text) as JsonObject)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${valueText(JSON.parse(text))}]`;
    default:
      return `[${text}]`;
  }
}

/**
 * The one text of a step that a client wrote: keys sorted, no spaces. Undefined for a kind of step that is not known,
 * which is passed over as the real server does.
 *
 * @throws SyntaxError for what is no step.
 */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.charAt(1) !== ":") throw new SyntaxError(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text.charAt(0)) {
    case "f":
      return text;
    case "v":
      return valueElement(readJson(rest));
    case "k": {
      const keys = readJson(rest);
      if (typeof keys !== "object" || keys === null || Array.isArray(keys)) throw new SyntaxError(`no keys: ${text}`);
      return keyElement(Object.entries(keys));
    }
    case "i":
      if (!/^[-+]?\d+$/.test(rest)) throw new SyntaxError(`no index: ${text}`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}
