import { readFileSync } from "node:fs";

/** A TypeScript example of a page. */
export interface MarkdownBlock {
  /** The file that its fence names, as in "```ts site.test.ts"; undefined for one that stands alone. */
  readonly file: string | undefined;
  readonly code: string;
}

const fence = /^```ts(?: (?<file>[\w.-]+\.ts))?\n(?<code>[\s\S]*?)^```$/gm;

/** The TypeScript examples of a page that import something, in order. */
export function readMarkdownBlocks(page: string): readonly MarkdownBlock[] {
  return [...readFileSync(page, "utf8").matchAll(fence)]
    .map(({ groups }) => ({ file: groups?.file, code: groups?.code ?? "" }))
    .filter(({ code }) => /^import /m.test(code));
}
