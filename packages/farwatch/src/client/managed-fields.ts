/** The beginning of a watch event as Go's encoder writes it, up to the first member of the object's metadata. */
const eventHead = /^\{"type":"[A-Z]+","object":\{(?:"(?:apiVersion|kind)":"[^"\\]*",){0,2}"metadata":\{/;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * A line of a watch without `metadata.managedFields`: half of a typical object, which nobody reads, is not parsed, and
 * the object never has the member (deleting it later costs V8's fast shape). Text that does not begin as expected comes
 * back as it is; so does text that is no JSON, which is for the parser to refuse.
 */
export function withoutManagedFields(line: string): string {
  const from = eventHead.exec(line)?.[0].length;
  if (from === undefined || !line.includes('"managedFields":[', from)) return line;
  // The members of metadata are walked through one by one, since the same name deeper down is the user's.
  let at = from;
  while (line.charCodeAt(at) === quote) {
    const value = endOfString(line, at) + 1;
    if (line.charCodeAt(value - 1) !== colon) return line;
    const end = endOfValue(line, value);
    if (end === -1) return line;
    const last = line.charCodeAt(end) !== comma;
    if (line.startsWith('"managedFields":', at)) {
      if (!last) return line.slice(0, at) + line.slice(end + 1);
      return (at === from ? line.slice(0, at) : line.slice(0, at - 1)) + line.slice(end);
    }
    if (last) return line;
    at = end + 1;
  }
  return line;
}

/** The position after the string that begins at `at`; the text's length when it has no end. */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}

/** The position after the value that begins at `at`; -1 when it has no end. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  let i = at;
  while (i < text.length) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = endOfString(text, i);
        break;
      case openBracket:
      case openBrace:
        depth += 1;
        i += 1;
        continue;
      case closeBracket:
      case closeBrace:
        depth -= 1;
        i += 1;
        break;
      default:
        i += 1;
        if (depth > 0) continue;
        // A number or a word ends at whatever follows it.
        while (i < text.length && !isDelimiter(text.charCodeAt(i))) i += 1;
    }
    if (depth === 0) return i;
    if (depth < 0) return -1;
  }
  return -1;
}

function isDelimiter(code: number): boolean {
  return code === comma || code === closeBrace || code === closeBracket;
}
