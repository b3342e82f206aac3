import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { contains, formatIp, masked, parseCidr, parseIp } from "./network.ts";

test("formatIp gives the canonical text of RFC 5952", () => {
  const texts: Readonly<Record<string, string>> = {
    "2001:DB8:0:0:0:0:0:1": "2001:db8::1",
    "::": "::",
    "1:0:0:2:0:0:0:3": "1:0:0:2::3",
    "1:0:2:3:4:5:6:7": "1:0:2:3:4:5:6:7",
    "10.0.0.1": "10.0.0.1",
  };
  for (const [text, canonical] of Object.entries(texts)) {
    const ip = parseIp(text);
    assert.ok(ip);
    assert.equal(formatIp(ip), canonical);
  }
});

test("parseIp takes neither zones nor IPv4 addresses within IPv6 ones", () => {
  for (const text of ["fe80::1%eth0", "::ffff:1.2.3.4", "1.2.3", "a", "01.2.3.4"])
    assert.equal(parseIp(text), undefined);
});

test("parseIp reads what formatIp writes", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (number) => {
      if (number >> 32n === 0xffffn) return;
      assert.deepEqual(parseIp(formatIp({ bits: 128, number })), { bits: 128, number });
    }),
  );
});

test("a network contains its addresses and no others", () => {
  const cidr = parseCidr("10.1.2.3/8");
  const [inside, outside] = [parseIp("10.255.0.1"), parseIp("11.0.0.1")];
  assert.ok(cidr && inside && outside);
  assert.deepEqual([contains(cidr, inside), contains(cidr, outside)], [true, false]);
  assert.equal(formatIp(masked(cidr)), "10.0.0.0");
});
