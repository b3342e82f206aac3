/** The notation of a quantity, which a change of its value keeps: `2Gi`, `2G` or `2e9`. */
export type QuantityFormat = "BinarySI" | "DecimalExponent" | "DecimalSI";

/** An amount of something (k8s.io/apimachinery's resource.Quantity), exact to a billionth. */
export interface Quantity {
  /** Billionths. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const billion = 1_000_000_000n;
/** No quantity in binary notation is larger: 2^63 - 1. */
const binaryLimit = (2n ** 63n - 1n) * billion;
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([eE])([+-]?\d+)|([numkMGTPE]?)|([KMGTPE]i))$/;
/** Nothing is counted in larger powers of ten, and a text shall not ask for gigabytes of digits. */
const largestPower = 400;

/**
 * Reads a quantity: `500m`, `1.5Gi`, `1e3`. What is smaller than a billionth is rounded away from zero, and what is
 * above 2^63 - 1 in binary notation is that, as on the server. Undefined when the text is none.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const match = text.length > 1_000 ? null : pattern.exec(text);
  if (match === null) return undefined;
  const [, sign, number = "", e, exponent = "0", suffix = "", binarySuffix] = match;
  const [whole = "", fraction = ""] = number.split(".");
  const power = 9 - fraction.length + (e === undefined ? (decimal[suffix] ?? 0) : Number(exponent));
  if (power > largestPower) return undefined;
  const digits = BigInt(`${whole}${fraction}`) * 1_024n ** BigInt(Math.max(0, binary.indexOf(binarySuffix ?? "")));
  const nano = scaled(digits, power);
  const amount = binarySuffix !== undefined && nano > binaryLimit ? binaryLimit : nano;
  return {
    nano: sign === "-" ? -amount : amount,
    format: binarySuffix !== undefined ? "BinarySI" : e !== undefined ? "DecimalExponent" : "DecimalSI",
  };
}

/** The number times a power of ten, rounded up. */
function scaled(digits: bigint, power: number): bigint {
  if (power >= 0) return digits * 10n ** BigInt(power);
  if (digits === 0n || -power > 2_000) return digits === 0n ? 0n : 1n;
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor - 1n) / divisor;
}

/** Negative when `a` is smaller, positive when it is larger, 0 when they are the same amount in whatever notation. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The canonical text of a quantity: no fraction, and the largest suffix that loses nothing. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return "0";
  const sign = nano < 0n ? "-" : "";
  const amount = nano < 0n ? -nano : nano;
  if (format === "BinarySI" && amount >= 1_024n * billion && amount % billion === 0n)
    return sign + formatBinary(amount / billion);
  let power = -9;
  let mantissa = amount;
  const highest = format === "DecimalExponent" ? Number.POSITIVE_INFINITY : 18;
  while (mantissa % 1_000n === 0n && power < highest) {
    mantissa /= 1_000n;
    power += 3;
  }
  if (format === "DecimalExponent") return `${sign}${mantissa}${power === 0 ? "" : `e${power}`}`;
  return `${sign}${mantissa}${Object.keys(decimal).find((suffix) => decimal[suffix] === power) ?? ""}`;
}

function formatBinary(amount: bigint): string {
  let index = 0;
  let mantissa = amount;
  while (mantissa % 1_024n === 0n && index < binary.length - 1) {
    mantissa /= 1_024n;
    index += 1;
  }
  return `${mantissa}${binary[index]}`;
}
