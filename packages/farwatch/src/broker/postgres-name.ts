import { checkText } from "../error/given-text.ts";

/** A longer one would be cut by the server, and two names might become one. */
const maxBytes = 63;

/**
 * A name in the text of a statement, whatever its characters. `what`: which option gives it.
 *
 * @throws CodedError `InvalidOption` for a name that the server could not have: empty, with a NUL, or longer than 63
 * bytes.
 */
export function quoteName(name: string, what: string): string {
  const isRight = (text: string): boolean => text !== "" && Buffer.byteLength(text) <= maxBytes && !text.includes("\0");
  checkText(name, {
    doing: "name something of PostgreSQL",
    what,
    give: `1 to ${maxBytes} bytes without a NUL`,
    isRight,
  });
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text in the text of a statement that takes no parameters. */
export function quoteText(text: string): string {
  const escaped = text.replaceAll("'", "''");
  // Without the prefix the meaning of a backslash depends on a setting of the server.
  return escaped.includes("\\") ? ` E'${escaped.replaceAll("\\", "\\\\")}'` : `'${escaped}'`;
}
