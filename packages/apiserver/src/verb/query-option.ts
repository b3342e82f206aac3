import { badRequest } from "../failure/api-error.ts";

/** `true`, `1` and an empty value are true, as in the real server's conversion of queries; absent is undefined. */
export function booleanOption(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== "false" && value !== "0";
}

/** A decimal integer of 64 bits; absent or empty is undefined. */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === "") return undefined;
  if (/^[-+]?\d+$/.test(value)) return Number(value);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
}

/** The text; absent and empty are the same. */
export function textOption(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === "" ? undefined : value;
}
