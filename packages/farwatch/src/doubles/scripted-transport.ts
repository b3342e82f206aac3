import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { createChannel } from "../flow/channel.ts";
import { ResponseBody } from "../transport/response-body.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport/transport.ts";

/** One scripted answer. */
export interface ScriptedAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes or text as they are, a stream of them, or anything else as JSON. */
  readonly body?: unknown;
  /** Virtual time from the request to the answer's headers. */
  readonly after?: Duration;
  /** Rejects with this instead of answering. */
  readonly error?: unknown;
  /** Never answers: the request ends only when its signal aborts. */
  readonly silent?: boolean;
}

export type Answering = ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface RecordedRequest extends TransportRequest {
  readonly at: number;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The body parsed as JSON, or undefined. */
  readonly json: unknown;
}

/** Which requests a rule answers; every given part must match. */
export interface RequestMatcher {
  readonly method?: string;
  readonly path?: string | RegExp;
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * A Transport that plays a script on a Clock. Rules are looked through from the newest to the oldest; a rule with
 * several answers gives one a request and repeats the last. A request that no rule matches rejects with `Internal`,
 * naming it.
 */
export interface ScriptedTransport extends Transport {
  readonly requests: readonly RecordedRequest[];
  /** Requests whose headers or body are still to come, watches included, whether somebody reads the body or not. */
  readonly open: number;
  on(matcher: RequestMatcher, ...answers: readonly [Answering, ...Answering[]]): void;
}

/** A response body that a test writes to while it is read: a watch. */
export interface ScriptedStream extends AsyncIterable<Uint8Array> {
  /** Text or bytes as they are; any other value as one line of JSON. */
  write(value: unknown): void;
  /** Ends the body as the server would: cleanly, or with an error as a cut connection. */
  end(error?: unknown): void;
}

export function createScriptedStream(): ScriptedStream {
  const channel = createChannel<Uint8Array>({ capacity: 1_000_000 });
  let failure: { readonly error: unknown } | undefined;
  return {
    write(value): void {
      channel.trySend(toBytes(value, "\n"));
    },
    end(error): void {
      if (error !== undefined) failure = { error };
      channel.close();
    },
    async *[Symbol.asyncIterator]() {
      yield* channel;
      if (failure !== undefined) throw failure.error;
    },
  };
}

function toBytes(value: unknown, lineEnd = ""): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === "string" ? value : `${JSON.stringify(value)}${lineEnd}`);
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function matches(matcher: RequestMatcher, request: RecordedRequest): boolean {
  if (matcher.method !== undefined && matcher.method !== request.method) return false;
  if (typeof matcher.path === "string" && matcher.path !== request.path) return false;
  if (matcher.path instanceof RegExp && !matcher.path.test(request.path)) return false;
  return Object.entries(matcher.query ?? {}).every(([name, value]) => request.query.get(name) === value);
}

export function createScriptedTransport(clock: Clock): ScriptedTransport {
  const rules: { readonly matcher: RequestMatcher; readonly answers: readonly Answering[]; used: number }[] = [];
  const requests: RecordedRequest[] = [];
  let open = 0;
  let inFlight = 0;

  const record = (request: TransportRequest): RecordedRequest => {
    const url = new URL(request.url);
    let json: unknown;
    try {
      json = request.body === undefined ? undefined : JSON.parse(Buffer.from(request.body).toString("utf8"));
    } catch {
      json = undefined;
    }
    return { ...request, at: clock.elapsed(), path: url.pathname, query: url.searchParams, json };
  };

  /** Gives the body of an answer; `done` is told when no more of it is awaited. */
  const bodyOf = (answer: ScriptedAnswer, { signal }: TransportRequest, done: () => void): ResponseBody => {
    const parts = isStream(answer.body) ? answer.body[Symbol.asyncIterator]() : undefined;
    let room = Promise.withResolvers<void>();
    room.resolve();
    let left = false;
    const leave = (): void => {
      left = true;
      // Not awaited: behind a read that never ends, neither would this.
      parts?.return?.().catch(() => {});
    };
    const onAbort = (): void => {
      body.fail(signal?.reason);
      leave();
    };
    const body = new ResponseBody({
      clock,
      signal,
      // What is waited for here is on the clock already, or is for the test to write.
      streaming: true,
      source: {
        pause(): void {
          room = Promise.withResolvers();
        },
        resume: () => room.resolve(),
        cancel: leave,
      },
      onClosed(): void {
        signal?.removeEventListener("abort", onAbort);
        done();
      },
    });
    const deliver = async (from: AsyncIterator<unknown>): Promise<void> => {
      for (let part = await from.next(); !part.done && !left; part = await from.next()) {
        body.push(toBytes(part.value));
        await room.promise;
      }
    };
    if (parts === undefined) {
      if (answer.body !== undefined) body.push(toBytes(answer.body));
      body.end();
    } else {
      signal?.addEventListener("abort", onAbort, { once: true });
      deliver(parts).then(
        () => body.end(),
        (error: unknown) => body.fail(error),
      );
    }
    return body;
  };

  return {
    requests,
    get open() {
      return open;
    },
    get inFlight() {
      return inFlight;
    },
    on(matcher, ...answers): void {
      rules.unshift({ matcher, answers, used: 0 });
    },
    async request(request): Promise<TransportResponse> {
      request.signal?.throwIfAborted();
      request.beforeWrite?.();
      const recorded = record(request);
      requests.push(recorded);
      const rule = rules.find(({ matcher }) => matches(matcher, recorded));
      if (rule === undefined) {
        throw new CodedError(
          "Internal",
          `Cannot answer ${request.method} ${request.url}: the script has no rule for it`,
        );
      }
      const answering = rule.answers[Math.min(rule.used, rule.answers.length - 1)] as Answering;
      rule.used += 1;
      open += 1;
      inFlight += 1;
      let flying = true;
      const landed = (): void => {
        if (flying) inFlight -= 1;
        flying = false;
      };
      const done = (): void => {
        landed();
        open -= 1;
      };
      try {
        const answer =
          typeof answering === "function"
            ? await abortable(Promise.resolve(answering(recorded)), request.signal)
            : answering;
        if (answer.silent) await abortable(new Promise<never>(() => {}), request.signal);
        if (answer.after !== undefined) await clock.sleep(answer.after, request.signal);
        if (answer.error !== undefined) throw answer.error;
        request.signal?.throwIfAborted();
        if (request.streaming) landed();
        return {
          status: answer.status ?? 200,
          headers: { "content-type": "application/json", ...answer.headers },
          body: bodyOf(answer, request, done),
          timings: { firstByte: clock.elapsed() - recorded.at },
        };
      } catch (error) {
        done();
        throw error;
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {},
  };
}
