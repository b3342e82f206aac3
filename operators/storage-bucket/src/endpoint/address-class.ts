import { BlockList, isIP } from "node:net";

/** How an address may be used by what an object or a Secret names. */
export type AddressClass = "public" | "private" | "forbidden";

function blockList(...subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, isIP(net) === 6 ? "ipv6" : "ipv4");
  return list;
}

/** Link-local, cloud metadata and agent addresses: whoever reaches them speaks with the machine's own identity. No flag opens them. */
const forbidden = blockList(
  ["169.254.0.0", 16],
  ["168.63.129.16", 32],
  ["100.100.100.200", 32],
  ["fe80::", 10],
  ["fd20:ce::254", 128],
  ["fd00:ec2::", 32],
);

/** Everything else that is not global unicast (IANA special-purpose registries). */
const special4 = blockList(
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
);

const globalUnicast6 = blockList(["2000::", 3]);
/** Within 2000::/3, but documentation, Teredo, benchmarking, ORCHID or 6to4. */
const special6 = blockList(["2001::", 23], ["2001:db8::", 32], ["2002::", 16], ["3fff::", 20]);

/**
 * IPv6 forms behind which an IPv4 address is reached, each with how that address is read from the eight groups: compatible
 * and mapped (RFC 4291), translated (RFC 2765), NAT64 with the well-known prefix (RFC 6052) and with local ones (RFC 8215: /96
 * or /48), 6to4 (RFC 3056), Teredo (RFC 4380, which inverts the bits).
 */
const carriers: readonly (readonly [BlockList, (groups: readonly number[]) => number])[] = [
  [blockList(["::", 96], ["::ffff:0:0", 96], ["::ffff:0:0:0", 96], ["64:ff9b::", 96]), (g) => joined(g[6], g[7])],
  [blockList(["64:ff9b:1::", 48]), (g) => joined(g[6], g[7])],
  [blockList(["64:ff9b:1::", 48]), (g) => joined(g[3], ((g[4] ?? 0) << 8) | ((g[5] ?? 0) >> 8))],
  [blockList(["2002::", 16]), (g) => joined(g[1], g[2])],
  [blockList(["2001::", 32]), (g) => ~joined(g[6], g[7])],
];

function joined(high = 0, low = 0): number {
  return (high << 16) | (low & 0xffff);
}

function toIpv4(bits: number): string {
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
}

function groupsOf(ip: string): readonly number[] {
  // The URL parser writes any IPv6 address in its one canonical form, without an embedded dotted part.
  const [head = "", tail] = new URL(`http://[${ip}]/`).hostname.slice(1, -1).split("::");
  const parse = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return parse(head);
  const [left, right] = [parse(head), parse(tail)];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** The class of the address that is about to be connected to (never of a name). What is no address is forbidden. */
export function classifyAddress(ip: string): AddressClass {
  const address = ip.split("%")[0] ?? ip;
  const version = isIP(address);
  if (version === 4) {
    if (forbidden.check(address, "ipv4")) return "forbidden";
    return special4.check(address, "ipv4") ? "private" : "public";
  }
  if (version !== 6 || forbidden.check(address, "ipv6")) return "forbidden";
  const inner = carriers
    .filter(([form]) => form.check(address, "ipv6"))
    .map(([, read]) => classifyAddress(toIpv4(read(groupsOf(address)))));
  if (inner.includes("forbidden")) return "forbidden";
  // A public address inside of such a form is not reached the plain way: somebody must have allowed it.
  if (inner.length > 0) return "private";
  return globalUnicast6.check(address, "ipv6") && !special6.check(address, "ipv6") ? "public" : "private";
}
