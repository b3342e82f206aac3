/** One promise of docs/promises.md or one case of docs/cases.md. */
export interface Case {
  /** As a test's comment names it: `B08`, `Promise 6`. */
  readonly id: string;
  /** `promise`, or the kind of fault. */
  readonly kind: string;
  readonly behaviour: string;
  /** The part of the project that the case waits for; undefined when it must have a test now. */
  readonly later: string | undefined;
}

/** Reads the numbered list of docs/promises.md; throws when it is not numbered from 1 without a gap. */
export function readPromises(page: string): readonly Case[] {
  const promises = [...page.matchAll(/^(\d+)\. \*\*([^*]+)\*\*/gm)].map(([, number = "", title = ""]): Case => {
    return { id: `Promise ${number}`, kind: "promise", behaviour: title.replace(/[.,]$/, ""), later: undefined };
  });
  promises.forEach(({ id }, index) => {
    if (id !== `Promise ${index + 1}`)
      throw new Error(`Cannot read docs/promises.md: ${id} stands at place ${index + 1}`);
  });
  if (promises.length === 0) throw new Error("Cannot read docs/promises.md: it has no numbered list of promises");
  return promises;
}

/** Reads the table of docs/cases.md; throws for a row that it cannot read, and for an id that stands twice. */
export function readCases(page: string): readonly Case[] {
  const rows = page.split("\n").filter((line) => /^\| [A-Z]\d/.test(line));
  const cases = rows.map((row): Case => {
    const [, id, kind, behaviour, status, end] = row.split("|").map((cell) => cell.trim());
    const later = /^later: (.+)$/.exec(status ?? "")?.[1];
    if (!id || !kind || !behaviour || end !== "" || (status !== "required" && later === undefined)) {
      throw new Error(
        `Cannot read docs/cases.md: give each row "id | kind | behaviour | required, or later: part", not ${row}`,
      );
    }
    return { id, kind, behaviour, later };
  });
  const twice = cases.find(({ id }, index) => cases.findIndex((other) => other.id === id) !== index);
  if (twice !== undefined) throw new Error(`Cannot read docs/cases.md: ${twice.id} stands twice`);
  if (cases.length === 0) throw new Error("Cannot read docs/cases.md: it has no table of cases");
  return cases;
}
