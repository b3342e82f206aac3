import { isIPv4 } from "node:net";
import { formatIp, type IpAddress, masked, unmapped, unmappedRange } from "../../schema/cel/network.ts";
import { readAddress, readRange } from "./ip-check.ts";

/** GetWarningsForIP of k8s.io/apimachinery: of an address that is taken, but not in the form that it should have. */
export function addressWarnings(path: string, given: string): readonly string[] {
  const ip = readAddress(given);
  if (ip === undefined) return [];
  const usual = usualForm(ip);
  if (given === usual) return [];
  return [
    isIPv4(usual) ? nonStandard(path, "IP address", { given, usual }) : unusual(path, "address", { given, usual }),
  ];
}

/** GetWarningsForCIDR: the same of a range, which may also have bits after its prefix. */
export function rangeWarnings(path: string, given: string): readonly string[] {
  const range = readRange(given);
  if (range === undefined) return [];
  const first = masked(range);
  const usual = `${usualForm(first)}/${unmappedRange(first).prefix}`;
  const address = usualForm(range);
  const warnings: string[] = [];
  if (first.number !== range.number) {
    const one = `${address}/${range.bits}`;
    warnings.push(
      `${path}: CIDR value ${quoted(given)} is ambiguous in this context (should be ${quoted(usual)} or ${quoted(one)}?)`,
    );
  }
  const [ip, size = ""] = given.split("/");
  const isOld = (isIPv4(address) && ip !== address) || /^0\d/.test(size);
  if (isOld) warnings.push(nonStandard(path, "CIDR value", { given, usual }));
  if (warnings.length === 0 && given !== usual) warnings.push(unusual(path, "CIDR value", { given, usual }));
  return warnings;
}

interface Forms {
  readonly given: string;
  readonly usual: string;
}

function nonStandard(path: string, what: string, { given, usual }: Forms): string {
  return `${path}: non-standard ${what} ${quoted(given)} will be considered invalid in a future Kubernetes release: use ${quoted(usual)}`;
}

function unusual(path: string, what: string, { given, usual }: Forms): string {
  return `${path}: IPv6 ${what} ${quoted(given)} should be in RFC 5952 canonical format (${quoted(usual)})`;
}

const quoted = JSON.stringify;

/** As Go writes it: RFC 5952, and IPv4 where that is mapped into IPv6. */
function usualForm(ip: IpAddress): string {
  return formatIp(unmapped(ip));
}
