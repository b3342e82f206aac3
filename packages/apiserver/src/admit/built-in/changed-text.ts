/** What an update changes and may not, line by line; the real server shows a diff of its own types here. */
export function changedText(before: unknown, now: unknown): string {
  return `- ${JSON.stringify(before)}\n+ ${JSON.stringify(now)}\n`;
}
