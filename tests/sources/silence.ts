import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import type { Source } from "farwatch";
import { eventually } from "../eventually.ts";
import { listenOnLoopback } from "../loopback-server.ts";
import { type OpenedSource, openSource, workOn } from "./opened-source.ts";

/** A source of numbers, and the server that it reads. */
export interface SilencedSource extends AsyncDisposable {
  readonly source: Source<number>;
  /** Keeps connections and answers nothing, as a frozen process or a cut network, until `resume`. */
  readonly server: { pause(): void; resume(): void | Promise<void> };
  /** Resolves when the server has it, and the source will be told of it. */
  publish(number: number): Promise<void>;
}

export interface Silence {
  /** Begins the name of each test. */
  readonly name: string;
  readonly skip: string | false;
  create(): Promise<SilencedSource>;
  /** The same source for a server on this port of 127.0.0.1. */
  at(port: number): Source<number>;
}

/** Accepts connections, reads what they say, and answers nothing. */
async function startMuteServer() {
  const sockets = new Set<Socket>();
  const connected = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
    connected.resolve();
  });
  const loopback = await listenOnLoopback(server);
  return {
    ...loopback,
    connected: connected.promise,
    get open() {
      return sockets.size;
    },
  };
}

function assertClosedInTime({ warnings }: OpenedSource<number>): void {
  const late = warnings.filter(({ message }) => message.startsWith("Source did not close within its grace"));
  assert.deepEqual(late, []);
}

/** Registers the tests of what a server does to a source that keeps its connections and answers nothing, as one that is frozen or cut off. */
export function toleratesSilence({ name, skip, create, at }: Silence): void {
  // It waits longer than all other tests of most files, and shares no server with them: it goes on beside them.
  const met = skip === false ? meetMuteServer(at) : Promise.resolve();
  const over = Promise.allSettled([met]);
  after(() => over);

  test(`${name} fails when its server falls silent, and reads on when it is back`, { skip }, async () => {
    await using silenced = await create();
    const source = openSource(silenced.source);
    {
      await using _closed = source;
      await silenced.publish(1);
      await workOn(source, [1]);
      silenced.server.pause();
      try {
        await source.failing();
      } finally {
        await silenced.server.resume();
      }
      await silenced.publish(2);
      await workOn(source, [2]);
      assert.equal(source.state.phase, "serving");
    }
    assertClosedInTime(source);
  });

  test(`${name} closes within its grace while its server is silent`, { skip }, async () => {
    await using silenced = await create();
    const source = openSource(silenced.source);
    await silenced.publish(1);
    const { hold } = await source.next();
    silenced.server.pause();
    try {
      hold.done();
      await source[Symbol.asyncDispose]();
    } finally {
      await silenced.server.resume();
    }
    assertClosedInTime(source);
  });

  test(
    `${name} fails when a server takes its connection and never answers, and leaves no connection open`,
    {
      skip,
    },
    () => met,
  );
}

/** Opens the source twice: to close it as soon as it is connected, and to see it fail and try again. */
async function meetMuteServer(at: Silence["at"]): Promise<void> {
  await using mute = await startMuteServer();
  {
    const source = openSource(at(mute.port));
    await mute.connected;
    await source[Symbol.asyncDispose]();
    assertClosedInTime(source);
    await eventually("the connection is closed", () => mute.open === 0);
  }
  const source = openSource(at(mute.port));
  {
    await using _closed = source;
    const phases = new Set<string>();
    await eventually("the source fails", () => phases.add(source.state.phase).has("failing"));
    assert.ok(!phases.has("serving"), "it never was connected");
    await eventually("the source has tried twice", () => source.state.restarts > 0);
    assert.ok(mute.open <= 1, `${mute.open} connections are open at once`);
  }
  await eventually("no connection is open", () => mute.open === 0);
}
