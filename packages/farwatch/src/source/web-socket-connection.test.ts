import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { openWebSocket } from "./web-socket-connection.ts";

/** A connection whose headers do not come. */
function opening() {
  const clock = createVirtualClock();
  const end = new AbortController();
  const connection = openWebSocket({
    source: "feed",
    url: "ws://feed.test/",
    protocols: [],
    maxMessageBytes: 1_024,
    pingEveryMs: 30_000,
    headers: () => new Promise(() => {}),
    clock,
    signal: end.signal,
  });
  return { clock, end, connection };
}

test("openWebSocket waits for headers that do not come for 30 s, as for its server", async () => {
  const { clock, connection } = opening();
  const refused = assert.rejects(connection, (error) => isCodedError(error, "Timeout"));
  await clock.settle();
  await clock.advance("30s");
  await refused;
  assert.equal(clock.pendingTimers, 0);
});

test("openWebSocket waits for headers that do not come no longer than its source is open", async () => {
  const { clock, end, connection } = opening();
  const reason = new Error("this replica leads no more");
  const refused = assert.rejects(connection, reason);
  await clock.settle();
  end.abort(reason);
  await refused;
  assert.equal(clock.pendingTimers, 0);
});
