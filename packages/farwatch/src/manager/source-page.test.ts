import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "../clock/instant.ts";
import type { SourceState } from "../source/source-state.ts";
import { sourcesJson, sourcesPage } from "./source-page.ts";

const at = (time: string) => {
  const instant = parseTime(time);
  assert.ok(instant);
  return instant;
};
const now = at("2030-01-01T00:01:00Z");

const source: SourceState = {
  name: "broker",
  phase: "failing",
  critical: true,
  watches: ["bucket", "usage"],
  restarts: 2,
  lastError: "connection refused",
  lastErrorAt: at("2030-01-01T00:00:58Z"),
  lastEventAt: at("2030-01-01T00:00:00Z"),
  lagMs: 1_500,
  buffered: 3,
  unacknowledged: 1_000,
  kept: 4,
};

/** The texts of the cells of the only row. */
function cells(page: string): readonly string[] {
  const [, body = ""] = /<tbody>(.*)<\/tbody>/s.exec(page) ?? [];
  return [...body.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]+>/g, ""));
}

test("sourcesPage shows a source in a row", () => {
  assert.deepEqual(cells(sourcesPage([source], now)), [
    "broker (critical)",
    "failing",
    "connection refused (2.0 s ago)",
    "bucket, usage",
    "60.0 s ago",
    "1.5 s",
    "3",
    "1000",
    "4",
    "2",
  ]);
  const { lastError: _, lastErrorAt: __, lastEventAt: ___, lagMs: ____, ...quiet } = source;
  assert.deepEqual(
    cells(sourcesPage([{ ...quiet, phase: "waiting" }], now)).filter((cell) => cell === ""),
    ["", "", ""],
  );
  assert.match(cells(sourcesPage([], now)).join(), /^No sources/);
});

test("sourcesPage names the request that holds a source up", () => {
  const held: SourceState = { ...source, phase: "serving", reason: { type: "Held", request: "x/a" } };
  assert.equal(cells(sourcesPage([held], now))[1], "serving Held: x/a");
});

test("sourcesPage makes text of all markup, control and direction characters that a name, a request or an error holds", () => {
  const planted = `<img src=x onerror=alert(1)>"'&\u001b[31m\n</td><script>alert(2)</script>\u202egnp`;
  const hostile: SourceState = {
    ...source,
    name: planted,
    watches: [planted],
    lastError: planted,
    reason: { type: "Held", request: planted },
  };
  const page = sourcesPage([hostile], now);
  assert.doesNotMatch(page, /<img|<script|[^\P{C}\n]/u);
  assert.equal(page.match(/<t[hd][ >]/g)?.length, 20, "no cell was added");
  const shown = cells(page)[3]
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
  assert.equal(shown, `<img src=x onerror=alert(1)>"'&\ufffd[31m </td><script>alert(2)</script>\ufffdgnp`);
});

test("sourcesJson gives times in RFC 3339", () => {
  const { sources } = JSON.parse(sourcesJson([source]));
  assert.deepEqual(sources, [
    { ...source, lastErrorAt: "2030-01-01T00:00:58.000Z", lastEventAt: "2030-01-01T00:00:00.000Z" },
  ]);
});
