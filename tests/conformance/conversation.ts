import type { IncomingHttpHeaders } from "node:http";
import { CodedError, type Duration, systemClock } from "farwatch";
import type { CustomKind, CustomKindOptions } from "./custom-kind.ts";
import { createCustomKind } from "./custom-kind.ts";
import { type Exchange, type HttpResponse, readText } from "./exchange.ts";
import { createNormalizer } from "./normalizer.ts";
import type { Answer, Query, RequestOptions } from "./request.ts";
import type { Server } from "./server.ts";
import type { Json, Transcript, TranscriptEntry } from "./transcript.ts";
import { openWatch, type Watch } from "./watch.ts";

/** How a case speaks with a server. What it hears is its transcript, which must be the recorded one. */
export interface Conversation {
  /** The case's own, there before the case begins. */
  readonly namespace: string;
  /** `<group>` for custom kinds that the case creates by hand; nobody else has one in it. */
  readonly group: string;
  /** Sends one request and records the answer. */
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Opens a watch; resolves when its answer has begun. Only what is read from it is recorded. */
  watch(path: string, options?: Pick<RequestOptions, "query" | "headers" | "as">): Promise<Watch>;
  /** Asks again until the check holds, at most 30 s; records the last answer. */
  until(path: string, check: (answer: Answer) => boolean, options?: RequestOptions): Promise<Answer>;
  /** Creates a CRD, waits until it is served, and removes it after the case; records nothing. */
  crd(options?: CustomKindOptions): Promise<CustomKind>;
  /** Sends a request without recording it: to prepare, or to clean up. */
  quietly(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Makes the server forget what was before now, as a compaction; only where the area is `alone`. */
  forgetHistory(): Promise<void>;
  /** Real time. */
  sleep(duration: Duration): Promise<void>;
  /** Run after the case, the newest first. */
  cleanup(work: () => Promise<unknown>): void;
}

export interface ConversationOptions {
  readonly server: Server;
  readonly exchange: Exchange;
  /** Unique among all cases, a DNS label of at most 50 characters. */
  readonly slug: string;
}

/** Headers that belong to the answer's meaning, not to the server that sent it. */
const recordedHeaders = ["content-type", "content-encoding", "warning", "retry-after", "allow", "location"];
const bodyTypes: Readonly<Record<string, string>> = { PATCH: "application/merge-patch+json" };

/** Holds a conversation, prepares its namespace, cleans up after it; gives what was said. */
export async function converse(
  { server, exchange, slug }: ConversationOptions,
  run: (conversation: Conversation) => Promise<void>,
): Promise<Transcript> {
  const transcript: TranscriptEntry[] = [];
  const normalizer = createNormalizer();
  await using undo = new AsyncDisposableStack();

  const open = async (
    method: string,
    path: string,
    options: RequestOptions,
    signal: AbortSignal,
  ): Promise<{ readonly line: string; readonly response: HttpResponse }> => {
    const { body, contentType = bodyTypes[method] ?? "application/json", as: user, headers } = options;
    const token = user === "anonymous" ? undefined : server.tokenOf(user);
    const target = withQuery(path, options.query);
    const response = await exchange.send({
      method,
      path: target,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && contentType !== null && { "content-type": contentType }),
        ...headers,
      },
      body: body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      signal,
    });
    const line = `${method} ${normalizer.request(target)}${user === undefined ? "" : ` as ${user}`}`;
    return { line, response };
  };
  const ask = async (
    method: string,
    path: string,
    options: RequestOptions,
  ): Promise<{ readonly answer: Answer; readonly record: () => void }> => {
    using limit = systemClock.timeout("60s");
    const { line, response } = await open(method, path, options, limit);
    const text = await readText(response.body);
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      body: options.text ? text : parsed(text),
    };
    // For a moment after a change of a definition the real server has no memory of its kind, and says so to whoever is first.
    if (answer.status === 429 && text.includes("storage is (re)initializing")) {
      await systemClock.sleep("100ms", limit);
      return await ask(method, path, options);
    }
    normalizer.hear(answer.body as Json);
    const record = (): void => {
      const body = answer.body === "" ? undefined : trimmed(normalizer.value(answer.body as Json), options);
      transcript.push({
        request: line,
        status: answer.status,
        headers: keptHeaders(answer.headers),
        ...(body !== undefined && { body }),
      });
    };
    return { answer, record };
  };
  const quietly: Conversation["quietly"] = async (method, path, options = {}) =>
    (await ask(method, path, options)).answer;
  const prepare: Conversation["quietly"] = async (method, path, options = {}) => {
    const answer = await quietly(method, path, options);
    if (answer.status < 300) return answer;
    throw new CodedError(
      "ServerUnavailable",
      `Cannot prepare ${slug}: ${method} ${path} answers ${answer.status} ${JSON.stringify(answer.body)}`,
    );
  };

  const conversation: Conversation = {
    namespace: slug,
    group: `${slug}.example.com`,
    quietly,
    async send(method, path, options = {}) {
      const { answer, record } = await ask(method, path, options);
      record();
      return answer;
    },
    async watch(path, options = {}) {
      const cut = new AbortController();
      undo.defer(async () => cut.abort());
      const query = { watch: 1, ...options.query };
      const { line, response } = await open("GET", path, { ...options, query }, cut.signal);
      return openWatch({
        response,
        record: ({ events, ended, body, view = (event) => event }) =>
          transcript.push({
            request: line,
            status: response.status,
            headers: keptHeaders(response.headers),
            ...(body !== undefined && { body: normalizer.value(parsed(body)) }),
            ...(events !== undefined && {
              events: events.map((event) => view(normalizer.value(event) as never) as Json),
            }),
            ...(ended && { ended }),
          }),
        close: () => cut.abort(),
      });
    },
    async until(path, check, options = {}) {
      using limit = systemClock.timeout("30s");
      for (;;) {
        const { answer, record } = await ask("GET", path, options);
        if (check(answer)) {
          record();
          return answer;
        }
        if (limit.aborted)
          throw new Error(`GET ${path} is not as awaited after 30 s: ${answer.status} ${JSON.stringify(answer.body)}`);
        await systemClock.sleep("50ms");
      }
    },
    async crd(options = {}) {
      const kind = await createCustomKind({ ...options, slug, prepare, ask: quietly });
      if (server.isKept) conversation.cleanup(() => quietly("DELETE", kind.crdPath));
      return kind;
    },
    forgetHistory: () => server.forgetHistory(),
    sleep: (duration) => systemClock.sleep(duration),
    cleanup: (work) =>
      undo.defer(async () => {
        await work();
      }),
  };
  const metadata = { name: slug };
  await prepare("POST", "/api/v1/namespaces", { body: { apiVersion: "v1", kind: "Namespace", metadata } });
  if (server.isKept) conversation.cleanup(() => quietly("DELETE", `/api/v1/namespaces/${slug}`));
  await run(conversation);
  return transcript;
}

