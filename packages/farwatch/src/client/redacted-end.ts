import { stripVTControlCharacters } from "node:util";
import { redacted, redactText } from "../observe/redact.ts";

const secretNames = /secret|token|passw|credential|key|auth/i;

/**
 * What a program says on one line beyond what `redactText` knows by its form: `Bearer x`, however short, and
 * `password=x`.
 */
const secretShapes: readonly RegExp[] = [
  /(?<=\b(?:bearer|basic)\s+)[\w+/=.~-]+/gi,
  /(?<=(?:secret|token|passw(?:or)?d|credential|key|authorization)\w*["']?\s*[=:]\s*)(?:"[^"]*"?|'[^']*'?|[^\s,;}]+)/gi,
];

/** Base64 and its kin. A long run of letters alone, or of digits, is hardly one. */
const longRun = /[\w+/=~-]{40,}/g;

const searchedLength = 16_384;

/** The values of an environment that are secret by their names. */
export function secretValuesOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && secretNames.test(name) ? [value] : []));
}

/**
 * The end of what a program wrote, fit for an error text: one line, no control characters, at most so many characters,
 * and `[redacted]` where a known secret stood or anything shaped like one. It errs on the side of hiding too much.
 */
export function redactedEnd(
  text: string,
  options: { readonly secrets: readonly string[]; readonly maxLength: number },
): string {
  // Short values would blank out words; the longest first, so that no rest of one is left by another within it.
  const secrets = options.secrets.filter(({ length }) => length >= 6).sort((a, b) => b.length - a.length);
  let clean = stripVTControlCharacters(text);
  for (const secret of secrets) clean = clean.replaceAll(secret, redacted);
  // Only the end is shown, so only the end is searched; the word that the cut went through could be half a secret.
  if (clean.length > searchedLength) clean = clean.slice(-searchedLength).replace(/^\S+/, "");
  clean = clean.replace(/[\s\p{Cc}]+/gu, " ").trim();
  clean = redactText(clean);
  for (const shape of secretShapes) clean = clean.replace(shape, redacted);
  clean = clean.replace(longRun, (run) => (/\d/.test(run) && /[a-z]/i.test(run) ? redacted : run));
  return clean.length <= options.maxLength ? clean : `…${clean.slice(-options.maxLength)}`;
}
