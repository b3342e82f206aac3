import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { classifyAddress } from "./address-class.ts";

test("address class knows what nobody may reach, what must be allowed, and what is open", () => {
  const expected = {
    forbidden: [
      ...["169.254.0.1", "169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200"],
      ...["fe80::1", "fe80::1%eth0", "febf::1", "fd00:ec2::23", "fd00:ec2::254", "fd20:ce::254"],
      // The same addresses inside of IPv6 ones.
      ...[
        "::ffff:169.254.169.254",
        "::ffff:a9fe:a9fe",
        "::ffff:0:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "::169.254.169.254",
      ],
      ...[
        "64:ff9b:1::169.254.169.254",
        "64:ff9b:1:a9fe:a9:fe00::",
        "2002:a9fe:a9fe::1",
        "2001:0:4136:e378:8000:63bf:5601:5601",
      ],
      ...["", "localhost", "1.2.3", "0x7f000001"],
    ],
    private: [
      ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.168.1.1"],
      ...["192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "255.255.255.255"],
      ...[
        "::",
        "::1",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "fec0::1",
        "2001:db8::1",
        "2002:808:808::1",
        "3fff::1",
        "100::1",
      ],
      ...["::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
    ],
    public: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "169.253.255.255", "2606:4700::1111", "2a00:1450:4001::200e"],
  };
  for (const [found, addresses] of Object.entries(expected)) {
    for (const address of addresses) assert.equal(classifyAddress(address), found, address);
  }
});

test("address class is the same for every way to write an address", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const long = groups.map((each) => each.toString(16).toUpperCase().padStart(4, "0")).join(":");
      const canonical = new URL(`http://[${long}]/`).hostname.slice(1, -1);
      assert.equal(classifyAddress(long), classifyAddress(canonical));
    }),
  );
});

test("address class never opens an address that carries a forbidden one", () => {
  const forbidden = fc
    .tuple(fc.nat(255), fc.nat(255))
    .map(([a, b]) => ((169 << 24) | (254 << 16) | (a << 8) | b) >>> 0);
  const hex = (value: number): string => value.toString(16);
  fc.assert(
    fc.property(forbidden, (bits) => {
      const [high, low] = [bits >>> 16, bits & 0xffff];
      for (const prefix of ["::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "::"]) {
        assert.equal(classifyAddress(`${prefix}${hex(high)}:${hex(low)}`), "forbidden");
      }
      assert.equal(classifyAddress(`2002:${hex(high)}:${hex(low)}::1`), "forbidden");
    }),
  );
});
