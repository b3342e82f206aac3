import { redactText } from "../observe/redact.ts";

/** Longer texts of a server are cut to this many characters. */
const longestText = 1_024;

/**
 * A server's text made fit for an error: one line, no control or bidirectional characters (which could forge log lines or a
 * terminal's output), no credentials by their form, cut to 1,024 characters.
 */
export function plainText(text: string): string {
  const line = redactText(text.slice(0, 2 * longestText))
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}

/** What a body that is no metav1.Status says: the title of an HTML page, or the text. Undefined when there is nothing to say. */
export function bodyText(body: string): string | undefined {
  // The title stands near the beginning, and the pattern's time grows with the square of a hostile page.
  const start = body.slice(0, 4 * longestText);
  if (!/^\s*(?:<!doctype|<html|<head|<body)/i.test(start)) return plainText(start) || undefined;
  const title = /<(title|h1)\b[^>]*>([\s\S]*?)<\/\1>/i.exec(start)?.[2];
  const text = title === undefined ? "" : plainText(title.replace(/<[^>]*>/g, " "));
  return text === "" ? "an HTML page" : `an HTML page, ${JSON.stringify(text)}`;
}
