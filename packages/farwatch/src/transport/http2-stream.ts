import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { ConnectionFacts, Exchange } from "./exchange.ts";
import { connectionCut, headersTooLarge } from "./failure.ts";
import type { BodySource, ResponseBody } from "./response-body.ts";

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/** The session that a stream belongs to, as the stream sees it. */
export interface StreamOwner {
  /** Why the session was given up, which says more than what its streams hear of it. */
  readonly reason: Error | undefined;
  /** What the first answer over the connection is told, and the later ones. */
  takeFacts(): ConnectionFacts;
  /** The stream is closed; `unsent` is why, when the server did not look at the request. */
  onStreamClosed(exchange: Exchange, unsent: Error | undefined): void;
  /** A request was aborted before it was answered. */
  onSilent(): void;
}

/**
 * One request and its answer on an HTTP/2 stream. Node's half of a stream lives until the next full collection, so this
 * one lets go of request and body when the stream closes.
 */
export class Http2Stream implements BodySource {
  readonly #stream: ClientHttp2Stream;
  readonly #owner: StreamOwner;
  #exchange: Exchange | undefined;
  #body: ResponseBody | undefined;
  /** What is still to come of a body that said how long it is. */
  #missingBytes = Number.NaN;
  #unsent: Error | undefined;

  constructor(stream: ClientHttp2Stream, owner: StreamOwner) {
    this.#stream = stream;
    this.#owner = owner;
  }

  /** Listens to the stream, which carries this request. */
  start(exchange: Exchange): void {
    const stream = this.#stream;
    this.#exchange = exchange;
    exchange.stopWith(() => {
      this.cancel();
      if (!exchange.answered) this.#owner.onSilent();
    });
    stream.on("response", (headers) => this.#receive(headers));
    stream.on("error", (error) => this.#fail(error));
    stream.on("close", () => this.#closed());
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  cancel(): void {
    this.#stream.close(NGHTTP2_CANCEL);
  }

  #receive(received: IncomingHttpHeaders): void {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.settled) return;
    const headers: Record<string, string> = {};
    let bytes = 0;
    for (const name of Object.keys(received)) {
      if (name === ":status") continue;
      const value = received[name];
      const text = Array.isArray(value) ? value.join(", ") : String(value);
      headers[name] = text;
      bytes += name.length + text.length;
    }
    if (bytes > exchange.maxHeaderBytes) {
      exchange.fail(headersTooLarge(exchange.target.name, exchange.maxHeaderBytes));
      this.cancel();
      return;
    }
    if (exchange.request.method !== "HEAD") this.#missingBytes = Number(headers["content-length"] ?? Number.NaN);
    this.#body = exchange.answer(Number(received[":status"]), headers, this, this.#owner.takeFacts());
    this.#stream.on("data", (chunk: Uint8Array) => {
      this.#missingBytes -= chunk.length;
      this.#body?.push(chunk);
    });
    this.#stream.on("end", () => this.#end());
  }

  #end(): void {
    const { rstCode, aborted } = this.#stream;
    // A reset without an error looks like an end to Node, however much is missing.
    if (rstCode === NGHTTP2_NO_ERROR && !aborted && !(this.#missingBytes > 0)) this.#body?.end();
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.settled) return;
    // REFUSED_STREAM, and a stream above the last one of a GOAWAY, was not looked at (RFC 9113 §8.7).
    if (!exchange.answered && this.#stream.rstCode === NGHTTP2_REFUSED_STREAM) this.#unsent = error;
    else exchange.fail(this.#owner.reason ?? error);
  }

  #closed(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    if (!exchange.settled && this.#unsent === undefined) {
      this.#fail(connectionCut("the stream was closed before the answer was complete"));
    }
    this.#exchange = undefined;
    this.#body = undefined;
    this.#owner.onStreamClosed(exchange, exchange.settled ? undefined : this.#unsent);
  }
}
