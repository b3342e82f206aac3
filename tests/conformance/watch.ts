import type { HttpResponse } from "./exchange.ts";
import type { Json } from "./transcript.ts";

/** A watch under way. Its events are kept until they are read, and recorded when they are. */
export interface Watch {
  /** Waits for that many more events and records them. */
  events(count: number): Promise<readonly WatchEvent[]>;
  /** Waits until the server ends the watch; records the events before it. */
  end(): Promise<readonly WatchEvent[]>;
  /** Hangs up. */
  close(): void;
}

export interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: as an answer's body
  readonly object: any;
}

interface WatchOptions {
  readonly response: HttpResponse;
  readonly record: (entry: { events?: readonly Json[]; ended?: true; body?: string }) => void;
  readonly close: () => void;
}

/** A refused watch is recorded at once, as an answer; it has no events. */
export async function openWatch({ response, record, close }: WatchOptions): Promise<Watch> {
  if (response.status !== 200) {
    let body = "";
    for await (const part of response.body) body += Buffer.from(part).toString("utf8");
    record({ body });
    const refused = async (): Promise<never> => {
      throw new Error(`The watch was refused: ${response.status} ${body}`);
    };
    return { events: refused, end: refused, close };
  }
  const lines = linesOf(response.body)[Symbol.asyncIterator]();
  const next = async (): Promise<Json | undefined> => {
    const { value, done } = await lines.next();
    return done ? undefined : (JSON.parse(value) as Json);
  };
  return {
    async events(count) {
      const events: Json[] = [];
      while (events.length < count) {
        const event = await next();
        if (event === undefined) {
          record({ events, ended: true });
          throw new Error(`The watch ended after ${events.length} events, and ${count} were awaited`);
        }
        events.push(event);
      }
      record({ events });
      return events as unknown as readonly WatchEvent[];
    },
    async end() {
      const events: Json[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      record({ events, ended: true });
      return events as unknown as readonly WatchEvent[];
    },
    close,
  };
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of body) {
    rest += decoder.decode(part, { stream: true });
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
  }
  if (rest !== "") yield rest;
}
