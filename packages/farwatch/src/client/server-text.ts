import { longestText, oneLine } from "../observe/plain-text.ts";

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
