import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { listen, tcp } from "../transport/loopback-servers.fixture.ts";
import { createOwnSockets } from "./own-sockets.ts";

test("own sockets are those that are opened in their course, at once and later, and no others", async () => {
  await using server = await listen(tcp(() => {}));
  const start = (): Socket => connect(server.port, "127.0.0.1").on("error", () => {});
  const open = async (): Promise<Socket> => {
    const socket = start();
    await once(socket, "connect");
    return socket;
  };
  const [mine, theirs] = [createOwnSockets(), createOwnSockets()];
  const go = Promise.withResolvers<void>();
  const first = await mine.during(open);
  const later = mine.during(async () => {
    await go.promise;
    const socket = start();
    await once(socket, "close");
    return socket;
  });
  const other = await theirs.during(open);
  const nobodys = await open();
  mine.destroy();
  go.resolve();
  assert.deepEqual(
    [first, await later, other, nobodys].map(({ destroyed }) => destroyed),
    [true, true, false, false],
  );
  theirs.destroy();
  nobodys.destroy();
});
