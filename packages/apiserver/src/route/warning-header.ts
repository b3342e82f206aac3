/** Together longer than this, warnings are cut: a header has room for no more. */
const mostInAll = 4096;
const mostOfOne = 256;

/**
 * Warning headers in RFC 7234's form: code 299, no agent, the text quoted. What a header cannot hold is left out, and
 * so much that clients would refuse the answer for it, as the real server does.
 */
export function warningHeaders(texts: Iterable<string>): readonly string[] {
  const shown = [...texts].map((text) => [...text.replaceAll(/\p{Cc}+/gu, " ")]).filter(({ length }) => length > 0);
  const isTooMuch = shown.reduce((sum, { length }) => sum + length, 0) > mostInAll;
  const headers: string[] = [];
  let written = 0;
  for (const characters of shown) {
    if (written >= mostInAll) break;
    const kept = isTooMuch ? characters.slice(0, mostOfOne) : characters;
    written += kept.length;
    headers.push(`299 - "${kept.join("").replaceAll(/[\\"]/g, "\\$&")}"`);
  }
  return headers;
}
