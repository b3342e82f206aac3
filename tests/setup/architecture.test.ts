import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { layers, rooms } from "../../tools/checks/rooms.ts";

const page = readFileSync("ARCHITECTURE.md", "utf8");

/** The rows of the table under a heading, as lists of cells, without its head. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

for (const [folder, order] of Object.entries(rooms)) {
  test(`ARCHITECTURE.md lists the rooms of ${folder} in the order that the import rules hold`, () => {
    assert.deepEqual(
      tableUnder(`Rooms of ${folder}`).map(([room]) => room),
      order,
    );
  });

  test(`ARCHITECTURE.md lists the rooms that there are in ${folder}`, () => {
    const folders = readdirSync(`${folder}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(
      tableUnder(`Rooms of ${folder}`)
        .map(([room]) => room)
        .toSorted(),
      folders.map(({ name }) => name).toSorted(),
    );
  });
}

test("ARCHITECTURE.md says of each top folder what the import rules say", () => {
  const table = new Map(tableUnder("Who may import whom").map(([from, may]) => [from, may]));
  for (const [index, layer] of layers.entries()) assert.equal(table.get(layer), layers.slice(0, index + 1).join(", "));
});

test("ARCHITECTURE.md names only folders that there are", () => {
  const section = page.split(/^## /m).find((each) => each.startsWith("What stands where")) ?? "";
  const named = [...section.matchAll(/(?:^ {4}|, | )([a-z0-9./-]+)\/(?=[, ])/gm)].map(([, path]) => path ?? "");
  assert.ok(named.length >= 10);
  for (const path of named) assert.ok(readdirSync(path).length > 0, path);
});
