import { isIPv4, isIPv6 } from "node:net";
import { isGoDuration } from "./go-duration.ts";
import { parseGoUrl } from "./go-url.ts";

const uuid = (middle: string): RegExp => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${middle}-?[0-9a-f]{12}$`, "i");
const symbol = "a-zA-Z0-9\\p{S}\\p{L}";
const hostname = new RegExp(
  `^(?:[${symbol}](?:(?:-?[${symbol}]{0,62})?)|(?:[${symbol}](?:(?:[-${symbol}]{0,61}[${symbol}])?)\\.)+(?:[a-zA-Z\\p{L}]){2,63})$`,
  "u",
);
const colorPart = "\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
const card =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const address = `(?:${atom}(?:\\.${atom})*|"(?:[^"\\\\]|\\\\.)*")@(?:${atom}(?:\\.${atom})*|\\[[^\\]]*\\])`;
const email = new RegExp(`^\\s*(?:${address}|(?:[^<>@]*)<${address}>)\\s*$`, "u");
const dnsLabel = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";

const matching =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** The formats of strings that a custom resource's schema may name, without their dashes; others are not looked at. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matching(/^[0-9a-fA-F]{24}$/)],
  ["uri", (text) => parseGoUrl(text) !== undefined],
  // Longer than a line of a mail may be, it is none: the pattern looks at blanks more than once.
  ["email", (text) => text.length <= 998 && matching(email)(text)],
  [
    "hostname",
    (text) =>
      hostname.test(text) &&
      Buffer.byteLength(text) <= 255 &&
      text.split(".").every((part) => Buffer.byteLength(part) <= 63),
  ],
  ["ipv4", isSloppyIpv4],
  ["ipv6", (text) => isIPv6(text) && !text.includes("%")],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matching(uuid("[0-9a-f]{4}-?[0-9a-f]{4}"))],
  ["uuid3", matching(uuid("3[0-9a-f]{3}-?[0-9a-f]{4}"))],
  ["uuid4", matching(uuid("4[0-9a-f]{3}-?[89ab][0-9a-f]{3}"))],
  ["uuid5", matching(uuid("5[0-9a-f]{3}-?[89ab][0-9a-f]{3}"))],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", matching(new RegExp(`^rgb\\(${colorPart},${colorPart},${colorPart}\\)$`))],
  ["byte", matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && new RegExp(`^${dnsLabel}$`).test(text)],
  ["k8slongname", (text) => text.length <= 253 && new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`).test(text)],
]);

/** Whether the server looks at this format of a string at all. */
export function isKnownFormat(format: string): boolean {
  return format !== "" && formats.has(format.replaceAll("-", ""));
}

/** Whether a text has the format; true where the format is not known. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format.replaceAll("-", ""))?.(text) ?? true;
}

/** Leading zeros are taken, as Go did before 1.17; so is an IPv4 address within an IPv6 one. */
function isSloppyIpv4(text: string): boolean {
  if (text.includes(":")) return text.includes(".") && isIPv6(text);
  return isIPv4(
    text
      .split(".")
      .map((part) => part.replace(/^0+(?=\d)/, ""))
      .join("."),
  );
}

function isCidr(text: string): boolean {
  const slash = text.lastIndexOf("/");
  const [ip, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash === -1 || !/^\d{1,3}$/.test(bits)) return false;
  return isSloppyIpv4(ip) && !ip.includes(":")
    ? Number(bits) <= 32
    : isIPv6(ip) && !ip.includes("%") && Number(bits) <= 128;
}

function isMac(text: string): boolean {
  const octet = "[0-9a-fA-F]{2}";
  const colons = new RegExp(
    `^${octet}(?<by>[:-])${octet}(?:\\k<by>${octet}){4}(?:(?:\\k<by>${octet}){2}(?:(?:\\k<by>${octet}){12})?)?$`,
  );
  const dots = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}(?:\.[0-9a-fA-F]{4}(?:(?:\.[0-9a-fA-F]{4}){6})?)?$/;
  return colons.test(text) || dots.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits.slice(0, 12)].reduce(
    (total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, "");
  if (!card.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value >= 10 ? (value % 10) + 1 : value);
  }, 0);
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const last = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1];
  return last !== undefined && d >= 1 && d <= last;
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const [, hour, minute, second] = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time) ?? [];
  return isDate(date) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
}

const units = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** Go's form, or Scala's: `22 nanos`, `3 days`. */
function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit = ""]) => units.test(unit));
}
