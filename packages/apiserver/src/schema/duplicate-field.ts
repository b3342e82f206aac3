/** No more are told of one body. */
const most = 100;

interface Level {
  /** Undefined for a list. */
  readonly names: Set<string> | undefined;
  readonly at: string;
  /** Of the list's item that is being read. */
  index: number;
  /** Where the value that comes next stands. */
  path: string;
}

/**
 * The paths of fields that stand twice in a JSON text, in the order in which the second ones end: `spec.a`,
 * `spec.list[0].b`. JSON.parse keeps the last of them and says nothing, so this looks at the text; it is only asked
 * where a client wants to know (fieldValidation). The text must be valid JSON, of which the value is what JSON.parse
 * makes.
 */
export function duplicateFields(json: string, value: unknown): readonly string[] {
  return isWrittenAs(value, json) ? [] : scan(json);
}

/** Whether the text is the value's own, in which each field stands once: that of most clients is. */
function isWrittenAs(value: unknown, json: string): boolean {
  try {
    return JSON.stringify(value) === json;
  } catch (error) {
    // Nested more deeply than the stack.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function scan(json: string): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  let expectsName = false;
  let position = 0;
  while (position < json.length && found.size < most) {
    const character = json[position];
    const level = levels.at(-1);
    if (character === '"') {
      const end = endOfString(json, position);
      if (expectsName && level?.names !== undefined) {
        const raw = json.slice(position + 1, end);
        const name = raw.includes("\\") ? String(JSON.parse(json.slice(position, end + 1))) : raw;
        level.path = level.at === "" ? name : `${level.at}.${name}`;
        if (level.names.has(name)) found.add(level.path);
        level.names.add(name);
        expectsName = false;
      }
      position = end + 1;
      continue;
    }
    if (character === "{" || character === "[") {
      const at = level === undefined ? "" : level.names === undefined ? `${level.at}[${level.index}]` : level.path;
      levels.push({ names: character === "{" ? new Set() : undefined, at, index: 0, path: at });
      expectsName = character === "{";
    } else if (character === "}" || character === "]") {
      levels.pop();
      expectsName = false;
    } else if (character === "," && level !== undefined) {
      level.index += 1;
      expectsName = level.names !== undefined;
    }
    position += 1;
  }
  return [...found];
}

/** Of the closing quote. */
function endOfString(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === "\\" ? 2 : 1;
  return end;
}
