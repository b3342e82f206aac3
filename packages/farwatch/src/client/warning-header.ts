/** code, agent and a quoted text, then perhaps a quoted date (RFC 7234, 5.5; Kubernetes sends code 299 alone). */
const warning = /(\d{3})\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?/g;

/** The texts of the 299 warnings in a `Warning` header, whose repeated values are joined with commas. */
export function parseWarnings(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const texts: string[] = [];
  for (const [, code, quoted = ""] of header.matchAll(warning)) {
    if (code === "299") texts.push(quoted.replace(/\\(.)/g, "$1"));
  }
  return texts;
}
