/**
 * What the real server says of a label selector that it cannot read, by the grammar of k8s.io/apimachinery's parser.
 * Asked for texts that farwatch's reader has refused.
 */
export function labelSelectorError(text: string): string {
  return new Parser(tokensOf(text)).error() ?? `unable to parse requirement: ${text}`;
}

type TokenKind = "!" | "!=" | "(" | ")" | "," | "<" | "=" | "==" | ">" | "end" | "identifier" | "in" | "notin";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const special = /[=!(),<>]/;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const symbol = /^(?:==|!=|[=!(),<>])/.exec(rest)?.[0];
    if (symbol !== undefined) {
      tokens.push({ kind: symbol as TokenKind, text: symbol });
      at += symbol.length;
      continue;
    }
    let word = "";
    for (const character of rest) {
      if (special.test(character) || /\s/.test(character)) break;
      word += character;
    }
    tokens.push({ kind: word === "in" || word === "notin" ? word : "identifier", text: word });
    at += word.length;
  }
  return tokens;
}

const atEnd: Token = { kind: "end", text: "" };
const operators: ReadonlySet<TokenKind> = new Set(["!=", "<", "=", "==", ">", "in", "notin"]);
const labelText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const nameText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const keyText =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const prefixText =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** What comes next; where values stand, `in` and `notin` are words. */
  #look(values = false): Token {
    const token = this.#tokens[this.#at] ?? atEnd;
    return values && (token.kind === "in" || token.kind === "notin") ? { ...token, kind: "identifier" } : token;
  }

  #take(values = false): Token {
    const token = this.#look(values);
    this.#at += 1;
    return token;
  }

  error(): string | undefined {
    for (;;) {
      const first = this.#look(true);
      if (first.kind === "end") return undefined;
      if (first.kind !== "identifier" && first.kind !== "!") {
        return `found '${first.text}', expected: !, identifier, or 'end of string'`;
      }
      const problem = this.#requirement();
      if (problem !== undefined) return `unable to parse requirement: ${problem}`;
      const after = this.#take();
      if (after.kind === "end") return undefined;
      if (after.kind !== ",") return `found '${after.text}', expected: ',' or 'end of string'`;
      const next = this.#look(true);
      if (next.kind !== "identifier" && next.kind !== "!")
        return `found '${next.text}', expected: identifier after ','`;
    }
  }

  #requirement(): string | undefined {
    const not = this.#look(true).kind === "!";
    if (not) this.#take();
    const key = this.#take(true);
    if (key.kind !== "identifier") return `found '${key.text}', expected: identifier`;
    const keyProblem = keyError(key.text);
    if (keyProblem !== undefined) return `<nil>: Invalid value: ${JSON.stringify(key.text)}: ${keyProblem}`;
    const next = this.#look();
    if (not || next.kind === "end" || next.kind === ",") return undefined;
    const operator = this.#take();
    if (!operators.has(operator.kind)) return `found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`;
    return operator.kind === "in" || operator.kind === "notin"
      ? this.#set(key.text)
      : this.#exact(key.text, operator.kind);
  }

  #set(key: string): string | undefined {
    const open = this.#take(true);
    if (open.kind !== "(") return `found '${open.text}' expected: '('`;
    const first = this.#look(true);
    if (first.kind === ")") {
      this.#take();
      return undefined;
    }
    if (first.kind !== "identifier" && first.kind !== ",")
      return `found '${first.text}', expected: ',', ')' or identifier`;
    const values: string[] = [];
    for (;;) {
      const token = this.#take(true);
      if (token.kind === "identifier") {
        values.push(token.text);
        const after = this.#look(true);
        if (after.kind !== "," && after.kind !== ")") return `found '${after.text}', expected: ',' or ')'`;
      } else if (token.kind === ",") {
        const after = this.#look(true);
        if (after.kind === ",") this.#take();
        else if (after.kind !== ")" && after.kind !== "identifier")
          return `found '${after.text}', expected: ',', ')' or identifier`;
      } else if (token.kind === ")") return valuesError(key, values);
      else return `found '${token.text}', expected: ',', or identifier`;
    }
  }

  #exact(key: string, operator: TokenKind): string | undefined {
    const next = this.#look(true);
    if (next.kind === "end" || next.kind === ",") return undefined;
    const value = this.#take(true);
    if (value.kind !== "identifier") return `found '${value.text}', expected: identifier`;
    if ((operator === "<" || operator === ">") && !/^[-+]?\d+$/.test(value.text)) {
      return `values[0]: Invalid value: ${JSON.stringify(value.text)}: for 'Gt', 'Lt' operators, the value must be an integer`;
    }
    return valuesError(key, [value.text]);
  }
}

function valuesError(key: string, values: readonly string[]): string | undefined {
  for (const [index, value] of [...values].sort().entries()) {
    const at = `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: `;
    if (value.length > 63) return `${at}must be no more than 63 bytes`;
    if (!/^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value)) return `${at}${labelText}`;
  }
  return undefined;
}

function keyError(key: string): string | undefined {
  const parts = key.split("/");
  if (parts.length > 2) return keyText;
  const [name = "", prefix] = parts.toReversed();
  if (prefix === "") return "prefix part must be non-empty";
  if (prefix !== undefined && !/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(prefix))
    return prefixText;
  if (name === "") return "name part must be non-empty";
  if (name.length > 63) return "name part must be no more than 63 bytes";
  return /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name) ? undefined : nameText;
}
