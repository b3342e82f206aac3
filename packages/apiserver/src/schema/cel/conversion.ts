import { formatTime, instantOf, parseTime } from "farwatch";
import { goNumber } from "../../failure/go-number.ts";
import { parseGoDuration } from "../go-duration.ts";
import { type CelFunction, noOverload } from "./function.ts";
import { durationOf, timestampOf } from "./operator.ts";
import { CelError, Duration, Opaque, Timestamp, TypeValue, typeName, Uint, type Value } from "./value.ts";

const billion = 1_000_000_000n;

function failed(value: Value, type: string): CelError {
  return new CelError(`type conversion error from '${typeName(value)}' to '${type}'`);
}

function toInt(value: Value): Value {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return inRange(value.value);
  if (typeof value === "number") {
    if (Number.isNaN(value) || Math.abs(value) >= 2 ** 63) throw new CelError("integer overflow");
    return BigInt(Math.trunc(value));
  }
  if (typeof value === "string") {
    if (!/^[+-]?\d+$/.test(value)) throw failed(value, "int");
    const read = BigInt(value.replace(/^\+/, ""));
    if (BigInt.asIntN(64, read) !== read) throw failed(value, "int");
    return read;
  }
  if (value instanceof Timestamp) return floorDivide(value.nanos, billion);
  if (value instanceof Duration) return value.nanos;
  throw noOverload();
}

function inRange(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError("integer overflow");
  return value;
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a >= 0n || a % b === 0n ? a / b : a / b - 1n;
}

function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") {
    if (value < 0n) throw new CelError("unsigned integer overflow");
    return new Uint(value);
  }
  if (typeof value === "number") {
    if (!(value >= 0) || value >= 2 ** 64) throw new CelError("unsigned integer overflow");
    return new Uint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== "string") throw noOverload();
  if (!/^\d+$/.test(value) || BigInt.asUintN(64, BigInt(value)) !== BigInt(value)) throw failed(value, "uint");
  return new Uint(BigInt(value));
}

function toDouble(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== "string") throw noOverload();
  if (/^[+-]?inf(?:inity)?$/i.test(value))
    return value.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(value)) return Number.NaN;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw failed(value, "double");
  return Number(value);
}

/** A value's text, as `string()` gives it. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return doubleText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return `${decimalSeconds(value.nanos)}s`;
  if (value instanceof Opaque && (value.type === "net.IP" || value.type === "net.CIDR")) return value.identity;
  if (value instanceof Uint8Array) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(value);
    } catch (cause) {
      throw new CelError("invalid UTF-8 in bytes, cannot convert to string", { cause });
    }
  }
  throw noOverload();
}

/** A double as Go's strconv prints it. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Number.isInteger(value) && Math.abs(value) >= 1e21) return goNumber(value);
  return String(value);
}

function decimalSeconds(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const amount = nanos < 0n ? -nanos : nanos;
  const fraction = String(amount % billion)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${amount / billion}${fraction === "" ? "" : `.${fraction}`}`;
}

function timestampText({ nanos }: Timestamp): string {
  const seconds = floorDivide(nanos, billion);
  const fraction = String(nanos - seconds * billion)
    .padStart(9, "0")
    .replace(/0+$/, "");
  const whole = formatTime(instantOf(Number(seconds) * 1_000)).slice(0, -1);
  return `${whole}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** An RFC 3339 time to the nanosecond; undefined when the text is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const fraction = /\.(\d{1,9})\d*/.exec(text)?.[1] ?? "";
  const at = parseTime(text.replace(/\.\d+/, ""));
  if (at === undefined) return undefined;
  return new Timestamp(BigInt(at.getTime()) * 1_000_000n + BigInt(fraction.padEnd(9, "0")));
}

function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return timestampOf(value * billion);
  if (typeof value !== "string") throw noOverload();
  const at = parseTimestamp(value);
  if (at === undefined) throw failed(value, "google.protobuf.Timestamp");
  return timestampOf(at.nanos);
}

