import { stripVTControlCharacters, styleText } from "node:util";
import type { Outcome } from "./demo.ts";

const columns = ["NAME", "AVAILABLE", "REASON", "LAST PROBE"] as const;

function cells({ name, available, reason, lastProbeTime }: Outcome): readonly string[] {
  return [name, available === null ? "-" : String(available), reason ?? "-", lastProbeTime ?? "-"];
}

/** The outcomes as kubectl would print them; `color` marks what is available and what is not. */
function formatTable(outcomes: readonly Outcome[], { color }: { readonly color: boolean }): string {
  const rows = outcomes.map(cells);
  const widths = columns.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("   ")
      .trimEnd();
  const body = rows.map((row, index) => {
    const { available } = outcomes[index] as Outcome;
    return color && available !== null
      ? styleText(available ? "green" : "red", line(row), { validateStream: false })
      : line(row);
  });
  return [line(columns), ...body].join("\n");
}

/** Draws the table over the one before on a terminal; elsewhere prints it again when it has changed. */
export function createTableView(stream: NodeJS.WriteStream): (outcomes: readonly Outcome[]) => void {
  let drawn = "";
  return (outcomes) => {
    const table = formatTable(outcomes, { color: stream.isTTY && stream.hasColors() });
    if (table === drawn) return;
    if (stream.isTTY && drawn !== "")
      stream.write(`\u001b[${stripVTControlCharacters(drawn).split("\n").length}A\u001b[J`);
    stream.write(`${table}\n${stream.isTTY ? "" : "\n"}`);
    drawn = table;
  };
}
