import { goQuoted } from "./go-quoted.ts";

/**
 * What Go's encoding/json says of a text that is no JSON, or that has more levels than it may: clients show it, and
 * tests compare it. Only asked for texts that have been refused; `readJson` does both.
 */
export function goJsonError(text: Uint8Array | string, maxLevels: number): string {
  // Go reads bytes, and takes each for a character.
  const bytes = typeof text === "string" ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.length);
  return new Scanner(bytes.toString("latin1"), maxLevels).error() ?? "unexpected end of JSON input";
}

const ended = "unexpected end of JSON input";
const literals: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };

/** A reader of JSON that stops at the first character that does not belong. */
class Scanner {
  readonly #text: string;
  readonly #maxLevels: number;
  #at = 0;
  #levels = 0;

  constructor(text: string, maxLevels: number) {
    this.#text = text;
    this.#maxLevels = maxLevels;
  }

  error(): string | undefined {
    const problem = this.#value("looking for beginning of value");
    if (problem !== undefined) return problem;
    this.#space();
    return this.#at < this.#text.length ? this.#invalid("after top-level value") : undefined;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #invalid(context: string): string {
    const character = this.#text.slice(this.#at)[Symbol.iterator]().next().value;
    return character === undefined ? ended : `invalid character ${quoted(character)} ${context}`;
  }

  #value(context: string): string | undefined {
    this.#space();
    const first = this.#text[this.#at];
    if (first === undefined) return ended;
    if (first === "{" || first === "[") {
      this.#levels += 1;
      if (this.#levels > this.#maxLevels) return this.#invalid("exceeded max depth");
      const problem = first === "{" ? this.#object() : this.#array();
      this.#levels -= 1;
      return problem;
    }
    if (first === '"') return this.#string();
    const literal = literals[first];
    if (literal !== undefined) return this.#literal(literal);
    if (first === "-" || /\d/.test(first)) return this.#number();
    return this.#invalid(context);
  }

  #object(): string | undefined {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === "}") {
      this.#at += 1;
      return undefined;
    }
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') return this.#invalid("looking for beginning of object key string");
      const problem = this.#string() ?? this.#colon() ?? this.#value("looking for beginning of value");
      if (problem !== undefined) return problem;
      this.#space();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "}") return this.#invalid("after object key:value pair");
      this.#at += 1;
      if (next === "}") return undefined;
    }
  }

  #colon(): string | undefined {
    this.#space();
    if (this.#text[this.#at] !== ":") return this.#invalid("after object key");
    this.#at += 1;
    return undefined;
  }

  #array(): string | undefined {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === "]") {
      this.#at += 1;
      return undefined;
    }
    for (;;) {
      const problem = this.#value("looking for beginning of value");
      if (problem !== undefined) return problem;
      this.#space();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "]") return this.#invalid("after array element");
      this.#at += 1;
      if (next === "]") return undefined;
    }
  }

  #string(): string | undefined {
    this.#at += 1;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) return ended;
      if (character === '"') {
        this.#at += 1;
        return undefined;
      }
      if (character.charCodeAt(0) < 0x20) return this.#invalid("in string literal");
      this.#at += 1;
      if (character !== "\\") continue;
      const escaped = this.#text[this.#at];
      if (escaped === undefined) return ended;
      if (escaped === "u") {
        this.#at += 1;
        for (let digit = 0; digit < 4; digit += 1) {
          if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? ""))
            return this.#invalid("in \\u hexadecimal character escape");
          this.#at += 1;
        }
      } else if (/["\\/bfnrt]/.test(escaped)) this.#at += 1;
      else return this.#invalid("in string escape code");
    }
  }

  #literal(literal: string): string | undefined {
    for (let index = 0; index < literal.length; index += 1) {
      if (this.#text[this.#at] !== literal[index]) {
        return this.#invalid(`in literal ${literal} (expecting ${quoted(literal[index] ?? "")})`);
      }
      this.#at += 1;
    }
    return undefined;
  }

  #number(): string | undefined {
    const digits = (): boolean => {
      const from = this.#at;
      while (/\d/.test(this.#text[this.#at] ?? "")) this.#at += 1;
      return this.#at > from;
    };
    if (this.#text[this.#at] === "-") this.#at += 1;
    if (this.#text[this.#at] === "0") this.#at += 1;
    else if (!digits()) return this.#invalid("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at += 1;
      if (!digits()) return this.#invalid("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at += 1;
      if (/[-+]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
      if (!digits()) return this.#invalid("in exponent of numeric literal");
    }
    return undefined;
  }
}

/** A character as Go quotes it in such texts. */
function quoted(character: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${goQuoted(character).slice(1, -1)}'`;
}
