import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";

/** A connection that is open. */
export interface Connection {
  readonly socket: Socket;
  /** Where it comes from, as one sender can have many addresses of IPv6: an address of IPv4, or 64 bits of IPv6. */
  readonly network: string;
  /** Aborts when it closes. A response that waits behind others is not told. */
  readonly closed: AbortSignal;
  /** Requests whose answers it has not got. */
  asked: number;
  /** The last of them; of those before all has come. */
  newest: Pick<IncomingMessage, "complete"> | undefined;
  /** What comes on it is no request any more: it is closed once those that came whole have their answers. */
  isLost: boolean;
}

/** Answers that are still to come for requests that came whole. */
export function owedTo({ asked, newest }: Connection): number {
  return newest?.complete === false ? asked - 1 : asked;
}

/** The connections of a server, in the order in which they came. */
export interface Connections {
  readonly size: number;
  /** Takes one in until it closes. */
  add(socket: Socket): Connection;
  /** By either socket of a connection: with TLS a request has another than the one that was accepted. */
  of(socket: Socket): Connection | undefined;
  /**
   * Who must be closed on, now that one came for whom there is no place: one of the network that has the most, so that
   * nobody can take all places from others; the newcomer itself when no other has more than its own.
   */
  surplus(newcomer: Connection): Connection | undefined;
  [Symbol.iterator](): Iterator<Connection>;
}

/** `most`: how many there are places for. `onChange` is told how many there are. */
export function createConnections(most: number, onChange: (size: number) => void): Connections {
  const open = new Set<Connection>();
  /** A peer that has reset its connection by now has no address any more, and sends no requests. */
  const byPeer = new Map<string, Connection>();
  const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  return {
    get size() {
      return open.size;
    },
    add(socket): Connection {
      const key = keyOf(socket);
      const closing = new AbortController();
      const connection: Connection = {
        socket,
        network: networkOf(socket.remoteAddress ?? ""),
        closed: closing.signal,
        asked: 0,
        newest: undefined,
        isLost: false,
      };
      open.add(connection);
      byPeer.set(key, connection);
      onChange(open.size);
      socket.once("close", () => {
        open.delete(connection);
        // Its port may be another's by now.
        if (byPeer.get(key) === connection) byPeer.delete(key);
        onChange(open.size);
        closing.abort(new Error("the sender has gone"));
      });
      return connection;
    },
    of: (socket) => byPeer.get(keyOf(socket)),
    surplus(newcomer): Connection | undefined {
      if (open.size <= most) return undefined;
      const there = [...open].filter(({ socket }) => !socket.destroyed);
      if (there.length <= most) return undefined;
      const groups = [...Map.groupBy(there, ({ network }) => network).values()];
      const largest = groups.reduce((one, other) => (other.length > one.length ? other : one));
      const own = groups.find((group) => group.includes(newcomer)) ?? [];
      if (own.length >= largest.length) return newcomer;
      return largest.find(({ asked }) => asked === 0) ?? largest[0];
    },
    [Symbol.iterator]: () => open.values(),
  };
}

/** `::ffff:a.b.c.d` is the address of IPv4 that it stands for. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const between = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...between, ...after].slice(0, 4).join(":");
}
