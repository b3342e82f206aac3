import type { Clock } from "farwatch";
import { ResponseBody } from "farwatch/doubles";
import type { BodyEnd } from "./transport-fault.ts";

export interface RelayedBodyOptions {
  readonly clock: Clock;
  readonly source: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal | undefined;
  /** What a reader gets when the body is cut. */
  readonly cutError: () => Error;
  /** Called once, when no more will come. */
  readonly onClosed: () => void;
}

/** A body that passes on another one and can be made to end as bodies on bad networks do. */
export class RelayedBody {
  readonly body: ResponseBody;
  readonly #options: RelayedBodyOptions;
  readonly #parts: AsyncIterator<Uint8Array>;
  /** While the reader is slower than the source. */
  #room: PromiseWithResolvers<void> | undefined;
  #timer: Disposable | undefined;
  /** Bytes that still pass before `#end`; undefined: all. */
  #bytesLeft: number | undefined;
  #end: BodyEnd["kind"] | undefined;
  /** Nothing of the source is passed on any more. */
  #over = false;

  constructor(options: RelayedBodyOptions, end?: BodyEnd) {
    const { clock, signal, source, onClosed } = options;
    this.#options = options;
    this.#parts = source[Symbol.asyncIterator]();
    this.body = new ResponseBody({
      clock,
      signal,
      // The source has declared what it waits for, and what a fault waits for is on the clock or never comes.
      streaming: true,
      source: {
        pause: () => {
          this.#room = Promise.withResolvers();
        },
        resume: () => this.#makeRoom(),
        cancel: () => this.#leave(),
      },
      onClosed: () => {
        this.#timer?.[Symbol.dispose]();
        signal?.removeEventListener("abort", this.#onAbort);
        onClosed();
      },
    });
    if (end !== undefined) this.#arm(end);
  }

  /** Begins to pass on; an end that is to come at once has come. */
  start(): void {
    if (this.#over) return;
    this.#pass().catch((error: unknown) => {
      if (!this.#over) this.body.fail(error);
    });
  }

  /** Ends it now. `truncated` waits for the next part, of which half is passed. */
  strike(kind: BodyEnd["kind"]): void {
    if (this.#over) return;
    if (kind === "truncated") {
      this.#end = kind;
      return;
    }
    this.#leave();
    if (kind === "closed") this.body.end();
    else if (kind === "cut") this.body.fail(this.#options.cutError());
    else this.#stall();
  }

  #arm({ kind, after, afterBytes }: BodyEnd): void {
    if (after !== undefined) {
      this.#timer = this.#options.clock.schedule(after, () => this.strike(kind), { unref: true });
    } else if (afterBytes !== undefined) {
      this.#end = kind === "truncated" ? "closed" : kind;
      this.#bytesLeft = afterBytes;
    } else {
      this.strike(kind);
    }
  }

  async #pass(): Promise<void> {
    for (let part = await this.#parts.next(); !part.done; part = await this.#parts.next()) {
      if (this.#over) return;
      this.#take(part.value);
      if (this.#room !== undefined) await this.#room.promise;
      if (this.#over) return;
    }
    if (!this.#over) this.body.end();
  }

  #take(part: Uint8Array): void {
    const end = this.#end;
    if (end === undefined) {
      this.body.push(part);
      return;
    }
    const passes = this.#bytesLeft ?? Math.floor(part.length / 2);
    if (part.length < passes) {
      this.#bytesLeft = passes - part.length;
      this.body.push(part);
      return;
    }
    if (passes > 0) this.body.push(part.subarray(0, passes));
    this.strike(end === "truncated" ? "closed" : end);
  }

  #stall(): void {
    const { signal } = this.#options;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.body.fail(this.#options.signal?.reason);

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #leave(): void {
    this.#over = true;
    this.#makeRoom();
    // Not awaited: behind a read that never ends, neither would this.
    this.#parts.return?.().catch(() => {});
  }
}
