import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { brokerSource } from "./broker-source.ts";

const stream = { name: "orders", async *events() {} };

test("broker source declares what every broker gives", () => {
  const { events: _events, ...declared } = brokerSource({}, stream);
  assert.deepEqual(declared, {
    name: "orders",
    numbered: true,
    delivery: "atLeastOnce",
    durability: "origin",
    overflow: "wait",
    maxUnacknowledged: 1_000,
    needLeaderElection: undefined,
    critical: false,
    connects: true,
  });
  const { name, numbered, maxUnacknowledged } = brokerSource({ name: "mine", maxUnacknowledged: 5 }, stream);
  assert.deepEqual([name, numbered, maxUnacknowledged], ["mine", false, 5]);
});

test("broker source refuses bounds that are none", () => {
  for (const options of [{ maxUnacknowledged: 0 }, { maxDeliveries: 1.5 }, { maxDeliveries: Number.NaN }]) {
    assert.throws(
      () => brokerSource(options, stream),
      (error) => isCodedError(error, "InvalidOption") && error.message.startsWith("Cannot make source orders: max"),
    );
  }
});
