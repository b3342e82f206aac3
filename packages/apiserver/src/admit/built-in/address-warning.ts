import { isIPv4 } from "node:net";
import { addressBits, isAddress, isRange, plain } from "./ip-check.ts";

/** GetWarningsForIP of k8s.io/apimachinery: of an address that is taken, but not in the form that it should have. */
export function addressWarnings(path: string, given: string): readonly string[] {
  if (!isAddress(given)) return [];
  const usual = usualForm(given);
  if (given === usual) return [];
  return [
    isIPv4(usual) ? nonStandard(path, "IP address", { given, usual }) : unusual(path, "address", { given, usual }),
  ];
}

/** GetWarningsForCIDR: the same of a range, which may also have bits after its prefix. */
export function rangeWarnings(path: string, given: string): readonly string[] {
  if (!isRange(given)) return [];
  const [ip = "", size = ""] = given.split("/");
  const address = usualForm(ip);
  const isMapped = ip.includes(":") && isIPv4(address);
  const bits = Number(size) - (isMapped ? 96 : 0);
  const first = firstOf(address, bits);
  const usual = `${first}/${bits}`;
  const warnings: string[] = [];
  if (first !== address) {
    const one = `${address}/${ip.includes(":") ? 128 : 32}`;
    warnings.push(
      `${path}: CIDR value ${quoted(given)} is ambiguous in this context (should be ${quoted(usual)} or ${quoted(one)}?)`,
    );
  }
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
function usualForm(ip: string): string {
  if (!ip.includes(":")) return plain(ip);
  const text = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  if (mapped === null) return text;
  const [high, low] = [mapped[1], mapped[2]].map((half = "") => Number.parseInt(half, 16));
  return [high, low].flatMap((half = 0) => [half >> 8, half & 255]).join(".");
}

/** The first address of a range. */
function firstOf(address: string, size: number): string {
  const all = addressBits(address);
  const bits = all.slice(0, size).padEnd(all.length, "0");
  if (isIPv4(address)) return groupsOf(bits, 8).join(".");
  return usualForm(
    groupsOf(bits, 16)
      .map((group) => group.toString(16))
      .join(":"),
  );
}

function groupsOf(bits: string, size: number): readonly number[] {
  return Array.from({ length: bits.length / size }, (_, index) =>
    Number.parseInt(bits.slice(index * size, (index + 1) * size), 2),
  );
}
