import type { Issue } from "./ast.ts";

export type TokenType = "bytes" | "double" | "end" | "ident" | "int" | "string" | "symbol" | "uint";

export interface Token {
  readonly type: TokenType;
  readonly at: number;
  /** As it stands in the source. */
  readonly text: string;
}

/** A mistake that ends the reading of an expression. */
export class SyntaxIssue extends Error {
  override readonly name = "SyntaxIssue";
  readonly issue: Issue;

  constructor(at: number, message: string) {
    super(message);
    this.issue = { at, message };
  }
}

const space = /(?:[\t\n\f\r ]|\/\/[^\n]*)*/y;
const number = /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?/y;
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const symbol = /&&|\|\||<=|>=|==|!=|[-+*/%<>!?:.,()[\]{}]/y;
const text =
  /(?:[rR][bB]?|[bB][rR]?)?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[abfnrtv"'`?\\xXuU0-3]|[^"\\\n\r])*"|'(?:\\[abfnrtv"'`?\\xXuU0-3]|[^'\\\n\r])*')/y;
const rawText = /[rRbB]{1,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y;

/** The tokens of a CEL expression, the last of type `end`, and what is no token. */
export function tokenize(source: string): { readonly tokens: readonly Token[]; readonly issues: readonly Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  for (;;) {
    at += match(space)?.length ?? 0;
    if (at >= source.length) break;
    const isRaw = /^(?:[rR]|[bB][rR]|[rR][bB])["']/.test(source.slice(at, at + 3));
    const string = match(isRaw ? rawText : text);
    const digits = string ?? match(number);
    const name = digits ?? match(ident);
    const found = name ?? match(symbol);
    if (found === undefined) {
      const wrong = unrecognized(source, at);
      issues.push({ at, message: `Syntax error: token recognition error at: '${wrong}'` });
      at += wrong.length;
      continue;
    }
    const type =
      string !== undefined
        ? /^[rR]?[bB]/.test(string)
          ? "bytes"
          : "string"
        : digits !== undefined
          ? numberType(digits)
          : name !== undefined
            ? "ident"
            : "symbol";
    tokens.push({ type, at, text: found });
    at += found.length;
  }
  tokens.push({ type: "end", at: source.length, text: "<EOF>" });
  return { tokens, issues };
}

function numberType(digits: string): TokenType {
  if (!/^(?:0[xX][0-9a-fA-F]+|\d+)[uU]?$/.test(digits)) return "double";
  return /[uU]$/.test(digits) ? "uint" : "int";
}

/** What a lexer has read when it sees that there is no token: of a string up to the first wrong escape. */
function unrecognized(source: string, at: number): string {
  const quote = source[at] ?? "";
  if (quote === "=" || quote === "&" || quote === "|") return source.slice(at, at + 2);
  if (quote !== '"' && quote !== "'") return quote;
  for (let end = at + 1; end < source.length; end += 1) {
    if (source[end] === "\n") return source.slice(at, end + 1);
    if (source[end] !== "\\") continue;
    if (!/[abfnrtv"'`?\\xXuU0-3]/.test(source[end + 1] ?? "")) return source.slice(at, end + 2);
    end += 1;
  }
  return source.slice(at);
}

const simple: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/**
 * What a string token says, its escapes read. For bytes `\x` and octal escapes are bytes, so they come out as
 * characters below 256.
 *
 * @throws SyntaxIssue for an escape that is none.
 */
export function unquote(token: Token): string {
  const prefix = /^[rRbB]*/.exec(token.text)?.[0] ?? "";
  const quoted = token.text.slice(prefix.length);
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  const body = quoted.slice(width, -width);
  if (/[rR]/.test(prefix)) return body;
  return body.replace(
    /\\(?:([0-3][0-7]{2})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (all: string, octal?: string, hex?: string, short?: string, long?: string, other?: string) => {
      const code = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? "", 16);
      if (!Number.isNaN(code) && code <= 0x10_ffff) return String.fromCodePoint(code);
      if (other !== undefined && Object.hasOwn(simple, other)) return simple[other] ?? "";
      if (other !== undefined && /["'`?\\]/.test(other)) return other;
      throw new SyntaxIssue(token.at, `invalid string literal: unable to unescape string: ${all}`);
    },
  );
}

/** The bytes of a bytes literal. */
export function unquoteBytes(token: Token): Uint8Array {
  const said = unquote(token);
  const prefix = /^[rRbB]*/.exec(token.text)?.[0] ?? "";
  // Escapes below 256 are bytes; what was typed is UTF-8.
  const isEscaped = !/[rR]/.test(prefix) && /\\(?:[0-3][0-7]{2}|[xX])/.test(token.text);
  return isEscaped
    ? Uint8Array.from(said, (character) => character.charCodeAt(0) & 0xff)
    : new TextEncoder().encode(said);
}
