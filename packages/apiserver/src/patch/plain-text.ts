/** Text that JSON writes as it is. */
const plain = /^[\w./ -]*$/;

/**
 * Whether a text is quoted by putting it in quotes: nearly all names and versions are, and each write asks for many.
 */
export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** A text as JSON. */
export function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}
