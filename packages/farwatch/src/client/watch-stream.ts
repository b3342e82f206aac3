import { CodedError } from "../error/coded-error.ts";
import type { KubeObject, Status } from "../wire/object.ts";
import { withoutManagedFields } from "./managed-fields.ts";
import type { RestClient } from "./rest-client.ts";

/** What a BOOKMARK carries: how far the stream has come, and nothing else. */
export interface Bookmark {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** One line of a watch. */
export type WatchEvent<O extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: O }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark }
  | { readonly type: "ERROR"; readonly object: Status };

export interface WatchRequest {
  /** Of the collection: `/api/v1/namespaces/a/secrets`. */
  readonly path: string;
  /** Beside `watch=true`. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly accept?: string | undefined;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** What is done to what, for errors: `watch storagebuckets`. */
  readonly doing: string;
  /** A longer line is refused; default 32 MiB, which no object of an API server reaches. */
  readonly maxLineBytes?: number | undefined;
}

const defaultMaxLineBytes = 32 * 1024 * 1024;

/**
 * Opens one watch. Resolves when the server has accepted it, with its events in order: one array for each chunk of
 * bytes that arrived, empty when it completed no event, so that the reader sees every sign of life and pays one promise
 * a chunk. The iteration ends when the server ends the stream; a last line that was cut off is dropped, since the next
 * watch brings it again. ERROR events are handed on like any other; managedFields are not.
 *
 * @throws StatusError, TransportError or the signal's reason, from here or from the iteration; CodedError
 * `ProtocolError` from the iteration when a line is no watch event or too long.
 */
export async function openWatch<O extends KubeObject>(
  rest: RestClient,
  request: WatchRequest,
): Promise<AsyncIterable<readonly WatchEvent<O>[]>> {
  const { path, query, accept, signal, doing, maxLineBytes = defaultMaxLineBytes } = request;
  const response = await rest.request({
    method: "GET",
    path,
    query: { ...query, watch: "true" },
    accept,
    signal,
    doing,
    streaming: true,
  });
  return decodeEvents<O>(response.body, { doing, maxLineBytes });
}

interface DecodeOptions {
  readonly doing: string;
  readonly maxLineBytes: number;
}

async function* decodeEvents<O extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<readonly WatchEvent<O>[], void, undefined> {
  const rest = createRemainder(options);
  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const events: WatchEvent<O>[] = [];
    let start = 0;
    // Lines are found in the bytes: a newline byte is never part of a longer character, while a decoded chunk could
    // hold half of one.
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = rest.size === 0 ? chunk.toString("utf8", start, end) : rest.join(chunk.subarray(start, end));
      start = end + 1;
      if (line.trimEnd() !== "") events.push(decodeEvent<O>(line, options.doing));
    }
    if (start < chunk.byteLength) rest.keep(chunk.subarray(start));
    yield events;
  }
}

const newline = 0x0a;

/**
 * The beginning of a line whose end has not arrived. Grows by doubling, so that tiny chunks do not copy it again and
 * again.
 */
interface Remainder {
  readonly size: number;
  keep(bytes: Buffer): void;
  /** The whole line as text; nothing remains. */
  join(end: Buffer): string;
}

function createRemainder({ doing, maxLineBytes }: DecodeOptions): Remainder {
  let held: Buffer = Buffer.alloc(0);
  let size = 0;
  const keep = (bytes: Buffer): void => {
    const needed = size + bytes.byteLength;
    if (needed > maxLineBytes) {
      throw new CodedError(
        "ProtocolError",
        `Cannot ${doing}: an event is longer than the ${maxLineBytes} bytes that are read at most`,
      );
    }
    if (needed > held.byteLength) {
      const grown = Buffer.allocUnsafe(Math.max(needed, held.byteLength * 2, 4_096));
      held.copy(grown, 0, 0, size);
      held = grown;
    }
    bytes.copy(held, size);
    size = needed;
  };
  return {
    get size() {
      return size;
    },
    keep,
    join(end): string {
      keep(end);
      const line = held.toString("utf8", 0, size);
      size = 0;
      // One huge object must not hold its memory for as long as the watch lives.
      if (held.byteLength > 1_048_576) held = Buffer.alloc(0);
      return line;
    },
  };
}

function decodeEvent<O extends KubeObject>(line: string, doing: string): WatchEvent<O> {
  let event: unknown;
  try {
    event = JSON.parse(withoutManagedFields(line));
  } catch {
    // V8's message quotes the text, which may be a Secret's: neither text nor cause.
    throw new CodedError(
      "ProtocolError",
      `Cannot ${doing}: a line of ${line.length} characters is no JSON; is the server's URL right?`,
    );
  }
  if (isWatchEvent<O>(event)) return event;
  throw new CodedError(
    "ProtocolError",
    `Cannot ${doing}: the server answers with something that is no watch event; does it support watch?`,
  );
}

function isWatchEvent<O extends KubeObject>(value: unknown): value is WatchEvent<O> {
  if (typeof value !== "object" || value === null) return false;
  const { type, object } = value as { readonly type?: unknown; readonly object?: Partial<KubeObject> | null };
  if (typeof object !== "object" || object === null) return false;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return typeof object.metadata?.name === "string" && typeof object.metadata.resourceVersion === "string";
    case "BOOKMARK":
      return typeof object.metadata?.resourceVersion === "string";
    default:
      return type === "ERROR";
  }
}
