import assert from "node:assert/strict";
import { connect, Socket } from "node:net";
import { test } from "node:test";
import { connectToFirst } from "./connect.ts";
import { createHttpTransport } from "./http-transport.ts";
import { failure, http1, listen, manualClock, rejection, text } from "./loopback-servers.fixture.ts";
import type { ConnectAddress, ConnectPolicy } from "./transport.ts";

const refusal = new Error("address refused");

/** Refuses these addresses, and keeps what it was asked. */
function refusing(...ips: readonly string[]): { readonly asked: ConnectAddress[]; readonly policy: ConnectPolicy } {
  const asked: ConnectAddress[] = [];
  return {
    asked,
    policy(address): void {
      asked.push(address);
      if (ips.includes(address.ip)) throw refusal;
    },
  };
}

test("connect policy is asked about the address that is connected to, which is what the name resolved to this time", async () => {
  await using server = await listen(http1((request, response) => response.end(request.headers.host)));
  const answers = [["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1"]];
  await using transport = createHttpTransport({ lookup: async () => answers.shift() ?? [] });
  const { policy, asked } = refusing("169.254.169.254");
  const get = (): Promise<string> =>
    transport
      .request({ method: "GET", url: `http://rebound.example:${server.port}/`, connectPolicy: policy, keepAlive: 0 })
      .then(text);
  assert.equal(await get(), `rebound.example:${server.port}`);
  assert.equal(await rejection(get()), refusal);
  assert.equal(server.accepted, 1);
  assert.equal(await get(), `rebound.example:${server.port}`);
  const { port } = server;
  assert.deepEqual(
    asked,
    ["127.0.0.1", "169.254.169.254", "127.0.0.1"].map((ip) => ({ ip, port, host: "rebound.example", proxy: false })),
  );
});

test("connect policy is asked about addresses in the URL too, in every spelling", async () => {
  await using server = await listen(http1((_request, response) => response.end()));
  await using transport = createHttpTransport();
  for (const host of ["127.0.0.1", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"]) {
    const { policy, asked } = refusing("127.0.0.1", "::1", "::ffff:7f00:1");
    const asking = transport.request({ method: "GET", url: `http://${host}:${server.port}/`, connectPolicy: policy });
    assert.equal(await rejection(asking), refusal);
    assert.equal(asked.length, 1, host);
  }
  assert.equal(server.accepted, 0);
});

test("connect passes over addresses that are refused or do not answer, and alternates families", async () => {
  await using server = await listen(http1((_request, response) => response.end("ok")));
  await using transport = createHttpTransport({
    lookup: async () => ["127.0.0.2", "127.0.0.3", "127.0.0.1", "::1"],
  });
  const { policy, asked } = refusing("127.0.0.3", "::1");
  const response = await transport.request({
    method: "GET",
    url: `http://several.example:${server.port}/`,
    connectPolicy: policy,
  });
  assert.equal(await text(response), "ok");
  assert.deepEqual(
    asked.map(({ ip }) => ip),
    ["127.0.0.2", "::1", "127.0.0.3", "127.0.0.1"],
  );
});

test("connect rejects with the system's error when an address that the policy allows does not answer", async () => {
  const closed = await listen(http1(() => {}));
  await closed.close();
  await using transport = createHttpTransport({ lookup: async () => ["127.0.0.1", "169.254.169.254"] });
  const { policy } = refusing("169.254.169.254");
  const url = `http://half.example:${closed.port}/`;
  const error = await failure(transport.request({ method: "GET", url, connectPolicy: policy }));
  assert.deepEqual([error.phase, error.systemCode], ["connect", "ECONNREFUSED"]);
});

test("connect says so when a name has no address", async () => {
  await using transport = createHttpTransport({ lookup: async () => [] });
  const error = await failure(transport.request({ method: "GET", url: "http://empty.example/" }));
  assert.equal(error.message, "Cannot connect to empty.example:80: the name has no address");
});

test("connect tries the next address beside one that is silent, and gives up the loser", async () => {
  await using server = await listen(http1(() => {}));
  const clock = manualClock();
  const opened: Socket[] = [];
  const { policy, asked } = refusing();
  const connecting = connectToFirst({
    endpoint: { secure: false, host: "slow.example", port: server.port, name: `slow.example:${server.port}` },
    addresses: ["127.0.0.2", "127.0.0.1"],
    policy,
    isProxy: false,
    clock,
    signal: new AbortController().signal,
    open(ip, port): Socket {
      // A socket that is never told to connect is as silent as an address that drops packets.
      const socket = ip === "127.0.0.2" ? new Socket() : connect(port, ip);
      opened.push(socket);
      return socket;
    },
    failed: (error) => new Error("failed", { cause: error }),
  });
  assert.equal(asked.length, 1);
  clock.fire(250);
  const socket = await connecting;
  assert.equal(socket, opened[1]);
  assert.deepEqual(
    asked.map(({ ip }) => ip),
    ["127.0.0.2", "127.0.0.1"],
  );
  assert.equal(opened[0]?.destroyed, true);
  assert.deepEqual(clock.armed, []);
  socket.destroy();
});

test("connections are not shared by requests with another policy or none", async () => {
  await using server = await listen(http1((_request, response) => response.end()));
  await using transport = createHttpTransport();
  const get = { method: "GET", url: `http://${server.host}/` } as const;
  await text(await transport.request(get));
  const { policy, asked } = refusing();
  await text(await transport.request({ ...get, connectPolicy: policy }));
  await text(await transport.request({ ...get, connectPolicy: policy }));
  assert.equal(asked.length, 1);
  const { policy: strict } = refusing("127.0.0.1");
  assert.equal(await rejection(transport.request({ ...get, connectPolicy: strict })), refusal);
  assert.equal(server.accepted, 2);
});
