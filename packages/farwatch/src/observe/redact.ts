import { describeError } from "./describe-error.ts";

/** Stands where a credential stood. */
export const redacted = "[redacted]";
const maxDepth = 8;
const maxItems = 100;
const maxCharacters = 16_384;

/** The last word of a key that holds a credential by itself. */
const secretWords = new Set([
  "authorization",
  "cookie",
  "credential",
  "credentials",
  "passphrase",
  "passwd",
  "password",
  "pwd",
  "secret",
  "signature",
  "token",
]);
/** What makes a key that ends in `key` or `data` one of them: `secretAccessKey`, `client-key-data`. */
const secretKeyWords = new Set(["access", "account", "api", "client", "private", "secret", "shared", "signing"]);

/**
 * True for the name of a field that holds a credential: `token`, `secretAccessKey`, `proxy-authorization`; not
 * `secretName`.
 */
function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (words.at(-1) === "data") words.pop();
  const last = words.pop();
  if (last === undefined) return false;
  if (secretWords.has(last)) return true;
  if (last === "key" || last === "keys") return words.some((word) => secretKeyWords.has(word));
  return /^(?:access|account|api|private|secret)key$/.test(last);
}

/**
 * Takes credentials out of a text: URLs lose user, password, query and fragment; bearer and basic credentials, JSON web
 * tokens, private keys and what follows `password=` and its like go. Longer than 16,384 characters, it is cut.
 */
export function redactText(text: string): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}… (${text.length} characters)` : text;
  // A scheme is read to 31 characters: without a bound, a long word would take time with its square.
  return (
    cut
      .replace(/-----BEGIN ([A-Z ]*)PRIVATE KEY-----(?:[\s\S]*?-----END \1PRIVATE KEY-----|[\s\S]*)/g, redacted)
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)(?:[^\s/?#"'<>]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/gi, "$1$2")
      .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]{16,}/gi, `$1 ${redacted}`)
      // Of the form that connection strings and forms have: `password=…`.
      .replace(/\b([\w.-]{1,64})=("?)[^\s&;,"'<>()]+/g, (all, name: string, quote: string) =>
        isSecretName(name) ? `${name}=${quote}${redacted}` : all,
      )
      .replace(/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, redacted)
  );
}

/**
 * A copy of any value that is safe to write as JSON: credentials are taken out by field name and by form, so is the
 * data of Secret objects; errors become plain objects; bytes, deep, long, cyclic and unreadable parts are named instead
 * of shown. Never throws.
 */
export function redact(value: unknown): unknown {
  return copy(value, []);
}

function copy(value: unknown, parents: readonly object[]): unknown {
  switch (typeof value) {
    case "string":
      return redactText(value);
    case "bigint":
      return value.toString();
    case "function":
    case "symbol":
      return `[${typeof value}]`;
    case "object":
      return value === null ? null : copyObject(value, parents);
    default:
      return value;
  }
}

function copyObject(value: object, parents: readonly object[]): unknown {
  if (parents.includes(value)) return "[cyclic]";
  if (parents.length >= maxDepth) return "[deep]";
  const inside = [...parents, value];
  try {
    if (value instanceof Error) return copy(describeError(value), inside);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof URL) return redactText(value.href);
    if (value instanceof Map) return copy(Object.fromEntries(value), inside);
    if (value instanceof Set) return copy([...value], inside);
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).map((item) => copy(item, inside));
      return value.length > maxItems ? [...items, `… (${value.length} items)`] : items;
    }
    if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), inside);
    return copyFields(value, inside);
  } catch {
    // A getter or toJSON that throws must not lose the log line that would have told of it.
    return "[unreadable]";
  }
}

function copyFields(value: object, inside: readonly object[]): Record<string, unknown> {
  const isSecret = "kind" in value && value.kind === "Secret";
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const hidden = isSecretName(name) || (isSecret && (name === "data" || name === "stringData"));
    fields[name] = hidden && field !== undefined && field !== null && field !== "" ? redacted : copy(field, inside);
  }
  return fields;
}
