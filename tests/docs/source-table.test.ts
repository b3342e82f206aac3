import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as farwatch from "farwatch";

/** The rows of the table of sources: the name, the page that it leads to, and the other columns. */
const rows = readFileSync("docs/sources.md", "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, name = "", page = "", rest = ""] = /^\| \[`(\w+)`\]\(([^)#]+)[^)]*\) \|(.*)\|$/.exec(line) ?? [];
    return name === "" ? [] : [{ name, page, columns: rest.split("|").map((column) => column.trim()) }];
  });

test("table of sources has a row for each source that farwatch exports, and for nothing else", () => {
  const exported = Object.keys(farwatch).filter((name) => name.endsWith("Source"));
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), exported.toSorted());
});

test("table of sources says something in every column, and leads to pages that are there", () => {
  for (const { name, page, columns } of rows) {
    assert.equal(columns.length, 7, name);
    assert.ok(
      columns.every((column) => column !== ""),
      name,
    );
    assert.ok(existsSync(`docs/${page}`), `${name} leads to docs/${page}`);
  }
});

test("table of sources says of each what the source itself declares", () => {
  const { channelSource, fileSource, postgresNotifySource, postgresOutboxSource, requestSource, tickerSource } =
    farwatch;
  const made = [
    { name: "tickerSource", source: tickerSource({ every: "1s" }) },
    { name: "channelSource", source: channelSource() },
    { name: "requestSource", source: requestSource() },
    { name: "fileSource", source: fileSource({ path: "/etc/settings" }) },
    { name: "kafkaSource", source: farwatch.kafkaSource({ brokers: ["127.0.0.1:1"], topics: ["a"], group: "g" }) },
    { name: "sqsSource", source: farwatch.sqsSource({ queueUrl: "https://sqs.eu-west-1.amazonaws.com/1/a" }) },
    { name: "postgresOutboxSource", source: postgresOutboxSource({ url: "postgres://127.0.0.1/a", table: "outbox" }) },
    { name: "postgresNotifySource", source: postgresNotifySource({ url: "postgres://127.0.0.1/a", channel: "c" }) },
  ];
  for (const { name, source } of made) {
    const [, delivery = "", durability = "", full = ""] = rows.find((row) => row.name === name)?.columns ?? [];
    assert.ok(delivery.startsWith(source.delivery === "atLeastOnce" ? "at least once" : "at most once"), name);
    assert.ok(durability.startsWith(source.durability), name);
    if (source.overflow === "wait") assert.match(full, /^waits/, name);
    if (source.overflow === "dropOldest") assert.match(full, /^drops the oldest/, name);
  }
});
