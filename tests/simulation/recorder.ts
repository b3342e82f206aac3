import type { Clock, Transport } from "farwatch";
import { overTransport } from "./over-transport.ts";

/** One request of a replica to the API server. */
export interface SentRequest {
  /** Process of the operator, `a#2`: the second of replica a. */
  readonly process: string;
  readonly method: string;
  readonly path: string;
  /** Monotonic milliseconds at which it was handed to the network. */
  readonly atMs: number;
  /** The wall clock then. */
  readonly wallMs: number;
  /** What the process heard: a status, or undefined for none. */
  status: number | undefined;
}

export interface RecorderOptions {
  readonly process: string;
  readonly clock: Clock;
  /** Told of each request as it is sent. */
  readonly onSent: (request: SentRequest) => void;
  /** Told once the headers of its answer are there, or it has failed. */
  readonly onEnded: (request: SentRequest) => void;
}

/** Of a URL that the client has written, without its query. */
function pathOf(url: string): string {
  const end = url.indexOf("?");
  return url.slice(url.indexOf("/", "https://".length), end === -1 ? undefined : end);
}

/** A Transport that tells what passes through it, at the moment at which it is sent. */
export function recordingTransport(transport: Transport, options: RecorderOptions): Transport {
  const { process, clock, onSent, onEnded } = options;
  return overTransport(transport, async (request) => {
    let sent: SentRequest | undefined;
    const beforeWrite = (): void => {
      request.beforeWrite?.();
      sent = {
        process,
        method: request.method,
        path: pathOf(request.url),
        atMs: clock.elapsed(),
        wallMs: clock.now().getTime(),
        status: undefined,
      };
      onSent(sent);
    };
    const end = (status: number | undefined): void => {
      if (sent === undefined) return;
      sent.status = status;
      onEnded(sent);
    };
    try {
      const response = await transport.request({ ...request, beforeWrite });
      end(response.status);
      return response;
    } catch (error) {
      end(undefined);
      throw error;
    }
  });
}
