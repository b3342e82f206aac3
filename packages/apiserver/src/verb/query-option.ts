import { badRequest } from "../failure/api-error.ts";

/** `true`, `1` and an empty value are true, as in the real server's conversion of queries; absent is undefined. */
export function booleanOption(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== "false" && value !== "0";
}

const largestInteger = 2n ** 63n - 1n;

/** A decimal integer of 64 bits; absent is undefined. */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const isNumber = /^[-+]?\d+$/.test(value);
  if (isNumber && BigInt(value.replace("+", "")) <= largestInteger) return Number(value);
  throw badRequest(
    `strconv.ParseInt: parsing ${JSON.stringify(value)}: ${isNumber ? "value out of range" : "invalid syntax"}`,
  );
}

/** The text; absent and empty are the same. */
export function textOption(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === "" ? undefined : value;
}
