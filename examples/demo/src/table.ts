import { stripVTControlCharacters, styleText } from "node:util";
import type { Outcome } from "./demo.ts";

const columns = ["NAME", "AVAILABLE", "REASON", "LAST PROBE"] as const;

function cells({ name, available, reason, lastProbeTime }: Outcome): readonly string[] {
  return [name, available === null ? "-" : String(available), reason ?? "-", lastProbeTime ?? "-"];
}

interface TableStyle {
  /** Marks what is available and what is not. */
  readonly color: boolean;
  /** Lines are cut to this many characters. */
  readonly width: number;
}

/** The outcomes as kubectl would print them. */
function formatTable(outcomes: readonly Outcome[], { color, width }: TableStyle): string {
  const rows = outcomes.map(cells);
  const widths = columns.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("   ")
      .slice(0, width)
      .trimEnd();
  const body = rows.map((row, index) => {
    const { available } = outcomes[index] as Outcome;
    return color && available !== null
      ? styleText(available ? "green" : "red", line(row), { validateStream: false })
      : line(row);
  });
  return [line(columns), ...body].join("\n");
}

/** The lines of a terminal that a text takes up, those that a window made narrower since has broken included. */
function height(text: string, width: number): number {
  const lines = stripVTControlCharacters(text).split("\n");
  return lines.reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / width)), 0);
}

/** Draws the table over the one before on a terminal, cut to its width; elsewhere prints it again when it has changed. */
export function createTableView(stream: NodeJS.WriteStream): (outcomes: readonly Outcome[]) => void {
  let drawn = "";
  return (outcomes) => {
    // A terminal that does not know its width says 0.
    const width = (stream.isTTY && stream.columns) || Number.POSITIVE_INFINITY;
    const table = formatTable(outcomes, { color: stream.isTTY && stream.hasColors(), width });
    if (table === drawn) return;
    if (stream.isTTY && drawn !== "") stream.write(`\u001b[${height(drawn, width)}A\u001b[J`);
    stream.write(`${table}\n${stream.isTTY ? "" : "\n"}`);
    drawn = table;
  };
}
