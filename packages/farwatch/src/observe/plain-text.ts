import { redactText } from "./redact.ts";

/** Longer texts are cut to this many characters. */
export const longestText = 1_024;
/** Of these, what is kept of the end of a long text. */
const keptEnd = 384;
/** Credentials are looked for in this much; of a text that goes on after it the end is not shown. */
const searchedText = 16_384;

/**
 * A text that others chose, made fit for a log, an error or a page: one line, no control or bidirectional characters
 * (which could forge log lines or a terminal's output), no credentials by their form, and of a long text about 1,024
 * characters: its beginning and its end, for kube-apiserver quotes a whole object before it says what is wrong with it.
 */
export function plainText(text: string): string {
  const line = oneLine(text.slice(0, searchedText));
  if (line.length <= longestText) return line;
  if (text.length > searchedText) return `${line.slice(0, longestText)}…`;
  return `${line.slice(0, longestText - keptEnd)} … ${line.slice(-keptEnd)}`;
}

/** The same of any length. */
export function oneLine(text: string): string {
  return printable(redactText(text)).replace(/\s+/g, " ").trim();
}

/** Without control, direction and line characters, which no terminal is to obey: each run of them is a space. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
