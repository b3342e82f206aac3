import { compareQuantities, parseQuantity, type Quantity } from "farwatch";
import { type GoUrl, parseGoUrl } from "../go-url.ts";
import { hasFormat } from "../string-format.ts";
import { asString, type CelFunction, noOverload } from "./function.ts";
import {
  type Cidr,
  contains,
  formatIp,
  type IpAddress,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  masked,
  parseCidr,
  parseIp,
} from "./network.ts";
import { compareSemver, parseSemver, parseTolerantSemver, type Semver } from "./semver.ts";
import { CelError, Dictionary, List, Opaque, Optional, type Value } from "./value.ts";

interface Contents {
  readonly "net.IP": IpAddress;
  readonly "net.CIDR": Cidr;
  readonly "kubernetes.URL": GoUrl;
  readonly "kubernetes.Quantity": Quantity;
  readonly "kubernetes.Semver": Semver;
  readonly "kubernetes.NamedFormat": string;
}

function contentOf<T extends keyof Contents>(value: Value | undefined, type: T): Contents[T] {
  if (value instanceof Opaque && value.type === type) return value.content as Contents[T];
  throw noOverload();
}

function isOf(value: Value | undefined, type: keyof Contents): boolean {
  return value instanceof Opaque && value.type === type;
}

function ipOf(text: string): IpAddress {
  const ip = parseIp(text);
  if (ip === undefined) {
    throw new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  }
  return ip;
}

function ipValue(ip: IpAddress): Value {
  return new Opaque("net.IP", ip, formatIp(ip));
}

function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr !== undefined) return cidr;
  const twice = "network address parse error during conversion from string: ";
  const why = text.includes("/") ? "bad address or prefix" : "no '/'";
  throw new CelError(`${twice}${twice}netip.ParsePrefix(${JSON.stringify(text)}): ${why}`);
}

function cidrValue(cidr: Cidr): Value {
  return new Opaque("net.CIDR", cidr, `${formatIp(cidr)}/${cidr.prefix}`);
}

function ofIp(work: (ip: IpAddress) => Value): CelFunction {
  return ([ip]) => work(contentOf(ip, "net.IP"));
}

const network: Readonly<Record<string, CelFunction>> = {
  isIP: ([text]) => parseIp(asString(text)) !== undefined,
  ip: ([from]) => (isOf(from, "net.CIDR") ? ipValue(bare(contentOf(from, "net.CIDR"))) : ipValue(ipOf(asString(from)))),
  "ip.isCanonical": ([text]) => formatIp(ipOf(asString(text))) === text,
  family: ofIp(({ bits }) => (bits === 32 ? 4n : 6n)),
  isUnspecified: ofIp(({ number }) => number === 0n),
  isLoopback: ofIp(isLoopback),
  isLinkLocalMulticast: ofIp(isLinkLocalMulticast),
  isLinkLocalUnicast: ofIp(isLinkLocalUnicast),
  isGlobalUnicast: ofIp(isGlobalUnicast),
  isCIDR: ([text]) => parseCidr(asString(text)) !== undefined,
  cidr: ([text]) => cidrValue(cidrOf(asString(text))),
  masked: ([cidr]) => cidrValue(masked(contentOf(cidr, "net.CIDR"))),
  prefixLength: ([cidr]) => BigInt(contentOf(cidr, "net.CIDR").prefix),
  containsIP: ([cidr, ip]) => {
    const inner = typeof ip === "string" ? ipOf(ip) : contentOf(ip, "net.IP");
    return contains(contentOf(cidr, "net.CIDR"), inner);
  },
  containsCIDR: ([cidr, other]) => {
    const outer = contentOf(cidr, "net.CIDR");
    const inner = typeof other === "string" ? cidrOf(other) : contentOf(other, "net.CIDR");
    return outer.prefix <= inner.prefix && contains(outer, inner);
  },
};

function bare({ bits, number }: Cidr): IpAddress {
  return { bits, number };
}

