import { CodedError } from "../error/coded-error.ts";

/** A longer one would be cut by the server, and two names might become one. */
const maxBytes = 63;

/**
 * A name in the text of a statement, whatever its characters.
 *
 * @throws CodedError `InvalidOption` for a name that the server could not have: empty, with a NUL, or longer than 63
 * bytes.
 */
export function quoteName(name: string): string {
  const bytes = typeof name === "string" ? Buffer.byteLength(name) : 0;
  if (bytes === 0 || bytes > maxBytes || name.includes("\0")) {
    throw new CodedError(
      "InvalidOption",
      `Cannot name something of PostgreSQL ${JSON.stringify(name)}: give 1 to ${maxBytes} bytes without a NUL`,
    );
  }
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text in the text of a statement that takes no parameters. */
export function quoteText(text: string): string {
  const escaped = text.replaceAll("'", "''");
  // Without the prefix the meaning of a backslash depends on a setting of the server.
  return escaped.includes("\\") ? ` E'${escaped.replaceAll("\\", "\\\\")}'` : `'${escaped}'`;
}
