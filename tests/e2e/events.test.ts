import assert from "node:assert/strict";
import { before, test } from "node:test";
import { defineController, Event, Namespace } from "farwatch";
import { eventually } from "../eventually.ts";
import { complaints, runManager } from "./running-manager.ts";
import { serveLamps } from "./served-lamps.ts";

const namespace = "events";
const { Lamp, client } = serveLamps("events");

before(async () => {
  await client.create(Namespace, { metadata: { name: namespace } });
});
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

test("events are taken by a real API server: repeats as one series, a long note cut, each about its object", async () => {
  let runs = 0;
  const controller = defineController({
    name: "lamp",
    for: Lamp,
    async reconcile(request, ctx) {
      const lamp = await ctx.client.find(Lamp, request);
      if (lamp === undefined) return;
      runs += 1;
      ctx.events.record(lamp, { type: "Normal", reason: "Blinked", action: "Blink", note: "The lamp blinked" });
      if (runs === 1) {
        ctx.events.record(lamp, { type: "Warning", reason: "Dim", action: "Blink", note: "バケット".repeat(500) });
      }
    },
  });
  const running = runManager({ client, cache: [{ resource: Lamp, options: { namespace } }] }, controller);
  // A name as long as names may be: an Event has one of its own, which begins with it.
  const lamp = await client.create(Lamp, { metadata: { namespace, name: `l${"a".repeat(252)}` }, spec: { level: 1 } });
  await eventually("a reconcile", () => runs > 0);
  for (const level of [2, 3, 4]) {
    const before = runs;
    await client.patch(lamp, { spec: { level } }, { unconditional: true });
    await eventually("another reconcile", () => runs > before);
  }
  await running[Symbol.asyncDispose]();
  assert.deepEqual(complaints(running.lines), []);

  const events = (await client.list(Event, { namespace })).toSorted((a, b) =>
    (a.reason ?? "").localeCompare(b.reason ?? ""),
  );
  assert.deepEqual(
    events.map(({ type, reason, action, reportingController, regarding }) => [
      type,
      reason,
      action,
      reportingController,
      regarding?.uid,
    ]),
    [
      ["Normal", "Blinked", "Blink", "farwatch.dev/lamp", lamp.metadata.uid],
      ["Warning", "Dim", "Blink", "farwatch.dev/lamp", lamp.metadata.uid],
    ],
  );
  const [blinked, dim] = events;
  assert.equal(blinked?.note, "The lamp blinked");
  assert.equal(blinked?.series?.count, runs);
  assert.match(blinked?.eventTime ?? "", microTime);
  assert.match(blinked?.series?.lastObservedTime ?? "", microTime);
  assert.deepEqual([blinked?.regarding?.kind, blinked?.regarding?.name], ["Lamp", lamp.metadata.name]);
  assert.equal(dim?.series, undefined);
  assert.ok(Buffer.byteLength(dim?.note ?? "") <= 1_024 && dim?.note?.endsWith("…"), dim?.note);
});
