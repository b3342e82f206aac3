/**
 * Several errors as one text, as an Aggregate of k8s.io/apimachinery prints them: each once; one alone, several in
 * brackets.
 */
export function aggregatedText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
