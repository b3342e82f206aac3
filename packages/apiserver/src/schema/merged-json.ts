import { isObject, own, setOwn } from "./plain-object.ts";

/**
 * The value of a JSON text as Go reads it into a struct: what stands under a name twice is read into the same place
 * twice, so that of the first what the second does not say stays. JSON.parse keeps the second alone. The text must be
 * valid JSON.
 */
export function readMerged(json: string): unknown {
  return new Reader(json).value();
}

const token = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/gs;

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(json: string) {
    this.#tokens = json.match(token) ?? [];
  }

  #take(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? "";
  }

  /** Whether another member follows the one that has been read, or the opening bracket. */
  #goesOn(close: string): boolean {
    if (this.#tokens[this.#at] === ",") this.#at += 1;
    if (this.#tokens[this.#at] !== close) return this.#at < this.#tokens.length;
    this.#at += 1;
    return false;
  }

  value(): unknown {
    const first = this.#take();
    if (first === "[") {
      const items: unknown[] = [];
      while (this.#goesOn("]")) items.push(this.value());
      return items;
    }
    if (first !== "{") return JSON.parse(first);
    const object: Record<string, unknown> = {};
    while (this.#goesOn("}")) {
      const name = String(JSON.parse(this.#take()));
      this.#take();
      const before = own(object, name);
      const next = this.value();
      setOwn(object, name, merged(before, next));
    }
    return object;
  }
}

function merged(before: unknown, next: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(next)) return next.map((item, index) => merged(before[index], item));
  if (!isObject(before) || !isObject(next)) return next;
  const result = { ...before };
  for (const [name, value] of Object.entries(next)) setOwn(result, name, merged(own(before, name), value));
  return result;
}