function withQuery(path: string, query: Query = {}): string {
  const parameters = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(String(value))}`],
  );
  return parameters.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${parameters.join("&")}`;
}

function keptHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    recordedHeaders.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

/** JSON where it is JSON; undefined for nothing. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Works on what is normalised already, since it is what surrounds a version that tells what it is. */
function trimmed(body: Json, { only, omit = [], view }: RequestOptions): Json | undefined {
  let result = view === undefined ? body : (view(body) as Json | undefined);
  if (only !== undefined) {
    const parts = only.map((path) => part(body, path.split(".")));
    result = parts.reduce<Json | undefined>((kept, next) => merged(kept, next), undefined);
  }
  for (const path of omit) result = result === undefined ? undefined : without(result, path.split("."));
  return result;
}

/** The value with nothing but what lies on the path. */
function part(value: Json | undefined, [step, ...rest]: readonly string[]): Json | undefined {
  if (step === undefined || value === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    if (step !== "*") return part((value as readonly Json[])[Number(step)], rest);
    return value.map((item: Json) => part(item, rest) ?? null);
  }
  const inner = part((value as Readonly<Record<string, Json>>)[step], rest);
  return inner === undefined ? undefined : { [step]: inner };
}

function merged(left: Json | undefined, right: Json | undefined): Json | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((item: Json, index) => merged(item, (right as readonly Json[])[index]) ?? null);
  if (left !== null && right !== null && typeof left === "object" && typeof right === "object") {
    const result: Record<string, Json> = { ...(left as Readonly<Record<string, Json>>) };
    for (const [key, item] of Object.entries(right as Readonly<Record<string, Json>>))
      result[key] = merged(result[key], item) ?? null;
    return result;
  }
  return right;
}

function without(value: Json, [step, ...rest]: readonly string[]): Json {
  if (step === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value))
    return value.map((item: Json, index) => (step === "*" || step === String(index) ? without(item, rest) : item));
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  return Object.fromEntries(
    entries.flatMap(([key, item]) => {
      if (key !== step && step !== "*") return [[key, item]];
      return rest.length === 0 ? [[key, "<omitted>"]] : [[key, without(item, rest)]];
    }),
  );
}
