/** A call of `test`, or of a suite's `check` that calls it, whose comment names cases. */
export interface TaggedTest {
  readonly file: string;
  /** Of the call, counted from 1. */
  readonly line: number;
  /** As it stands in the source. */
  readonly name: string;
  /** `B08`, `Promise 6`. */
  readonly ids: readonly string[];
}

const call = /^\s*(?:await )?(?:\w+\.)?(?:test|check)(?:\.\w+)?\(/;
/** A comment above a loop belongs to the first call in it. */
const loop = /^\s*for (?:await )?\(/;
const comment = /^\s*\/\//;

/** The cases that a comment names: `// Promise 6, B33`, `// Promises 6 and 7`. */
export function idsIn(text: string): readonly string[] {
  const promises = [...text.matchAll(/\bPromises? (\d+(?:(?:, | and |, and )\d+)*)/gi)]
    .flatMap(([, numbers = ""]) => numbers.match(/\d+/g) ?? [])
    .map((number) => `Promise ${number}`);
  return [...new Set([...promises, ...(text.match(/\bB\d{2,3}\b/g) ?? [])])];
}

/** The tests of a file that stand below a comment which names cases; and such comments that stand above something else. */
export function findTaggedTests(
  file: string,
  source: string,
): { readonly tests: readonly TaggedTest[]; readonly stray: readonly string[] } {
  const lines = source.split("\n");
  const tests: TaggedTest[] = [];
  const stray: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const start = index;
    while (comment.test(lines[index] ?? "")) index += 1;
    const ids = idsIn(lines.slice(start, index).join("\n"));
    if (ids.length === 0) continue;
    const at = loop.test(lines[index] ?? "")
      ? lines.findIndex((line, place) => place > index && call.test(line))
      : index;
    if (call.test(lines[at] ?? "")) {
      const [, name = "?"] = /["'`](.*?)["'`],/s.exec(lines.slice(at, at + 3).join("\n")) ?? [];
      tests.push({ file, line: at + 1, name, ids });
    } else if (file.endsWith(".test.ts")) {
      stray.push(`${file}:${index}: ${ids.join(", ")} stands above no test`);
    }
  }
  return { tests, stray };
}
