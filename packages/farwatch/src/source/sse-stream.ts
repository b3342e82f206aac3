import type { createParser } from "eventsource-parser";
import { CodedError } from "../error/coded-error.ts";

/** An event as its server sent it. */
export interface SseMessage {
  /** The last id that was sent up to here, `""` when there was none. */
  readonly id: string;
  /** Default of the protocol: `message`. */
  readonly event: string;
  readonly data: string;
}

/** What stands in a stream, in its order. `place`: the id that the server is to be told to go on behind it. */
export type SseItem =
  | { readonly type: "message"; readonly message: SseMessage; readonly place: string | undefined }
  | { readonly type: "place"; readonly place: string }
  | { readonly type: "retry"; readonly ms: number };

/** The events of one connection. */
export interface SseStream {
  /** @throws CodedError `ProtocolError` for an event that is too large; then nothing more can be read. */
  items(chunk: Uint8Array): readonly SseItem[];
}

export interface SseStreamOptions {
  readonly createParser: typeof createParser;
  readonly maxEventBytes: number;
  /** The last id of the connection before. */
  readonly lastId: string | undefined;
  readonly doing: string;
}

/** Longer ids fit into no header of a request. */
const longestId = 4_096;

/** Reads `text/event-stream` (WHATWG HTML §9.2.6). Comments are left out. */
export function createSseStream({ createParser, maxEventBytes, lastId, doing }: SseStreamOptions): SseStream {
  const utf8 = new TextDecoder();
  let id = lastId ?? "";
  let found: SseItem[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventBytes,
    onId(next): void {
      id = next;
      if (isSendable(next)) found.push({ type: "place", place: next });
    },
    onEvent({ id: own, event = "message", data }): void {
      isTooLarge ||= Buffer.byteLength(data) > maxEventBytes;
      const before = found.at(-1);
      // The id of an event is told right before it, and is a place only behind it.
      if (before?.type === "place" && before.place === own) found.pop();
      const place = own !== undefined && isSendable(own) ? own : undefined;
      found.push({ type: "message", message: { id, event, data }, place });
    },
    onRetry: (ms) => found.push({ type: "retry", ms }),
    onError({ type }): void {
      isTooLarge ||= type === "max-buffer-size-exceeded";
    },
  });
  return {
    items(chunk): readonly SseItem[] {
      parser.feed(utf8.decode(chunk, { stream: true }));
      if (isTooLarge) {
        throw new CodedError(
          "ProtocolError",
          `Cannot ${doing}: an event is larger than the ${maxEventBytes} bytes that are read at most; raise maxEventBytes if that is right`,
        );
      }
      const items = found;
      found = [];
      return items;
    },
  };
}

/** Whether it may stand in `Last-Event-ID`: control characters may not, and end the connection before it is made. */
function isSendable(id: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones.
  return id.length <= longestId && !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(id);
}
