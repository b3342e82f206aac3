/** A pattern in RE2's syntax, in which the API server (Go) reads it, or what in it RE2 does not have. */
export type Re2Pattern = { readonly pattern: string } | { readonly problem: string };

/** Letters that mean the same after a backslash in JavaScript and in RE2. */
const sharedEscapes = "dDwWsSbBnrtfvx";

const hex = (codePoint: number): string => `\\x{${codePoint.toString(16)}}`;

/** Rewrites a JavaScript pattern for RE2. Look-around and backreferences have no counterpart there. */
export function toRe2(source: string): Re2Pattern {
  let pattern = "";
  let inClass = false;
  for (let i = 0; i < source.length; ) {
    const rest = source.slice(i);
    if (rest[0] === "\\") {
      const rewritten = rewriteEscape(rest, inClass);
      if (typeof rewritten === "string") return { problem: rewritten };
      pattern += rewritten.text;
      i += rewritten.length;
      continue;
    }
    if (inClass) {
      if (rest[0] === "]") inClass = false;
    } else if (rest.startsWith("[^]") || rest.startsWith("[]")) {
      return { problem: "an empty character class" };
    } else if (rest[0] === "[") {
      inClass = true;
    } else if (/^\(\?<?[=!]/.test(rest)) {
      return { problem: `look-around ${rest.slice(0, rest[2] === "<" ? 4 : 3)}…)` };
    } else {
      const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
      if (counts !== null && Math.max(Number(counts[1]), Number(counts[2] ?? 0)) > 1_000) {
        return { problem: `the count ${counts[0]} above 1,000` };
      }
    }
    pattern += rest[0];
    i += 1;
  }
  return { pattern };
}

function rewriteEscape(rest: string, inClass: boolean): { readonly text: string; readonly length: number } | string {
  const unicode = /^\\u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]+)\})/.exec(rest);
  if (unicode !== null) {
    return { text: hex(Number.parseInt(unicode[1] ?? unicode[2] ?? "", 16)), length: unicode[0].length };
  }
  const control = /^\\c([A-Za-z])/.exec(rest);
  if (control !== null) return { text: hex((control[1]?.charCodeAt(0) ?? 0) % 32), length: 3 };
  const script = /^\\([pP])\{(?:Script|sc|General_Category|gc)=(\w+)\}/.exec(rest);
  if (script !== null) return { text: `\\${script[1]}{${script[2]}}`, length: script[0].length };
  const next = rest[1];
  if (next === undefined) return "a backslash at its end";
  if (next === "0") return { text: hex(0), length: 2 };
  if (/[1-9]/.test(next) || next === "k") return "a backreference";
  if (next === "b" && inClass) return { text: hex(8), length: 2 };
  if (/[A-Za-z]/.test(next) && next !== "p" && next !== "P" && !sharedEscapes.includes(next))
    return `the escape \\${next}`;
  return { text: `\\${next}`, length: 2 };
}
