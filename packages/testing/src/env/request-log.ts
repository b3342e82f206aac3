import type { Clock, Transport, TransportRequest, TransportResponse } from "farwatch";
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

export function recordRequests(transport: Transport, clock: Clock): RecordingTransport {
  const requests: Entry[] = [];
  return {
    requests,
    get missingRules() {
      return [...new Set(requests.filter(({ lacksRule }) => lacksRule).map(ruleFor))];
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
      // Only the authorizer says "cannot": an admission plugin forbids in words of its own, and no rule would help.
      entry.lacksRule = /\bcannot \w+ (?:resource|path) /.test(body.toString("utf8"));
      return { ...response, body: partsOf(body) };
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
  lacksRule = false;
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

function ruleFor({ asked, method, path }: SentRequest): string {
  if (asked === undefined) {
    const [url = path] = path.split("?");
    return `{ nonResourceURLs: ["${url}"], verbs: ["${method.toLowerCase()}"] }`;
  }
  const { group, resource, subresource, verb, namespace } = asked;
  const of = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? "" : ` in namespace "${namespace}"`;
  return `{ apiGroups: ["${group}"], resources: ["${of}"], verbs: ["${verb}"] }${where}`;
}
