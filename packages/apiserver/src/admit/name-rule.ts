/**
 * Says what is wrong with a text, in the words of the real server; nothing for a good one. With `prefix` the text is
 * one to which more is appended, such as metadata.generateName.
 */
export type NameRule = (text: string, prefix?: boolean) => readonly string[];

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
const wildcardPattern = new RegExp(`^\\*\\.${subdomain}$`);
/** Each part on its own: two loops over the same characters, one in the other, would take exponential time. */
const qualifiedPattern = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const valuePattern = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const good: readonly string[] = [];

/** Whether the text takes more than so many bytes in UTF-8, as Go counts. */
export function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

/** Bytes are counted in any case; which word the real server has for them depends on the age of its check. */
function maxLengthText(length: number, unit = "characters"): string {
  return `must be no more than ${length} ${unit}`;
}

export function rangeText(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** What a failed regular expression says: what is allowed, examples, and the expression. */
export function patternText(allowed: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}'`).join(",  or ");
  return `${allowed} (e.g. ${shown}, regex used for validation is '${pattern}')`;
}

/** A name that ends in a dash is judged as what it begins. */
function masked(text: string, prefix: boolean): string {
  return prefix && text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}

function judged(
  text: string,
  pattern: RegExp,
  limit: number,
  say: () => string,
  unit = "characters",
): readonly string[] {
  const tooLong = isLongerThan(text, limit);
  const matches = pattern.test(text);
  if (!tooLong && matches) return good;
  return [...(tooLong ? [maxLengthText(limit, unit)] : []), ...(matches ? [] : [say()])];
}

const subdomainText = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  "example.com",
);
const labelText = patternText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  "my-name",
  "123-abc",
);
const label1035Text = patternText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  "my-name",
  "abc-123",
);
const wildcardText = patternText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain}`,
  "*.example.com",
);
const qualifiedText = patternText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualified,
  "MyName",
  "my.name",
  "123-abc",
);
const valueText = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${qualified})?`,
  "MyValue",
  "my_value",
  "12345",
);

/** RFC 1123 subdomain: the rule of most names. */
export const dnsSubdomain: NameRule = (text, prefix = false) =>
  judged(masked(text, prefix), subdomainPattern, 253, () => subdomainText);

/** RFC 1123 label: namespaces, container and volume names. */
export const dnsLabel: NameRule = (text, prefix = false) => {
  const name = masked(text, prefix);
  return judged(name, labelPattern, 63, () => (subdomainPattern.test(name) ? "must not contain dots" : labelText));
};

/** RFC 1035 label: names of services. */
export const dnsLabel1035: NameRule = (text, prefix = false) =>
  judged(masked(text, prefix), label1035Pattern, 63, () => label1035Text);

export const wildcardSubdomain: NameRule = (text) => judged(text, wildcardPattern, 253, () => wildcardText);

/** What can stand in a path: names of RBAC objects, and what every name must be. */
export const pathSegment: NameRule = (text, prefix = false) => {
  if (!prefix && (text === "." || text === "..")) return [`may not be '${text}'`];
  if (!text.includes("/") && !text.includes("%")) return good;
  return ["/", "%"].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
};

/** A label key, a finalizer: a name with an optional DNS subdomain before a slash. */
export const qualifiedName: NameRule = (text) => {
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(slash + 1);
  if (name.includes("/")) {
    return [
      `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefixFaults =
    slash < 0
      ? good
      : slash === 0
        ? ["must be non-empty"]
        : judged(text.slice(0, slash), subdomainPattern, 253, () => subdomainText, "bytes");
  const matches = qualifiedPattern.test(name);
  if (prefixFaults.length === 0 && matches && name.length <= 63) return good;
  const faults = prefixFaults.map((fault) => `prefix part ${fault}`);
  if (name === "") faults.push("name part must be non-empty");
  else if (isLongerThan(name, 63)) faults.push(`name part ${maxLengthText(63, "bytes")}`);
  if (!matches) faults.push(`name part ${qualifiedText}`);
  return faults;
};

/** The value of a label. */
export const labelValue: NameRule = (text) => judged(text, valuePattern, 63, () => valueText, "bytes");

const portName = /^[-a-z0-9]+$/;

/** IANA_SVC_NAME: names of ports. */
export const ianaServiceName: NameRule = (text) => {
  const faults: string[] = [];
  if (isLongerThan(text, 15)) faults.push(maxLengthText(15));
  if (!portName.test(text)) faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(text)) faults.push("must contain at least one letter (a-z)");
  if (text.includes("--")) faults.push("must not contain consecutive hyphens");
  if (text.startsWith("-") || text.endsWith("-")) faults.push("must not begin or end with a hyphen");
  return faults;
};

/** A relative name in a folder that a kubelet fills by renaming `..data`. */
function folderFaults(text: string): readonly string[] {
  if (text === "." || text === "..") return [`must not be '${text}'`];
  return text.startsWith("..") ? ["must not start with '..'"] : good;
}

const configKeyText = patternText(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  "[-._a-zA-Z0-9]+",
  "key.name",
  "KEY_NAME",
  "key-name",
);

/** A key of a ConfigMap or Secret. */
export const configKey: NameRule = (text) => {
  const faults = judged(text, /^[-._a-zA-Z0-9]+$/, 253, () => configKeyText);
  const inFolder = folderFaults(text);
  return inFolder.length === 0 ? faults : [...faults, ...inFolder];
};

/** The name of an environment variable: printable ASCII but `=`. */
export const envName: NameRule = (text) => [
  ...(text === "" ? ["environment variable name must be non-empty"] : good),
  ...(/^[\x20-\x3c\x3e-\x7e]*$/.test(text)
    ? good
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]),
];
