import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { parseDelivery } from "./jetstream-delivery.ts";

test("JetStream delivery is read from the reply of servers old and new", () => {
  const old = "$JS.ACK.orders.farwatch.3.17.21.1796038681441654814.5";
  const expected = { deliveries: 3, sequence: 17, storedMs: 1_796_038_681_441 };
  assert.deepEqual(parseDelivery(old), { reply: old, ...expected });
  for (const more of ["", ".random", ".random.more"]) {
    const reply = `$JS.ACK.hub.ACCOUNT.orders.farwatch.3.17.21.1796038681441654814.5${more}`;
    assert.deepEqual(parseDelivery(reply), { reply, ...expected });
  }
});

test("JetStream delivery is refused where a reply says none", () => {
  const strange = [
    undefined,
    "",
    "_INBOX.a.b",
    "$JS.ACK.orders.farwatch.3.17.21.1796038681441654814",
    "$JS.ACK.orders.farwatch.0.17.21.1796038681441654814.5",
    "$JS.ACK.orders.farwatch.x.17.21.1796038681441654814.5",
    "$JS.ACK.orders.farwatch.3.17.21.now.5",
    "$KV.ACK.orders.farwatch.3.17.21.1796038681441654814.5",
  ];
  for (const reply of strange) {
    assert.throws(
      () => parseDelivery(reply),
      (error) => isCodedError(error, "ProtocolError"),
    );
  }
});
