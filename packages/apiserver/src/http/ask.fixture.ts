import type { ClusterConfig, Transport, TransportResponse } from "farwatch";
import type { ApiServer } from "./create-api-server.ts";

export interface Ask {
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the administrator. */
  readonly as?: ClusterConfig;
  readonly signal?: AbortSignal;
  readonly streaming?: boolean;
}

/** A request in process, whose answer is not read yet. */
export async function open(
  { transport, config }: { readonly transport: Transport; readonly config: ClusterConfig },
  line: string,
  { body, headers = {}, as = config, signal, streaming = false }: Ask = {},
): Promise<TransportResponse> {
  const [method = "", path = ""] = line.split(" ");
  const { headers: credentials } = await as.credentials.current();
  const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return transport.request({
    method,
    url: `${as.server}${path}`,
    headers: { ...credentials, ...(body === undefined ? {} : { "content-type": contentType }), ...headers },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    signal,
    streaming,
  });
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export type Body = any;

/** `GET /api/v1/pods`: its status and its JSON. */
export async function ask(
  server: ApiServer,
  line: string,
  options?: Ask,
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Body }> {
  const { status, headers, body } = await open(server, line, options);
  const text = await textOf(body);
  return { status, headers, body: text.startsWith("{") ? JSON.parse(text) : text };
}

/** The events of a watch, as they come. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Body, void, undefined> {
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
