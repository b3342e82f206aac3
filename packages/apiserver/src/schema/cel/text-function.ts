import { compileRegexp } from "../regular-expression.ts";
import { doubleText, toText } from "./conversion.ts";
import { asInt, asString, type CelFunction, noOverload } from "./function.ts";
import {
  CelError,
  Dictionary,
  Duration,
  entriesOf,
  equals,
  List,
  Struct,
  strain,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from "./value.ts";

/** @throws CelError when the pattern is none */
function regexpOf(pattern: Value | undefined) {
  const compiled = compileRegexp(asString(pattern));
  if ("error" in compiled) throw new CelError(compiled.error);
  return compiled.regexp;
}

function indexOf([text, part, from]: readonly Value[]): Value {
  if (text instanceof List && part !== undefined) return BigInt(text.items.findIndex((item) => equals(item, part)));
  const characters = [...asString(text)];
  const wanted = [...asString(part)];
  const start = from === undefined ? 0 : Number(asInt(from));
  if (wanted.length === 0) return BigInt(start);
  if (start < 0 || (start >= characters.length && from !== undefined)) {
    if (start === characters.length) return -1n;
    throw new CelError(`index out of range: ${start}`);
  }
  for (let index = start; index + wanted.length <= characters.length; index += 1) {
    if (wanted.every((character, offset) => characters[index + offset] === character)) return BigInt(index);
  }
  return -1n;
}

function lastIndexOf([text, part, from]: readonly Value[]): Value {
  if (text instanceof List && part !== undefined) return BigInt(text.items.findLastIndex((item) => equals(item, part)));
  const characters = [...asString(text)];
  const wanted = [...asString(part)];
  const start = from === undefined ? characters.length - 1 : Number(asInt(from));
  if (wanted.length === 0) return BigInt(from === undefined ? characters.length : start);
  if (from !== undefined && (start < 0 || start >= characters.length))
    throw new CelError(`index out of range: ${start}`);
  for (let index = Math.min(start, characters.length - wanted.length); index >= 0; index -= 1) {
    if (wanted.every((character, offset) => characters[index + offset] === character)) return BigInt(index);
  }
  return -1n;
}

function substring([text, from, to]: readonly Value[]): Value {
  const characters = [...asString(text)];
  const start = Number(asInt(from));
  const end = to === undefined ? characters.length : Number(asInt(to));
  if (start < 0 || start > characters.length) throw new CelError(`index out of range: ${start}`);
  if (end < 0 || end > characters.length) throw new CelError(`index out of range: ${end}`);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return characters.slice(start, end).join("");
}

function charAt([text, index]: readonly Value[]): Value {
  const characters = [...asString(text)];
  const place = Number(asInt(index));
  if (place < 0 || place > characters.length) throw new CelError(`index out of range: ${place}`);
  return characters[place] ?? "";
}

function replace([text, old, fresh, limit]: readonly Value[]): Value {
  const most = limit === undefined || asInt(limit) < 0n ? Number.POSITIVE_INFINITY : Number(asInt(limit));
  const [whole, wanted, put] = [asString(text), asString(old), asString(fresh)];
  const pieces = wanted === "" ? ["", ...whole, ""] : whole.split(wanted);
  const kept = pieces.slice(0, Math.min(pieces.length, most + 1));
  const rest = pieces.slice(kept.length);
  return [kept.join(put), ...rest].join(wanted);
}

function split([text, separator, limit]: readonly Value[]): Value {
  const most = limit === undefined || asInt(limit) < 0n ? Number.POSITIVE_INFINITY : Number(asInt(limit));
  const by = asString(separator);
  if (most === 0) return List.of([]);
  const pieces = by === "" ? [...asString(text)] : asString(text).split(by);
  if (pieces.length <= most) return List.of(pieces);
  return List.of([...pieces.slice(0, most - 1), pieces.slice(most - 1).join(by)]);
}

function join([list, separator]: readonly Value[]): Value {
  if (!(list instanceof List)) throw noOverload();
  return list.items.map(asString).join(separator === undefined ? "" : asString(separator));
}

function findAll([text, pattern, limit]: readonly Value[]): Value {
  const most = limit === undefined || asInt(limit) < 0n ? Number.POSITIVE_INFINITY : Number(asInt(limit));
  const matcher = regexpOf(pattern).matcher(asString(text));
  const found: string[] = [];
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? "");
  return List.of(found);
}

