import type { Clock, ClusterConfig, Transport, TransportRequest, TransportResponse } from "farwatch";
import { type KubeRequest, parseKubeRequest } from "../fault/kube-request.ts";
import { partsOf } from "../fault/parts-of.ts";

/** A request of the program under test that was handed to the network. */
export interface SentRequest {
  /** Milliseconds since the environment began, on the monotonic clock. */
  readonly atMs: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The same in the words of RBAC; undefined for a path that is no resource's, such as discovery. */
  readonly asked: KubeRequest | undefined;
  /** What was sent, parsed; undefined for nothing, and for what is no JSON. */
  readonly body: unknown;
  /** What the program heard; undefined while it has heard nothing, and when the connection failed. */
  readonly status: number | undefined;
}

/** A Transport that keeps what is sent through it, in order. */
export interface RecordingTransport extends Transport {
  readonly requests: readonly SentRequest[];
  /** What the sender may not do: rules as a Role holds them, from what the server has refused so far, each once. */
  readonly missingRules: readonly string[];
}

export interface RecordingOptions {
  readonly clock: Clock;
  /**
   * Whoever may do everything: what the server refuses for want of a rule is sent once more in this name, so that the
   * sender goes on and asks for all that it needs. Default: a refusal is an answer.
   */
  readonly stepIn?: ClusterConfig["credentials"] | undefined;
}

export function recordRequests(transport: Transport, { clock, stepIn }: RecordingOptions): RecordingTransport {
  const requests: Entry[] = [];
  return {
    requests,
    get missingRules() {
      return [...new Set(requests.flatMap(({ missingRule }) => missingRule ?? []))];
    },
    get inFlight() {
      return transport.inFlight;
    },
    async request(request): Promise<TransportResponse> {
      let entry: Entry | undefined;
      const beforeWrite = (): void => {
        request.beforeWrite?.();
        entry = new Entry(request, clock.elapsed());
        requests.push(entry);
      };
      const response = await transport.request({ ...request, beforeWrite });
      if (entry === undefined) return response;
      entry.status = response.status;
      if (response.status !== 403) return response;
      const body = await wholeBody(response);
      entry.missingRule = missingRule(body.toString("utf8"));
      if (entry.missingRule === undefined || stepIn === undefined) return { ...response, body: partsOf(body) };
      const { headers } = await stepIn.current();
      const carriedOut = await transport.request({ ...request, headers: { ...request.headers, ...headers } });
      entry.status = carriedOut.status;
      return carriedOut;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

async function wholeBody({ body }: TransportResponse): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

/** Reads what is in it when it is asked: a simulated day has many requests, and few of them are looked at. */
class Entry implements SentRequest {
  readonly atMs: number;
  status: number | undefined;
  missingRule: string | undefined;
  readonly #request: Pick<TransportRequest, "method" | "url" | "body">;

  constructor({ method, url, body }: TransportRequest, atMs: number) {
    this.#request = { method, url, body };
    this.atMs = atMs;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    const { pathname, search } = new URL(this.#request.url);
    return `${pathname}${search}`;
  }

  get asked(): KubeRequest | undefined {
    return parseKubeRequest(this.#request);
  }

  get body(): unknown {
    const { body } = this.#request;
    if (body === undefined) return undefined;
    try {
      return JSON.parse(Buffer.from(body).toString("utf8"));
    } catch {
      return undefined;
    }
  }
}

/**
 * The rule that a refusal is for want of, as the server says it: an update that creates lacks the right to create.
 * Undefined for what an admission plugin forbids, in words of its own: no rule would help.
 */
function missingRule(refusal: string): string | undefined {
  const { message } = parseStatus(refusal);
  const path = /\bcannot (\w+) path "([^"]+)"/.exec(message);
  if (path !== null) return `{ nonResourceURLs: ["${path[2]}"], verbs: ["${path[1]}"] }`;
  const found = /\bcannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/.exec(
    message,
  );
  if (found === null) return undefined;
  const [, verb, resource, group, namespace] = found;
  const where = namespace === undefined ? "" : ` in namespace "${namespace}"`;
  return `{ apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"] }${where}`;
}

function parseStatus(text: string): { readonly message: string } {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return { message: typeof message === "string" ? message : "" };
  } catch {
    // Plain text, as of a proxy.
    return { message: text };
  }
}