/** Absolute URLs and absolute paths, as `url()` takes them. */
function urlOf(text: string): GoUrl {
  const url = parseGoUrl(text);
  if (url !== undefined) return url;
  const why = text === "" ? "empty url" : "invalid URI for request";
  throw new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${why}`);
}

function queryOf({ query }: GoUrl): Value {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) values.set(name, [...(values.get(name) ?? []), value]);
  return new Dictionary([...values].map(([name, all]) => [name, List.of(all)] as const));
}

function ofUrl(work: (url: GoUrl) => Value): CelFunction {
  return ([url]) => work(contentOf(url, "kubernetes.URL"));
}

const urls: Readonly<Record<string, CelFunction>> = {
  isURL: ([text]) => parseGoUrl(asString(text)) !== undefined,
  url: ([text]) => new Opaque("kubernetes.URL", urlOf(asString(text)), asString(text)),
  getScheme: ofUrl(({ scheme }) => scheme),
  getHost: ofUrl(({ host }) => host),
  getHostname: ofUrl(({ host }) => host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1")),
  getPort: ofUrl(({ host }) => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ""))?.[1] ?? ""),
  getEscapedPath: ofUrl(({ path }) => path),
  getQuery: ofUrl(queryOf),
};

const billion = 1_000_000_000n;

function quantityOf(value: Value | undefined): Quantity {
  return typeof value === "bigint"
    ? { nano: value * billion, format: "DecimalSI" }
    : contentOf(value, "kubernetes.Quantity");
}

function quantityValue(quantity: Quantity): Value {
  return new Opaque("kubernetes.Quantity", quantity, String(quantity.nano));
}

function integerOf({ nano }: Quantity): bigint | undefined {
  const value = nano / billion;
  return nano % billion === 0n && BigInt.asIntN(64, value) === value ? value : undefined;
}

const quantities: Readonly<Record<string, CelFunction>> = {
  isQuantity: ([text]) => parseQuantity(asString(text)) !== undefined,
  quantity: ([text]) => {
    const quantity = parseQuantity(asString(text));
    if (quantity !== undefined) return quantityValue(quantity);
    throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  },
  sign: ([value]) => {
    const { nano } = contentOf(value, "kubernetes.Quantity");
    return nano > 0n ? 1n : nano < 0n ? -1n : 0n;
  },
  isInteger: ([value]) => integerOf(contentOf(value, "kubernetes.Quantity")) !== undefined,
  asInteger: ([value]) => {
    const whole = integerOf(contentOf(value, "kubernetes.Quantity"));
    if (whole === undefined) throw new CelError("cannot convert value to integer");
    return whole;
  },
  asApproximateFloat: ([value]) => Number(contentOf(value, "kubernetes.Quantity").nano) / 1e9,
  add: ([a, b]) => sum(quantityOf(a), quantityOf(b).nano),
  sub: ([a, b]) => sum(quantityOf(a), -quantityOf(b).nano),
  isGreaterThan: ([a, b]) => order(a, b) > 0,
  isLessThan: ([a, b]) => order(a, b) < 0,
  compareTo: ([a, b]) => BigInt(order(a, b)),
};

function sum({ nano, format }: Quantity, more: bigint): Value {
  return quantityValue({ nano: nano + more, format });
}

/** Of two quantities, or of two versions. */
function order(a: Value | undefined, b: Value | undefined): number {
  if (isOf(a, "kubernetes.Semver"))
    return compareSemver(contentOf(a, "kubernetes.Semver"), contentOf(b, "kubernetes.Semver"));
  return compareQuantities(contentOf(a, "kubernetes.Quantity"), contentOf(b, "kubernetes.Quantity"));
}

function semverOf(text: Value | undefined, tolerant: Value | undefined): Semver | undefined {
  return tolerant === true ? parseTolerantSemver(asString(text)) : parseSemver(asString(text));
}

const versions: Readonly<Record<string, CelFunction>> = {
  isSemver: ([text, tolerant]) => semverOf(text, tolerant) !== undefined,
  semver: ([text, tolerant]) => {
    const version = semverOf(text, tolerant);
    if (version === undefined) throw new CelError("No Major.Minor.Patch elements found");
    return new Opaque("kubernetes.Semver", version, `${version.numbers.join(".")}-${version.pre.join(".")}`);
  },
  major: ([value]) => contentOf(value, "kubernetes.Semver").numbers[0],
  minor: ([value]) => contentOf(value, "kubernetes.Semver").numbers[1],
  patch: ([value]) => contentOf(value, "kubernetes.Semver").numbers[2],
};

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const shortName =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const longName =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const oldName =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const nameText = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";
const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function named(pattern: string, most: number, why: string): (text: string) => readonly string[] {
  const shape = new RegExp(`^${pattern}$`);
  return (text) => [
    ...(text.length > most ? [`must be no more than ${most} bytes`] : []),
    ...(shape.test(text) ? [] : [why]),
  ];
}

/** What a generated name's beginning may end with. */
function prefixOf(check: (text: string) => readonly string[]): (text: string) => readonly string[] {
  return (text) => check(text.endsWith("-") && text.length > 1 ? `${text.slice(0, -1)}a` : text);
}

function known(format: string, why: string): (text: string) => readonly string[] {
  return (text) => (hasFormat(format, text) ? [] : [why]);
}

function qualifiedName(text: string): readonly string[] {
  const parts = text.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2)
    return [
      `a qualified name ${qualifiedText.slice("name part ".length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = second ?? first;
  return [
    ...(second === undefined
      ? []
      : first === ""
        ? ["prefix part must be non-empty"]
        : formats.dns1123Subdomain(first).map((why) => `prefix part ${why}`)),
    ...(name === "" ? ["name part must be non-empty"] : []),
    ...(name.length > 63 ? ["name part must be no more than 63 bytes"] : []),
    ...(new RegExp(`^${nameText}$`).test(name) ? [] : [qualifiedText]),
  ];
}

const dns1123Label = named(label, 63, shortName);
const dns1123Subdomain = named(`${label}(\\.${label})*`, 253, longName);
const dns1035Label = named("[a-z]([-a-z0-9]*[a-z0-9])?", 63, oldName);
const formats = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: prefixOf(dns1123Label),
  dns1123SubdomainPrefix: prefixOf(dns1123Subdomain),
  dns1035LabelPrefix: prefixOf(dns1035Label),
  labelValue: named(`(?:${nameText})?`, 63, labelValueText),
  uri: (text: string) =>
    parseGoUrl(text) === undefined ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : [],
  uuid: known("uuid", "does not match the UUID format"),
  byte: known("byte", "invalid base64"),
  date: known("date", "invalid date"),
  datetime: known("datetime", "invalid datetime"),
} as const satisfies Readonly<Record<string, (text: string) => readonly string[]>>;

function formatValue(name: string): Value {
  return new Opaque("kubernetes.NamedFormat", name, name);
}

const namedFormats: Readonly<Record<string, CelFunction>> = {
  "format.named": ([name]) =>
    Object.hasOwn(formats, asString(name)) ? new Optional(formatValue(asString(name))) : Optional.none,
  validate: ([format, text]) => {
    const check: (text: string) => readonly string[] =
      formats[contentOf(format, "kubernetes.NamedFormat") as keyof typeof formats];
    const errors = check(asString(text));
    return errors.length === 0 ? Optional.none : new Optional(List.of(errors));
  },
  ...Object.fromEntries(Object.keys(formats).map((name) => [`format.${name}`, () => formatValue(name)])),
};

/** The functions of k8s.io/apiserver's CEL libraries. */
export const kubernetesFunctions: Readonly<Record<string, CelFunction>> = {
  ...network,
  ...urls,
  ...quantities,
  ...versions,
  ...namedFormats,
};
