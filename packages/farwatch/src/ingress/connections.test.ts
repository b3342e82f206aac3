import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { createConnections } from "./connections.ts";

let port = 0;
function socketFrom(remoteAddress: string): Socket {
  port += 1;
  return Object.assign(new Duplex(), { remoteAddress, remotePort: port }) as unknown as Socket;
}

test("connections of one sender give way to others, whichever of its addresses it uses", () => {
  for (const [sender, other] of [
    [["2001:db8::1", "2001:db8::2:1", "2001:db8:0:0:1:2:3:4"], "2001:db8:0:1::1"],
    [["fe80::1", "fe80::2", "fe80::3%eth0"], "::1"],
    [["::ffff:192.0.2.1", "192.0.2.1", "::FFFF:192.0.2.1"], "::ffff:192.0.2.2"],
    [["1:2:3:4::", "1:2:3:4:5:6:7:8", "1:2:3:4::8"], "1:2:3::8"],
  ] as const) {
    const connections = createConnections(3, () => {});
    const [first] = sender.map((address) => connections.add(socketFrom(address)));
    const newcomer = connections.add(socketFrom(other));
    assert.equal(connections.surplus(newcomer), first, other);
  }
});

test("connections that wait for no answer give way first, and none that is closed already", () => {
  const connections = createConnections(3, () => {});
  const all = [1, 2, 3].map(() => connections.add(socketFrom("192.0.2.1")));
  const [first, second, third] = all;
  for (const connection of all) connection.asked = 1;
  if (second !== undefined) second.asked = 0;
  assert.equal(connections.surplus(connections.add(socketFrom("192.0.2.2"))), second);
  second?.socket.destroy();
  const last = connections.add(socketFrom("192.0.2.3"));
  assert.equal(connections.surplus(last), first);
  first?.socket.destroy();
  assert.equal(connections.surplus(last), undefined);
  assert.equal(connections.of({ ...third?.socket } as Socket), third);
});

test("connections are those that are open", () => {
  const sizes: number[] = [];
  const connections = createConnections(3, (size) => sizes.push(size));
  const one = connections.add(socketFrom("192.0.2.1"));
  const two = connections.add(socketFrom("192.0.2.1"));
  one.socket.emit("close");
  assert.deepEqual([...connections], [two]);
  assert.deepEqual(sizes, [1, 2, 1]);
  assert.deepEqual([one.closed.aborted, two.closed.aborted], [true, false]);
  const gone = [1, 2].map(() => connections.add(Object.assign(new Duplex()) as unknown as Socket));
  assert.deepEqual([...connections], [two, ...gone], "who has no address any more is closed on like others");
});
