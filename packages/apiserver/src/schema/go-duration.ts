const nanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
const largest = 2n ** 63n - 1n;

/**
 * Nanoseconds of a duration as Go's time.ParseDuration reads it: `1h30m`, `-1.5s`, `0`; undefined when the text is
 * none.
 */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === "0") return 0n;
  if (body === "" || body.length > 1_000) return undefined;
  let total = 0n;
  part.lastIndex = 0;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    if (match === null) return undefined;
    const [whole = "", fraction = ""] = (match[1] ?? "").split(".");
    const unit = nanoseconds[match[2] ?? ""] ?? 0n;
    total += BigInt(whole === "" ? "0" : whole) * unit;
    if (fraction !== "") total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    if (total > largest) return undefined;
  }
  return negative ? -total : total;
}

/** Whether Go's time.ParseDuration takes the text. */
export function isGoDuration(text: string): boolean {
  return parseGoDuration(text) !== undefined;
}

/** A duration as Go prints it: `1h30m0s`, `1.5s`, `100ms`, `0s`. */
export function formatGoDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const amount = nanos < 0n ? -nanos : nanos;
  const small = (["s", "ms", "us", "ns"] as const).find((unit) => amount >= (nanoseconds[unit] ?? 0n));
  if (small !== "s") {
    const unit = small === "us" ? "µs" : (small ?? "ns");
    return `${sign}${decimal(amount, nanoseconds[unit] ?? 1n)}${unit}`;
  }
  const minutes = amount / 60_000_000_000n;
  const seconds = `${decimal(amount % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(amount: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction =
    digits === 0
      ? ""
      : String(amount % unit)
          .padStart(digits, "0")
          .replace(/0+$/, "");
  return fraction === "" ? String(amount / unit) : `${amount / unit}.${fraction}`;
}
