import { createGunzip, type Gunzip } from "node:zlib";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";

/**
 * All bytes of a body as text. They are joined before they are decoded, so that a character split over two chunks is
 * one.
 *
 * @throws CodedError `ProtocolError` when the body is longer than `maxBytes`.
 */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  doing: () => string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLong(maxBytes, doing);
    chunks.push(chunk);
  }
  const [first] = chunks;
  if (first === undefined) return "";
  if (chunks.length > 1) return Buffer.concat(chunks, bytes).toString("utf8");
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString("utf8");
}

/** The beginning of a body as text, at most `maxBytes` of it; the rest is not read. */
export async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
}

/**
 * A gzip body decompressed as it comes, chunk by chunk: what is not read is not decompressed.
 *
 * @throws CodedError `ProtocolError` when it is no gzip, is cut short, or grows beyond `maxBytes`.
 */
export async function* gunzip(
  body: AsyncIterable<Uint8Array>,
  options: { readonly clock: Clock; readonly maxBytes: number; readonly doing: () => string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { clock, maxBytes, doing } = options;
  const stream = createGunzip();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) stream.destroy(tooLong(maxBytes, doing));
    else chunks.push(chunk);
  });
  const take = (): Uint8Array[] => {
    const taken = chunks;
    chunks = [];
    return taken;
  };
  const ended = endOf(stream);
  try {
    for await (const chunk of body) {
      await clock.outside(Promise.race([written(stream, chunk), ended]));
      yield* take();
    }
    stream.end();
    await clock.outside(ended);
    yield* take();
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    throw new CodedError(
      "ProtocolError",
      `Cannot ${doing()}: the answer is said to be gzip, and cannot be decompressed (${messageOf(error)})`,
      {
        cause: error,
      },
    );
  } finally {
    stream.destroy();
  }
}

/** Settles when the whole has been decompressed, or could not be. Never an unhandled rejection. */
function endOf(stream: Gunzip): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    stream.once("end", resolve);
    stream.once("error", reject);
  });
  ended.catch(() => {});
  return ended;
}

function written(stream: Gunzip, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    // An error reaches the caller through the stream's own event; here it only ends the wait.
    stream.write(chunk, () => resolve());
  });
}

function tooLong(maxBytes: number, doing: () => string): CodedError {
  return new CodedError(
    "ProtocolError",
    `Cannot ${doing()}: the answer is longer than the ${maxBytes} bytes that are read at most`,
  );
}
