import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "./demo.ts";
import { createTableView } from "./table.ts";

const outcome = (lastProbeTime: string): Outcome => ({
  namespace: "default",
  name: "photos",
  available: true,
  reason: "Available",
  lastProbeTime,
});

/** What a view writes on a terminal whose width is the given one at each drawing; undefined: into a pipe. */
function drawnOn(widths: readonly (number | undefined)[]): string {
  let written = "";
  const stream = {
    isTTY: widths[0] !== undefined,
    columns: widths[0],
    hasColors: () => false,
    write: (text: string) => {
      written += text;
    },
  };
  const show = createTableView(stream as unknown as NodeJS.WriteStream);
  widths.forEach((columns, index) => {
    stream.columns = columns;
    show([outcome(`2030-01-01T00:00:0${index}Z`)]);
  });
  return written;
}

test("table is drawn over the one before on a terminal, and printed again in a pipe", () => {
  const table = (second: number): string =>
    `NAME     AVAILABLE   REASON      LAST PROBE\nphotos   true        Available   2030-01-01T00:00:0${second}Z\n`;
  assert.equal(drawnOn([100, 100]), `${table(0)}\u001b[2A\u001b[J${table(1)}`);
  assert.equal(drawnOn([0, 0]), `${table(0)}\u001b[2A\u001b[J${table(1)}`);
  assert.equal(drawnOn([undefined, undefined]), `${table(0)}\n${table(1)}\n`);
});

test("table is cut to the width of its terminal, and finds its beginning again when a narrower window has broken it", () => {
  const cut = "NAME     AVAILABLE   REASON      LAST PR\nphotos   true        Available   2030-01\n";
  assert.equal(drawnOn([40]), cut);
  assert.equal(drawnOn([40, 39]).slice(cut.length, cut.length + 7), "\u001b[4A\u001b[J");
});
