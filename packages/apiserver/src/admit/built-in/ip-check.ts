import { isIP, isIPv4 } from "node:net";
import { type FieldError, invalidValue } from "../../failure/field-error.ts";

/** An IPv4 address without zeros before its parts, which old fields allow and the API server's clients read differently. */
export function plain(ip: string): string {
  return ip.includes(":") ? ip : ip.replaceAll(/\b0+(?=\d)/g, "");
}

/** Whether a text is an address as old fields of the API take it: zeros before its parts are fine. */
export function isAddress(ip: string): boolean {
  return isIP(plain(ip)) !== 0 && !ip.includes("%");
}

/** One error where a text is no such address. */
export function pushIpErrors(errors: FieldError[], path: string, ip: string): void {
  if (isAddress(ip)) return;
  errors.push(invalidValue(path, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
}

/** An address that can be one of a backend. */
export function pushEndpointIpErrors(errors: FieldError[], path: string, ip: string): void {
  const add = (detail: string): void => {
    errors.push(invalidValue(path, ip, detail));
  };
  const address = plain(ip);
  const isV4 = isIPv4(address);
  if (address === "0.0.0.0" || address === "::") add(`may not be unspecified (${ip})`);
  if (isV4 ? address.startsWith("127.") : address === "::1")
    add("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (isV4 ? address.startsWith("169.254.") : /^fe[89ab]/i.test(address)) {
    add("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (isV4 ? address.startsWith("224.0.0.") : /^ff[0-9a-f]2:/i.test(address)) {
    add("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

/** Whether a text is a range of addresses, as old fields take it: bits after the prefix are fine. */
export function isRange(range: string): boolean {
  const [ip = "", bits = "", ...rest] = range.split("/");
  const size = isIPv4(plain(ip)) ? 32 : 128;
  return rest.length === 0 && isAddress(ip) && /^\d{1,3}$/.test(bits) && Number(bits) <= size;
}

export function pushRangeErrors(errors: FieldError[], path: string, range: string): void {
  if (isRange(range)) return;
  errors.push(invalidValue(path, range, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
}

/** The bits of an address as a text of 32 or 128 digits. */
export function addressBits(ip: string): string {
  const address = plain(ip);
  if (isIPv4(address))
    return address
      .split(".")
      .map((part) => Number(part).toString(2).padStart(8, "0"))
      .join("");
  const [head = "", tail] = address.split("::");
  const groups = (text: string | undefined): string[] => (text === undefined || text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...after];
  return all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}
