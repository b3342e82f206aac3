import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { checkTexts } from "../error/given-text.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { answerWithin } from "../flow/answer-within.ts";
import { type CheckpointStore, checkCheckpoint } from "./checkpoint.ts";
import { readProblem } from "./read-problem.ts";
import { checkBounds, checkFunctions, refuseSource } from "./refuse-source.ts";
import { createResumable } from "./resumable-events.ts";
import type { Source, SourceContext } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";
import { checkOptions, declaredBy, type SourceOptions } from "./source-options.ts";
import { checkWebAccess, checkWebUrl, type WebAccess } from "./web-access.ts";
import { openWebSocket } from "./web-socket-connection.ts";

/** Text, or bytes. */
export type WebSocketData = string | Uint8Array;

/** The server's end of a connection. */
export interface WebSocketPeer {
  /** The subprotocol that the server chose; `""` for none. */
  readonly protocol: string;
  /**
   * Behind which the server is to go on: what `placeOf` said of the last message, or the checkpoint; undefined at the
   * very beginning.
   */
  readonly place: string | undefined;
  /** Sent in this order. What cannot be sent is the end of the connection. */
  send(data: WebSocketData): void;
}

export interface WebSocketSourceOptions<T> extends WebAccess, SourceOptions {
  /** ws or wss. */
  readonly url: string;
  /** Subprotocols, of which the server must choose one; default: none. */
  readonly protocols?: readonly string[] | undefined;
  /**
   * Called when a connection is there, to subscribe, and to say where to go on. A throw ends the connection, and so do
   * 30 s without an end of it.
   */
  readonly onOpen?: ((peer: WebSocketPeer, ctx: SourceContext) => void | Promise<void>) | undefined;
  /**
   * What the event carries; undefined: it is none, such as an answer to a subscription. May answer through the peer. A
   * throw is logged and counted, and the message left out. Default: the message.
   */
  readonly read?: ((data: WebSocketData, peer: WebSocketPeer) => T | undefined) | undefined;
  /** The place behind a message, where it says one; asked before `read`. */
  readonly placeOf?: ((data: WebSocketData) => string | undefined) | undefined;
  /** Where the last place is kept before which all was worked on; needs `placeOf`. */
  readonly checkpoint?: CheckpointStore | undefined;
  /** A message that is larger fails the source; default 1 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * The server is asked so often whether it is there; one that has not answered by the next time is gone. Default 30 s.
   */
  readonly pingEvery?: Duration | undefined;
  /** Events that may be under way and not worked on; beyond it nothing is read; default 1,000. */
  readonly maxUnacknowledged?: number | undefined;
  /** Default: `websocket-<host>`. */
  readonly name?: string | undefined;
}

/** Until `onOpen` has ended no message is read, and nothing else would say so. */
const openMs = 30_000;

/**
 * The messages of a WebSocket (RFC 6455) as events.
 *
 * - Delivery: with a checkpoint at least once, as far back as the server can go on; without one at most once: what it
 *   sends while nobody listens, and does not send again when `onOpen` asks for it, is lost.
 * - Durability: without a checkpoint `process`; this process goes on behind the last message that it read, if `placeOf`
 *   tells. With one `origin`: `onOpen` is given the place before which all events were worked on, which is written
 *   after that.
 * - Overflow: `wait`. Back pressure: while a message is not taken the socket is not read; what came with it in one
 *   piece waits here.
 * - Connections: one that ends, in whatever way, is a failure of the source, with the code of its closing: it is opened
 *   again with backoff.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: `headers`, read before each connection; a client certificate; `onOpen`.
 * - Bounds: messages of 1 MiB, uncompressed; redirects are not followed; `connectPolicy` is asked about every address.
 *
 * Needs the package ws. Its sockets are not the clock's: in virtual time nothing comes through them by itself.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `MissingDependency`, `ConnectionFailed`,
 *   `ProtocolError`, `WatchSilent`, and by status `Unauthorized`, `Forbidden`, `NotFound`, `Gone`, `TooManyRequests`,
 *   `ServerUnavailable`.
 * @example
 * watch(
 *   webSocketSource({
 *     url: "wss://exchange.test/feed",
 *     onOpen: ({ send, place }) => send(JSON.stringify({ subscribe: "orders", after: place })),
 *     placeOf: (data) => JSON.parse(String(data)).sequence,
 *     read: (data) => JSON.parse(String(data)).order,
 *   }),
 *   enqueueRequestsFromMapFunc((order) => [{ namespace: "default", name: order }]),
 * );
 */
export function webSocketSource<T = WebSocketData>(options: WebSocketSourceOptions<T>): Source<T> {
  checkOptions("websocket", options);
  const { checkpoint, placeOf, onOpen, maxMessageBytes = 1_048_576, protocols = [], maxUnacknowledged } = options;
  const { host } = checkWebUrl(options.url, options.name ?? "websocket", ["ws", "wss"]);
  const declared = declaredBy(options, `websocket-${host}`);
  const doing = `make source ${declared.name}`;
  const pingEveryMs = givenMs(options.pingEvery ?? "30s", { doing, what: "pingEvery" });
  checkWebAccess(declared.name, options);
  checkCheckpoint(declared.name, checkpoint);
  checkBounds(declared.name, { maxMessageBytes, maxUnacknowledged });
  checkFunctions(declared.name, { read: options.read, placeOf, onOpen });
  if (options.protocols !== undefined && protocols.length !== 0)
    checkTexts(protocols, { doing, what: "protocols", give: "a list of names, or leave it out" });
  if (checkpoint !== undefined && placeOf === undefined) {
    refuseSource(declared.name, "it has a checkpoint, but no placeOf that says what to write there");
  }
  // Without `read` T is WebSocketData, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? ((data: WebSocketData): T => data as unknown as T);
  const resumable = createResumable<T>(checkpoint);

  async function* events(ctx: SourceContext): AsyncGenerator<GenericEvent<T>, void, undefined> {
    const { name, clock, log, health } = ctx;
    const counted = createSourceMetrics(ctx.metrics);
    yield* resumable.read(ctx, async (to, signal) => {
      const opening = { ...options, source: name, protocols, maxMessageBytes, pingEveryMs, clock, signal };
      await using connection = await openWebSocket(opening);
      const peer: WebSocketPeer = {
        protocol: connection.protocol,
        get place() {
          return to.place;
        },
        send: (data) => connection.send(data),
      };
      const how = { clock, signal, withinMs: openMs, of: "onOpen" };
      if (onOpen !== undefined) await answerWithin((asking) => onOpen(peer, { ...ctx, signal: asking }), how);
      health.serving();
      for (;;) {
        const data = await connection.next(signal);
        let place: string | undefined;
        let value: T | undefined;
        try {
          place = placeOf?.(data);
          value = read(data, peer);
        } catch (error) {
          counted.deadLetter(name);
          log.error("Cannot read a message: it is left out", { problem: readProblem(error) });
        }
        if (value !== undefined) await to.send(value, place);
        else if (place !== undefined) to.passTo(place);
      }
    });
  }

  return {
    ...declared,
    delivery: checkpoint === undefined ? "atMostOnce" : "atLeastOnce",
    durability: checkpoint === undefined ? "process" : "origin",
    overflow: "wait",
    maxUnacknowledged,
    connects: true,
    events,
  };
}