function find([text, pattern]: readonly Value[]): Value {
  const matcher = regexpOf(pattern).matcher(asString(text));
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** White space as Unicode has it, which Go trims. */
const around = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu;

const quoted: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  return `"${[...text].map((character) => quoted[character] ?? character).join("")}"`;
}

/** printf for CEL: `%s %d %f %e %b %o %x %X %%`, with a precision. */
function format([template, list]: readonly Value[]): Value {
  if (!(list instanceof List)) throw noOverload();
  let used = 0;
  return asString(template).replace(clause, (all, precision: string | undefined, verb: string | undefined) => {
    if (all === "%%") return "%";
    if (used >= list.size) throw new CelError(`index ${used} out of range`);
    const value = list.at(used);
    used += 1;
    return formatOne(verb ?? "", value, precision === undefined ? 6 : Number(precision));
  });
}

const clause = /%(?:%|(?:\.(\d{1,3}))?([a-zA-Z]))/g;

function formatOne(verb: string, value: Value, precision: number): string {
  const whole = value instanceof Uint ? value.value : typeof value === "bigint" ? value : undefined;
  switch (verb) {
    case "s":
      return shown(value);
    case "d":
      if (whole !== undefined) return String(whole);
      break;
    case "f":
      if (typeof value === "number") return grouped(value, precision);
      break;
    case "e":
      if (typeof value === "number") return scientific(value, precision);
      break;
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      if (whole !== undefined) return whole.toString(2);
      break;
    case "o":
      if (whole !== undefined) return whole.toString(8);
      break;
    case "x":
    case "X": {
      const isText = typeof value === "string" || value instanceof Uint8Array;
      const hex = isText ? Buffer.from(value).toString("hex") : whole?.toString(16);
      if (hex !== undefined) return verb === "x" ? hex : hex.toUpperCase();
      break;
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
  throw new CelError(`error during formatting: ${verb} clause can not be used on ${typeName(value)}`);
}

/** cel-go formats doubles in the manner of American English. */
function grouped(value: number, precision: number): string {
  const [whole = "", fraction] = value.toFixed(Math.min(precision, 100)).split(".");
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}

function scientific(value: number, precision: number): string {
  const [mantissa = "", power = "+0"] = value.toExponential(Math.min(precision, 100)).split("e");
  const raised = [...power.slice(1).padStart(2, "0")].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return `${mantissa}\u202f×\u202f10${power.startsWith("-") ? "⁻" : ""}${raised}`;
}

/** A value as `%s` prints it; within a list or map it is a literal of CEL. */
function shown(value: Value): string {
  strain();
  if (value === null) return "null";
  if (typeof value === "number") return doubleText(value);
  if (value instanceof TypeValue) return value.type;
  if (value instanceof List) return `[${value.items.map(literal).join(", ")}]`;
  if (value instanceof Dictionary || value instanceof Struct) {
    const entries = entriesOf(value).map(([key, each]) => `${literal(key)}:${literal(each)}`);
    return `{${entries.sort().join(", ")}}`;
  }
  return toText(value);
}

function literal(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(toText(value))}`;
  if (typeof value === "number") return Number.isFinite(value) ? value.toFixed(6) : JSON.stringify(doubleText(value));
  if (value instanceof Timestamp) return `timestamp("${toText(value)}")`;
  if (value instanceof Duration) return `duration("${toText(value)}")`;
  return shown(value);
}

/** Functions of strings and regular expressions. */
export const textFunctions: Readonly<Record<string, CelFunction>> = {
  matches: ([text, pattern]) => regexpOf(pattern).test(asString(text)),
  contains: ([text, part]) => asString(text).includes(asString(part)),
  startsWith: ([text, part]) => asString(text).startsWith(asString(part)),
  endsWith: ([text, part]) => asString(text).endsWith(asString(part)),
  charAt,
  indexOf,
  lastIndexOf,
  lowerAscii: ([text]) => asString(text).replace(/[A-Z]+/g, (upper) => upper.toLowerCase()),
  upperAscii: ([text]) => asString(text).replace(/[a-z]+/g, (lower) => lower.toUpperCase()),
  replace,
  split,
  substring,
  trim: ([text]) => asString(text).replace(around, ""),
  join,
  format,
  "strings.quote": ([text]) => quote(asString(text)),
  find,
  findAll,
};
