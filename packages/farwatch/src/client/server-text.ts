import { redactText } from "../observe/redact.ts";

/** Longer texts of a server are cut to this many characters. */
const longestText = 1_024;
/** Of these, what is kept of the end of a long text. */
const keptEnd = 384;
/** Credentials are looked for in this much; of a text that goes on after it the end is not shown. */
const searchedText = 16_384;

/**
 * A server's text made fit for an error: one line, no control or bidirectional characters (which could forge log lines
 * or a terminal's output), no credentials by their form, and of a long text about 1,024 characters: its beginning and
 * its end, for kube-apiserver quotes a whole object before it says what is wrong with it.
 */
export function plainText(text: string): string {
  const line = oneLine(text.slice(0, searchedText));
  if (line.length <= longestText) return line;
  if (text.length > searchedText) return `${line.slice(0, longestText)}…`;
  return `${line.slice(0, longestText - keptEnd)} … ${line.slice(-keptEnd)}`;
}

function oneLine(text: string): string {
  return redactText(text)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** As `plainText`, but of a long text the beginning alone: what was cut off may have been the rest of a credential. */
function beginning(text: string): string {
  const line = oneLine(text);
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}

/**
 * What a body that is no metav1.Status says: the title of an HTML page, or the text. Undefined when there is nothing to
 * say.
 */
export function bodyText(body: string): string | undefined {
  // The title stands near the beginning, and the pattern's time grows with the square of a hostile page.
  const start = body.slice(0, 4 * longestText);
  if (!/^\s*(?:<!doctype|<html|<head|<body)/i.test(start)) return beginning(start) || undefined;
  const title = /<(title|h1)\b[^>]*>([\s\S]*?)<\/\1>/i.exec(start)?.[2];
  const text = title === undefined ? "" : beginning(title.replace(/<[^>]*>/g, " "));
  return text === "" ? "an HTML page" : `an HTML page, ${JSON.stringify(text)}`;
}
