/** What was read of a body, or what is wrong with it. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

const mostDepth = 64;
const mostMembers = 10_000;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads JSON from a stranger. Depth (64) and members (10,000) are counted before anything is built, and a member of the
 * name `__proto__` is refused: no honest sender has one, and whoever copies the object would give it another prototype.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return refused("the body is no UTF-8");
  }
  const excess = excessOf(text);
  if (excess !== undefined) return refused(excess);
  let isPolluting = false;
  let value: unknown;
  const look = (key: string, member: unknown): unknown => {
    if (key === "__proto__") isPolluting = true;
    return member;
  };
  try {
    // Spelled out or with an escape: no other text has that name, and a look at each member takes six times as long.
    const mayPollute = text.includes("__proto__") || text.includes("\\u");
    value = mayPollute ? JSON.parse(text, look) : JSON.parse(text);
  } catch {
    // The parser's own text quotes the body.
    return refused("the body is no JSON");
  }
  return isPolluting ? refused("a member is named __proto__") : { ok: true, value };
}

function refused(reason: string): JsonReading {
  return { ok: false, reason };
}

/** What of a text is too much for JSON that we read; a text that is no JSON may pass. */
function excessOf(text: string): string | undefined {
  let depth = 0;
  let members = 0;
  let inString = false;
  /**
   * The last thing outside of strings was the opening of an object or array: what follows is its first member, if
   * anything.
   */
  let opened = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === backslash) index += 1;
      else if (code === quote) inString = false;
      continue;
    }
    if (code === space || code === tab || code === lineFeed || code === carriageReturn) continue;
    if (code === comma || (opened && code !== closeObject && code !== closeArray)) members += 1;
    opened = code === openObject || code === openArray;
    if (opened) depth += 1;
    else if (code === closeObject || code === closeArray) depth -= 1;
    else if (code === quote) inString = true;
    if (depth > mostDepth) return `the body is nested deeper than ${mostDepth}`;
    if (members > mostMembers) return `the body has more than ${mostMembers} members`;
  }
  return undefined;
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
