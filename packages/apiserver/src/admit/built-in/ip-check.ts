import { type FieldError, invalidValue } from "../../failure/field-error.ts";
import {
  type Cidr,
  type IpAddress,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  parseAnyIp,
  unmapped,
} from "../../schema/cel/network.ts";

/**
 * An IPv4 address without zeros before its parts, which old fields allow and the API server's clients read differently.
 */
function plain(ip: string): string {
  return ip.includes(":") ? ip : ip.replaceAll(/\b0+(?=\d)/g, "");
}

/** An address as old fields of the API take it: zeros before its parts are fine. */
export function readAddress(ip: string): IpAddress | undefined {
  return parseAnyIp(plain(ip));
}

/** One error where a text is no such address. */
export function pushIpErrors(errors: FieldError[], path: string, ip: string): void {
  if (readAddress(ip) !== undefined) return;
  errors.push(invalidValue(path, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
}

/** An address that can be one of a backend. */
export function pushEndpointIpErrors(errors: FieldError[], path: string, ip: string): void {
  const add = (detail: string): void => {
    errors.push(invalidValue(path, ip, detail));
  };
  const read = readAddress(ip);
  if (read === undefined) return;
  const address = unmapped(read);
  if (address.number === 0n) add(`may not be unspecified (${ip})`);
  if (isLoopback(address)) add("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (isLinkLocalUnicast(address)) add("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (isLinkLocalMulticast(address)) add("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

/** A range of addresses as old fields take it: bits after the prefix are fine. */
export function readRange(range: string): Cidr | undefined {
  const [text = "", size = "", ...rest] = range.split("/");
  const ip = readAddress(text);
  if (ip === undefined || rest.length > 0 || !/^\d{1,3}$/.test(size) || Number(size) > ip.bits) return undefined;
  return { ...ip, prefix: Number(size) };
}

export function pushRangeErrors(errors: FieldError[], path: string, range: string): void {
  if (readRange(range) !== undefined) return;
  errors.push(invalidValue(path, range, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
}
