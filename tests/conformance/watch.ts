import { type Duration, systemClock } from "farwatch";
import type { HttpResponse } from "./exchange.ts";
import type { Json } from "./transcript.ts";

/** A watch under way. Its events are kept until they are read, and recorded when they are. */
export interface Watch {
  /** Waits for that many more events and records them. */
  events(count: number, options?: EventOptions): Promise<readonly WatchEvent[]>;
  /** Waits until the server ends the watch; records the events before it. */
  end(options?: EventOptions): Promise<readonly WatchEvent[]>;
  /** Hangs up. */
  close(): void;
  /** The status with which the server refused it. */
  readonly refused: number | undefined;
}

export interface EventOptions {
  /** What is recorded in place of each normalised event. */
  readonly view?: (event: WatchEvent) => unknown;
}

export interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: as an answer's body
  readonly object: any;
}

export interface HeardOfWatch extends EventOptions {
  readonly events?: readonly Json[];
  readonly ended?: true;
  /** Of a refusal. */
  readonly body?: string;
}

interface WatchOptions {
  readonly response: HttpResponse;
  readonly record: (heard: HeardOfWatch) => void;
  readonly close: () => void;
}

/** How long events are awaited. */
const patience: Duration = "20s";

/** A refused watch is recorded at once, as an answer; it has no events. */
export async function openWatch({ response, record, close }: WatchOptions): Promise<Watch> {
  if (response.status !== 200) {
    let body = "";
    for await (const part of response.body) body += Buffer.from(part).toString("utf8");
    record({ body });
    const refused = async (): Promise<never> => {
      throw new Error(`The watch was refused: ${response.status} ${body}`);
    };
    return { events: refused, end: refused, close, refused: response.status };
  }
  const lines = linesOf(response.body)[Symbol.asyncIterator]();
  /** Reads until there are as many, or the watch ends. */
  const read = async (events: Json[], most: number): Promise<"enough" | "ended"> => {
    using limit = systemClock.timeout(patience);
    limit.addEventListener("abort", close);
    try {
      while (events.length < most) {
        const { value, done } = await lines.next();
        if (done) return "ended";
        events.push(JSON.parse(value) as Json);
      }
      return "enough";
    } catch (cause) {
      if (!limit.aborted) throw cause;
      const came = JSON.stringify(events).slice(0, 2_000);
      const awaited = most === Number.POSITIVE_INFINITY ? "its end" : `${most} events`;
      throw new Error(`The watch had ${awaited} to show within ${patience}, and these came: ${came}`, { cause });
    }
  };
  return {
    async events(count, options) {
      const events: Json[] = [];
      const state = await read(events, count);
      record({ events, ...(state === "ended" && { ended: true }), ...options });
      if (state === "enough") return events as unknown as readonly WatchEvent[];
      throw new Error(`The watch ended after ${events.length} events, and ${count} were awaited`);
    },
    async end(options) {
      const events: Json[] = [];
      await read(events, Number.POSITIVE_INFINITY);
      record({ events, ended: true, ...options });
      return events as unknown as readonly WatchEvent[];
    },
    close,
    refused: undefined,
  };
}

export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
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
