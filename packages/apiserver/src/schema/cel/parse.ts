import type { CallExpr, Expr, Issue } from "./ast.ts";
import { expandMacro } from "./macro.ts";
import { SyntaxIssue, type Token, tokenize, unquote, unquoteBytes } from "./token.ts";
import { Uint } from "./value.ts";

/** Deeper nesting is refused, as cel-go does. */
const deepest = 250;
const longest = 100_000;
const reserved: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);
const operandStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** An expression with its macros expanded, or what is wrong with it. */
export type Parsed = { readonly expr: Expr } | { readonly issues: readonly Issue[] };

export function parse(source: string): Parsed {
  let issues: readonly Issue[] = [];
  try {
    if (source.length > longest) {
      throw new SyntaxIssue(0, `expression code point size exceeds limit: size: ${source.length}, limit ${longest}`);
    }
    const tokenized = tokenize(source);
    issues = tokenized.issues;
    const expr = new Parser(tokenized.tokens).parse();
    return issues.length === 0 ? { expr } : { issues };
  } catch (error) {
    if (error instanceof SyntaxIssue) return { issues: [...issues, error.issue] };
    throw error;
  }
}

const relations: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!=", "in"]);

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expr {
    const expr = this.#conditional();
    const { type, at, text } = this.#next;
    if (type === "end") return expr;
    const word = this.#tokens[this.#position + 1]?.type === "end" ? "extraneous" : "mismatched";
    throw new SyntaxIssue(at, `Syntax error: ${word} input '${text}' expecting <EOF>`);
  }

  get #next(): Token {
    return this.#tokens[this.#position] ?? { type: "end", at: 0, text: "<EOF>" };
  }

  #is(text: string): boolean {
    const { type } = this.#next;
    return (type === "symbol" || (type === "ident" && text === "in")) && this.#next.text === text;
  }

  #take(): Token {
    const token = this.#next;
    this.#position += 1;
    return token;
  }

  #takeIf(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    if (this.#is(text)) return this.#take();
    const { at, text: found } = this.#next;
    throw new SyntaxIssue(at, `Syntax error: missing '${text}' at '${found}'`);
  }

  #nested<T>(work: () => T): T {
    this.#depth += 1;
    if (this.#depth > deepest) {
      throw new SyntaxIssue(this.#next.at, `expression recursion limit exceeded: ${deepest}`);
    }
    const result = work();
    this.#depth -= 1;
    return result;
  }

  #call(at: number, name: string, ...args: readonly Expr[]): Expr {
    return { kind: "call", at, name, target: undefined, args };
  }

  #conditional(): Expr {
    return this.#nested(() => {
      const condition = this.#binary(["||"], () => this.#binary(["&&"], () => this.#relation()));
      const question = this.#takeIf("?");
      if (question === undefined) return condition;
      const yes = this.#binary(["||"], () => this.#binary(["&&"], () => this.#relation()));
      this.#expect(":");
      return this.#call(question.at, "_?_:_", condition, yes, this.#conditional());
    });
  }

  /** Chains of && and || are balanced, so that a long one is not deep. */
  #binary([operator = ""]: readonly string[], operand: () => Expr): Expr {
    const terms = [operand()];
    const signs: number[] = [];
    while (this.#is(operator)) {
      signs.push(this.#take().at);
      terms.push(operand());
    }
    const balance = (from: number, to: number): Expr => {
      const term = terms[from];
      if (from === to && term !== undefined) return term;
      const middle = Math.floor((from + to) / 2);
      return this.#call(signs[middle] ?? 0, `_${operator}_`, balance(from, middle), balance(middle + 1, to));
    };
    return balance(0, terms.length - 1);
  }

  #relation(): Expr {
    let left = this.#sum();
    while (relations.has(this.#next.text) && (this.#next.type === "symbol" || this.#next.text === "in")) {
      const { at, text } = this.#take();
      left = this.#call(at, text === "in" ? "@in" : `_${text}_`, left, this.#sum());
    }
    return left;
  }

  #sum(): Expr {
    let left = this.#product();
    while (this.#is("+") || this.#is("-")) {
      const { at, text } = this.#take();
      left = this.#call(at, `_${text}_`, left, this.#product());
    }
    return left;
  }

  #product(): Expr {
    let left = this.#unary();
    while (this.#is("*") || this.#is("/") || this.#is("%")) {
      const { at, text } = this.#take();
      left = this.#call(at, `_${text}_`, left, this.#unary());
    }
    return left;
  }

  #unary(): Expr {
    const first = this.#next;
    for (const sign of ["!", "-"]) {
      let count = 0;
      // A minus before digits belongs to the number.
      while (this.#is(sign) && !(sign === "-" && count === 0 && this.#isNumberAhead())) {
        this.#take();
        count += 1;
      }
      if (count === 0) continue;
      const operand = this.#member();
      return count % 2 === 0 ? operand : this.#call(first.at, sign === "!" ? "!_" : "-_", operand);
    }
    return this.#member();
  }

  #isNumberAhead(): boolean {
    const after = this.#tokens[this.#position + 1];
    return after?.type === "int" || after?.type === "double";
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const dot = this.#takeIf(".");
      if (dot !== undefined) {
        expr = this.#selection(expr, dot.at);
        continue;
      }
      const bracket = this.#takeIf("[");
      if (bracket === undefined) return expr;
      const optional = this.#takeIf("?") !== undefined;
      const index = this.#conditional();
      this.#expect("]");
      expr = this.#call(bracket.at, optional ? "_[?_]" : "_[_]", expr, index);
    }
  }

  #selection(operand: Expr, dot: number): Expr {
    const optional = this.#takeIf("?") !== undefined;
    const token = this.#next;
    if (token.type !== "ident") {
      throw new SyntaxIssue(
        token.at,
        `Syntax error: no viable alternative at input '.${token.type === "end" ? "" : token.text}'`,
      );
    }
    this.#take();
    const field = token.text;
    if (optional) return this.#call(dot, "_?._", operand, { kind: "literal", at: token.at, value: field });
    const open = this.#takeIf("(");
    if (open === undefined) return { kind: "select", at: dot, operand, field, test: false };
    return this.#expanded({ kind: "call", at: open.at, name: field, target: operand, args: this.#arguments(")") });
  }

  #expanded(node: CallExpr): Expr {
    return expandMacro(node) ?? node;
  }

  #arguments(end: string): readonly Expr[] {
    const args: Expr[] = [];
    while (!this.#is(end)) {
      args.push(this.#conditional());
      if (this.#takeIf(",") === undefined) break;
    }
    this.#expect(end);
    return args;
  }

  #primary(): Expr {
    const token = this.#next;
    switch (token.type) {
      case "int":
      case "uint":
      case "double":
      case "string":
      case "bytes":
        return this.#literal(this.#take());
      case "ident":
        return this.#name(this.#take());
      case "symbol":
        break;
      default:
        throw this.#noOperand(token);
    }
    switch (token.text) {
      case "(": {
        this.#take();
        const inner = this.#conditional();
        this.#expect(")");
        return inner;
      }
      case "[":
        return this.#list(this.#take().at);
      case "{":
        return this.#map(this.#take().at);
      case "-":
        this.#take();
        return this.#literal(this.#take(), token);
      case ".": {
        this.#take();
        if (this.#next.type === "ident") return this.#name(this.#take());
        throw this.#noOperand(this.#next);
      }
      default:
        throw this.#noOperand(token);
    }
  }

  #noOperand({ at, text, type }: Token): SyntaxIssue {
    const word = type === "end" || this.#tokens[this.#position + 1]?.type === "end" ? "mismatched" : "extraneous";
    return new SyntaxIssue(at, `Syntax error: ${word} input '${text}' expecting ${operandStart}`);
  }

  #name(token: Token): Expr {
    const { text, at } = token;
    if (text === "true" || text === "false") return { kind: "literal", at, value: text === "true" };
    if (text === "null") return { kind: "literal", at, value: null };
    if (text === "in") throw this.#noOperand(token);
    if (reserved.has(text)) throw new SyntaxIssue(at, `reserved identifier: ${text}`);
    const open = this.#takeIf("(");
    if (open !== undefined) {
      return this.#expanded({ kind: "call", at: open.at, name: text, target: undefined, args: this.#arguments(")") });
    }
    if (this.#is("{")) {
      const brace = this.#take();
      const fields: Expr[] = [];
      while (!this.#is("}")) {
        this.#take();
        this.#expect(":");
        fields.push(this.#conditional());
        if (this.#takeIf(",") === undefined) break;
      }
      this.#expect("}");
      return { kind: "struct", at: brace.at, name: text, fields };
    }
    return { kind: "ident", at, name: text };
  }

  #list(at: number): Expr {
    const elements: Expr[] = [];
    const optional = new Set<number>();
    while (!this.#is("]")) {
      if (this.#takeIf("?") !== undefined) optional.add(elements.length);
      elements.push(this.#conditional());
      if (this.#takeIf(",") === undefined) break;
    }
    this.#expect("]");
    return { kind: "list", at, elements, optional };
  }

  #map(at: number): Expr {
    const entries: { key: Expr; value: Expr; optional: boolean }[] = [];
    while (!this.#is("}")) {
      const optional = this.#takeIf("?") !== undefined;
      const key = this.#conditional();
      this.#expect(":");
      entries.push({ key, value: this.#conditional(), optional });
      if (this.#takeIf(",") === undefined) break;
    }
    this.#expect("}");
    return { kind: "map", at, entries };
  }

  #literal(token: Token, minus?: Token): Expr {
    const at = minus?.at ?? token.at;
    switch (token.type) {
      case "int": {
        const value = minus === undefined ? BigInt(token.text) : -BigInt(token.text);
        if (BigInt.asIntN(64, value) !== value) throw new SyntaxIssue(at, "invalid int literal");
        return { kind: "literal", at, value };
      }
      case "uint": {
        const value = BigInt(token.text.slice(0, -1));
        if (BigInt.asUintN(64, value) !== value) throw new SyntaxIssue(at, "invalid uint literal");
        return { kind: "literal", at, value: new Uint(value) };
      }
      case "double":
        return { kind: "literal", at, value: Number(token.text) * (minus === undefined ? 1 : -1) };
      case "bytes":
        return { kind: "literal", at, value: unquoteBytes(token) };
      default:
        return { kind: "literal", at, value: unquote(token) };
    }
  }
}
