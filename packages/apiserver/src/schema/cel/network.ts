import { isIPv4, isIPv6 } from "node:net";

/** An IP address as a number. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly number: bigint;
}

export interface Cidr extends IpAddress {
  readonly prefix: number;
}

/** Undefined for what is no address; a zone, and an IPv4 address within an IPv6 one, make none. */
export function parseIp(text: string): IpAddress | undefined {
  const ip = parseAnyIp(text);
  return ip === undefined || unmapped(ip).bits !== ip.bits ? undefined : ip;
}

/** The same, and an IPv4 address within an IPv6 one is one of IPv6. */
export function parseAnyIp(text: string): IpAddress | undefined {
  if (isIPv4(text))
    return { bits: 32, number: text.split(".").reduce((total, part) => total * 256n + BigInt(part), 0n) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const [head = "", tail] = text.split("::");
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const middle = new Array<bigint>(8 - front.length - back.length).fill(0n);
  const number = [...front, ...middle, ...back].reduce((total, group) => total * 65_536n + group, 0n);
  return { bits: 128, number };
}

/** An IPv4 address for one that stands within an IPv6 one, as Go takes it; every other as it is. */
export function unmapped({ bits, number }: IpAddress): IpAddress {
  return bits === 128 && number >> 32n === 0xffffn ? { bits: 32, number: number & 0xffff_ffffn } : { bits, number };
}

/** The same of a range. */
export function unmappedRange({ prefix, ...ip }: Cidr): Cidr {
  const address = unmapped(ip);
  return { ...address, prefix: prefix - (ip.bits - address.bits) };
}

function groups(text: string): readonly bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [BigInt(`0x${group}`)];
    const number = parseAnyIp(group)?.number ?? 0n;
    return [number >> 16n, number & 0xffffn];
  });
}

export function parseCidr(text: string): Cidr | undefined {
  const [address = "", prefix = "", more] = text.split("/");
  const ip = parseIp(address);
  if (ip === undefined || more !== undefined || !/^(?:0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > ip.bits)
    return undefined;
  return { ...ip, prefix: Number(prefix) };
}

/** The first address of the network. */
export function masked({ bits, number, prefix }: Cidr): Cidr {
  const host = BigInt(bits - prefix);
  return { bits, prefix, number: (number >> host) << host };
}

export function contains(cidr: Cidr, ip: IpAddress): boolean {
  const host = BigInt(cidr.bits - cidr.prefix);
  return ip.bits === cidr.bits && ip.number >> host === cidr.number >> host;
}

/** The canonical text: RFC 5952 for IPv6. */
export function formatIp({ bits, number }: IpAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join(".");
  const parts = Array.from({ length: 8 }, (_, index) => ((number >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  let longest = { start: 0, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (start + length < 8 && parts[start + length] === "0") length += 1;
    if (length > longest.length) longest = { start, length };
  }
  if (longest.length < 2) return parts.join(":");
  return `${parts.slice(0, longest.start).join(":")}::${parts.slice(longest.start + longest.length).join(":")}`;
}

const within = (cidr: string) => {
  const parsed = parseCidr(cidr);
  return (ip: IpAddress): boolean => parsed !== undefined && contains(parsed, ip);
};
const loopback = [within("127.0.0.0/8"), within("::1/128")];
const linkLocalMulticast = [within("224.0.0.0/24")];
const linkLocalUnicast = [within("169.254.0.0/16"), within("fe80::/10")];
const multicast = [within("224.0.0.0/4"), within("ff00::/8")];

export function isLoopback(ip: IpAddress): boolean {
  return loopback.some((matches) => matches(ip));
}

export function isLinkLocalMulticast(ip: IpAddress): boolean {
  const scope = ip.bits === 128 && ip.number >> 120n === 0xffn && ((ip.number >> 112n) & 0xfn) === 2n;
  return scope || linkLocalMulticast.some((matches) => matches(ip));
}

export function isLinkLocalUnicast(ip: IpAddress): boolean {
  return linkLocalUnicast.some((matches) => matches(ip));
}

export function isGlobalUnicast(ip: IpAddress): boolean {
  const isBroadcast = ip.bits === 32 && ip.number === 0xffff_ffffn;
  const isMulticast = multicast.some((matches) => matches(ip));
  return ip.number !== 0n && !isBroadcast && !isLoopback(ip) && !isMulticast && !isLinkLocalUnicast(ip);
}
