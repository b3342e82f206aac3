import type { Clock, Transport, TransportRequest, TransportResponse } from "farwatch";
import { transportError } from "farwatch/doubles";
import { partsOf } from "./parts-of.ts";
import { RelayedBody } from "./relayed-body.ts";
import type { BodyEnd, SlowExchange, StandInAnswer, StandInBody, TransportFault } from "./transport-fault.ts";

/** Sends a request where it is meant to go. */
export type Send = (request: TransportRequest) => Promise<TransportResponse>;

interface OpenAnswer {
  readonly request: TransportRequest;
  readonly relayed: RelayedBody;
}

/** Passes requests on, plays faults on them, and counts those in flight as a Transport does. */
export class FaultRelay implements Pick<Transport, "inFlight"> {
  readonly #clock: Clock;
  readonly #open = new Set<OpenAnswer>();
  #inFlight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  async request(request: TransportRequest, fault: TransportFault | undefined, send: Send): Promise<TransportResponse> {
    this.#inFlight += 1;
    let flying = true;
    const landed = (): void => {
      if (flying) this.#inFlight -= 1;
      flying = false;
    };
    try {
      request.signal?.throwIfAborted();
      const response = await this.#play(request, fault, send);
      if (request.streaming) landed();
      return this.#passOn(request, response, bodyEndOf(fault), landed);
    } catch (error) {
      landed();
      throw error;
    }
  }

  /** Ends the bodies of answers under way, now; gives how many. */
  strike(kind: BodyEnd["kind"], isMeant: (request: TransportRequest) => boolean): number {
    const struck = [...this.#open].filter(({ request }) => isMeant(request));
    for (const { relayed } of struck) relayed.strike(kind);
    return struck.length;
  }

  #passOn(
    request: TransportRequest,
    response: TransportResponse,
    end: BodyEnd | undefined,
    landed: () => void,
  ): TransportResponse {
    const relayed = new RelayedBody(
      {
        clock: this.#clock,
        source: response.body,
        signal: request.signal,
        cutError: () => failure("body", request, "aborted", "ECONNRESET"),
        onClosed: () => {
          this.#open.delete(open);
          landed();
        },
      },
      end,
    );
    const open: OpenAnswer = { request, relayed };
    this.#open.add(open);
    relayed.start();
    // Whoever shortens a body without a trace frames it anew.
    const shortened = end?.kind === "closed" || end?.kind === "truncated";
    const { "content-length": _, ...unframed } = response.headers;
    return { ...response, headers: shortened ? unframed : response.headers, body: relayed.body };
  }

  async #play(request: TransportRequest, fault: TransportFault | undefined, send: Send): Promise<TransportResponse> {
    switch (fault?.kind) {
      case "dnsFailure":
        throw failure("resolve", request, `getaddrinfo ENOTFOUND ${new URL(request.url).hostname}`, "ENOTFOUND");
      case "refused":
        throw failure("connect", request, `connect ECONNREFUSED ${hostAndPort(request.url)}`, "ECONNREFUSED");
      case "tlsFailure": {
        const code = fault.systemCode ?? "CERT_HAS_EXPIRED";
        throw failure("tls", request, tlsTexts[code] ?? "TLS failed", code);
      }
      case "reset":
        request.beforeWrite?.();
        throw failure("response", request, "read ECONNRESET", "ECONNRESET");
      case "lostResponse":
        await leave(await send(request));
        throw failure("response", request, "read ECONNRESET", "ECONNRESET");
      case "silent":
        request.beforeWrite?.();
        return await aborted(request.signal);
      case "status":
        request.beforeWrite?.();
        return standIn(fault, request);
      case "slow":
        return await this.#late(request, fault, send);
      default:
        return await send(request);
    }
  }

  async #late(request: TransportRequest, { by, on = "answer" }: SlowExchange, send: Send): Promise<TransportResponse> {
    const startMs = this.#clock.elapsed();
    const timed = (response: TransportResponse): TransportResponse => ({
      ...response,
      timings: { ...response.timings, firstByte: this.#clock.elapsed() - startMs },
    });
    if (on === "request") {
      request.beforeWrite?.();
      await this.#clock.sleep(by, request.signal);
      return timed(await send({ ...request, beforeWrite: undefined }));
    }
    const response = await send(request);
    try {
      await this.#clock.sleep(by, request.signal);
    } catch (reason) {
      await leave(response);
      throw reason;
    }
    return timed(response);
  }
}

const tlsTexts: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in certificate chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unable to verify the first certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: "Hostname/IP does not match certificate's altnames",
};

function bodyEndOf(fault: TransportFault | undefined): BodyEnd | undefined {
  switch (fault?.kind) {
    case "closed":
    case "truncated":
    case "cut":
    case "stalled":
      return fault;
    default:
      return undefined;
  }
}

function standIn({ status, headers, body, retryAfter }: StandInAnswer, request: TransportRequest): TransportResponse {
  const value = typeof body === "function" ? (body as StandInBody)(request) : body;
  const isText = value === undefined || typeof value === "string" || value instanceof Uint8Array;
  const bytes = Buffer.from((isText ? value : JSON.stringify(value)) ?? "");
  return {
    status,
    headers: {
      ...(isText ? {} : { "content-type": "application/json" }),
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      "content-length": String(bytes.length),
      ...headers,
    },
    body: partsOf(request.method === "HEAD" ? new Uint8Array() : bytes),
    timings: { firstByte: 0 },
  };
}

/** Frees what an answer holds that nobody will see. */
async function leave({ body }: TransportResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    else signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

type Phase = Parameters<typeof transportError>[0]["phase"];

function failure(phase: Phase, { method, url }: TransportRequest, text: string, code: string): Error {
  const sent = phase === "response" || phase === "body";
  return transportError({ phase, name: hostAndPort(url), method, sent }, Object.assign(new Error(text), { code }));
}

function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}
