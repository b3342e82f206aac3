import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { heardSource, type Listener } from "./heard-source.ts";

function setUp(capacity?: number) {
  const [clock, log, metrics] = [createVirtualClock(), createRecordingLogger(), createMetrics()];
  const opened: Listener<string>[] = [];
  let open = 0;
  const source = heardSource<string, number>(
    { capacity },
    {
      name: "radio",
      read: JSON.parse,
      describe: (text) => ({ length: text.length }),
      async open(_, listening) {
        opened.push(listening);
        open += 1;
        return {
          async [Symbol.asyncDispose](): Promise<void> {
            open -= 1;
          },
        };
      },
    },
  );
  const end = new AbortController();
  const ctx = createScriptedHub({ clock, log, metrics }).context(end.signal, source.name);
  const dropped = () =>
    metrics
      .counter({ name: "farwatch_source_dropped_events_total", help: "", labelNames: ["source", "watch"] })
      .read({ source: "radio", watch: "*" });
  return {
    clock,
    log,
    opened,
    end,
    dropped,
    isOpen: () => open > 0,
    stream: () => source.events(ctx)[Symbol.asyncIterator](),
  };
}

test("heardSource tells all that was heard before it fails with what its connection was lost by, and closes it", async () => {
  const { clock, log, opened, isOpen, stream } = setUp();
  const events = stream();
  const first = events.next();
  await clock.settle();
  const [listening] = opened;
  for (const text of ["1", "{", "2"]) listening?.heard(text);
  listening?.lost(new Error("the server is gone"));
  assert.deepEqual((await first).value, { type: "generic", object: 1 });
  assert.deepEqual((await events.next()).value, { type: "generic", object: 2 });
  assert.deepEqual(
    log.lines.map(({ fields }) => fields.length),
    [1],
  );
  await assert.rejects(events.next(), /the server is gone/);
  assert.equal(isOpen(), false);
});

test("heardSource drops the oldest, counts it, and keeps the others for its next opening", async () => {
  const { clock, opened, end, dropped, isOpen, stream } = setUp(2);
  const events = stream();
  const first = events.next();
  await clock.settle();
  opened[0]?.heard("0");
  assert.equal((await first).value?.object, 0);
  for (const text of ["1", "2", "3"]) opened[0]?.heard(text);
  assert.equal(dropped(), 1);
  await events.return?.();
  assert.equal(isOpen(), false);
  const again = stream();
  assert.deepEqual([(await again.next()).value?.object, (await again.next()).value?.object], [2, 3]);
  const last = again.next();
  end.abort();
  assert.equal((await last).done, true);
  assert.equal(isOpen(), false);
});

test("heardSource refuses a capacity that is none", () => {
  for (const capacity of [0, 1.5, Number.NaN]) assert.throws(() => setUp(capacity), { code: "InvalidOption" });
});