function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === "bigint") return durationOf(value);
  if (typeof value !== "string") throw noOverload();
  const nanos = parseGoDuration(value);
  if (nanos === undefined) throw failed(value, "google.protobuf.Duration");
  return new Duration(nanos);
}

function toBool(value: Value): Value {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") throw noOverload();
  if (["1", "t", "T", "TRUE", "true", "True"].includes(value)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(value)) return false;
  throw failed(value, "bool");
}

type Part =
  | "Date"
  | "DayOfMonth"
  | "DayOfWeek"
  | "DayOfYear"
  | "FullYear"
  | "Hours"
  | "Milliseconds"
  | "Minutes"
  | "Month"
  | "Seconds";

const perDuration: Readonly<Partial<Record<Part, bigint>>> = {
  Hours: 3_600n * billion,
  Minutes: 60n * billion,
  Seconds: billion,
  Milliseconds: 1_000_000n,
};

function timePart(part: Part): CelFunction {
  return ([value, zone]) => {
    if (value instanceof Duration && perDuration[part] !== undefined) {
      return part === "Milliseconds" ? (value.nanos / 1_000_000n) % 1_000n : value.nanos / perDuration[part];
    }
    if (!(value instanceof Timestamp)) throw noOverload();
    const milliseconds = Number(floorDivide(value.nanos, 1_000_000n));
    const local = instantOf(milliseconds + (zone === undefined ? 0 : offsetOf(String(zone), milliseconds)));
    return BigInt(partOf[part](local));
  };
}

type LocalTime = ReturnType<typeof instantOf>;

const partOf: Readonly<Record<Part, (at: LocalTime) => number>> = {
  FullYear: (at) => at.getUTCFullYear(),
  Month: (at) => at.getUTCMonth(),
  Date: (at) => at.getUTCDate(),
  DayOfMonth: (at) => at.getUTCDate() - 1,
  DayOfWeek: (at) => at.getUTCDay(),
  DayOfYear: (at) => {
    const start = parseTime(`${String(at.getUTCFullYear()).padStart(4, "0")}-01-01T00:00:00Z`);
    return Math.floor((at.getTime() - (start?.getTime() ?? 0)) / 86_400_000);
  },
  Hours: (at) => at.getUTCHours(),
  Minutes: (at) => at.getUTCMinutes(),
  Seconds: (at) => at.getUTCSeconds(),
  Milliseconds: (at) => at.getUTCMilliseconds(),
};

/** Milliseconds east of UTC, of `+02:00` or of a name of the time zone database. */
function offsetOf(zone: string, epochMs: number): number {
  const fixed = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone);
  if (fixed !== null) {
    return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    const name = format.formatToParts(epochMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  } catch (cause) {
    throw new CelError(`unknown time zone ${zone}`, { cause });
  }
}

const parts: readonly Part[] = [
  "Date",
  "DayOfMonth",
  "DayOfWeek",
  "DayOfYear",
  "FullYear",
  "Hours",
  "Milliseconds",
  "Minutes",
  "Month",
  "Seconds",
];

/** Conversions between types, and the parts of times. */
export const conversions: Readonly<Record<string, CelFunction>> = {
  int: ([value = null]) => toInt(value),
  uint: ([value = null]) => toUint(value),
  double: ([value = null]) => toDouble(value),
  string: ([value = null]) => toText(value),
  bool: ([value = null]) => toBool(value),
  bytes: ([value]) => {
    if (value instanceof Uint8Array) return value;
    if (typeof value === "string") return new TextEncoder().encode(value);
    throw noOverload();
  },
  timestamp: ([value = null]) => toTimestamp(value),
  duration: ([value = null]) => toDuration(value),
  type: ([value = null]) => new TypeValue(typeName(value)),
  dyn: ([value = null]) => value,
  ...Object.fromEntries(parts.map((part) => [`get${part}`, timePart(part)])),
};
