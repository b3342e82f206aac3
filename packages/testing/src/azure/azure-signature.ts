import { createHmac, timingSafeEqual } from "node:crypto";
import type { ServedRequest } from "../store/served-request.ts";
import type { AzureAsk } from "./azure-ask.ts";

/** True when one of the account's keys made this signature. */
export function isSignedBy(keys: readonly string[], stringToSign: string, signature: string): boolean {
  const given = Buffer.from(signature, "base64");
  return keys.some((key) => {
    const computed = createHmac("sha256", Buffer.from(key, "base64")).update(stringToSign).digest();
    return computed.length === given.length && timingSafeEqual(computed, given);
  });
}

const standardHeaders = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-md5",
  "content-type",
  "date",
  "if-modified-since",
  "if-match",
  "if-none-match",
  "if-unmodified-since",
  "range",
] as const;

/** What a Shared Key signature covers ("Authorize with Shared Key", version 2015-02-21 and later). */
export function sharedKeyText({ method, headers, path }: ServedRequest, { account, query }: AzureAsk): string {
  const standard = standardHeaders.map((name) => {
    const value = headers[name] ?? "";
    if (name === "content-length" && value === "0") return "";
    // Where the date is in a header of Azure's, it is signed there.
    return name === "date" && headers["x-ms-date"] !== undefined ? "" : value;
  });
  const own = Object.keys(headers)
    .filter((name) => name.startsWith("x-ms-"))
    .sort()
    .map((name) => `${name}:${(headers[name] ?? "").replace(/\s+/g, " ").trim()}\n`);
  const parameters = new Map<string, string[]>();
  for (const [name, value] of query) {
    const lower = name.toLowerCase();
    parameters.set(lower, [...(parameters.get(lower) ?? []), value]);
  }
  const resource = [...parameters.keys()].sort().map((name) => `\n${name}:${parameters.get(name)?.sort().join(",")}`);
  return [method, ...standard, `${own.join("")}/${account}${path}${resource.join("")}`].join("\n");
}
