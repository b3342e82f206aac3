const named: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};
const needsEscape = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A string as Go's %q prints it: what the real server's texts quote names with. */
export function goQuoted(text: string): string {
  const escaped = text.replace(needsEscape, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (named[character] !== undefined) return named[character];
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return `"${escaped}"`;
}

/** A slice of strings as Go's %q prints it: `["a" "b"]`. */
export function goQuotedList(texts: readonly string[]): string {
  return `[${texts.map(goQuoted).join(" ")}]`;
}
