import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { pacedLogger } from "../observe/paced-logger.ts";
import type { SourceState } from "../source/source-state.ts";
import { listen } from "../transport/listen.ts";
import { nodeHttp } from "../transport/node-http.ts";
import { formatChecks, isHealthy, runChecks } from "./health.ts";
import type { HealthCheck } from "./manager.ts";
import { sourcePagePolicy, sourcesJson, sourcesPage } from "./source-page.ts";

export interface HttpServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Asked at each request, so that checks may be added while it runs. */
  readonly checks: (kind: "healthz" | "readyz") => readonly HealthCheck[];
  /** How sources are at the moment of the request. */
  readonly sources: () => readonly SourceState[];
  /** Called before metrics are written out, for gauges that are sampled. */
  readonly beforeScrape: () => void;
}

/**
 * /healthz, /livez, /readyz (each with ?verbose and a path per check), /metrics and, for this machine alone,
 * /debug/sources.
 */
export interface HttpServer extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number };
}

/**
 * Probes and scrapes need a few. Further ones are closed at once: the program needs its file descriptors and memory
 * elsewhere.
 */
const mostConnections = 256;

const paths: Readonly<Record<string, "healthz" | "readyz">> = {
  "/healthz": "healthz",
  "/livez": "healthz",
  "/readyz": "readyz",
};

/** @throws CodedError `InvalidOption` when the address cannot be listened on. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { clock } = options;
  // Whoever reaches the port may ask for what fails.
  const log = pacedLogger(options.log, clock);

  const health = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> => {
    const [, root = "", one] = /^(\/[a-z]+)(?:\/(.+))?$/.exec(url.pathname) ?? [];
    const kind = paths[root];
    if (kind === undefined) return false;
    const all = options.checks(kind);
    const checks = one === undefined ? all : all.filter(({ name }) => name === decoded(one));
    if (one !== undefined && checks.length === 0) return false;
    const results = await runChecks(checks, clock);
    const healthy = isHealthy(results);
    const text =
      healthy && !url.searchParams.has("verbose")
        ? "ok"
        : formatChecks(root.slice(1), results, isOfThisMachine(request));
    answer(response, healthy ? 200 : 503, "text/plain; charset=utf-8", text);
    return true;
  };

  const debugSources = (request: IncomingMessage, response: ServerResponse, url: URL): void => {
    if (!isOfThisMachine(request)) {
      const port = request.socket.localPort;
      answer(
        response,
        403,
        "text/plain; charset=utf-8",
        `forbidden: for this machine alone, use kubectl port-forward POD ${port} and http://localhost:${port}/debug/sources\n`,
      );
      return;
    }
    const accept = request.headers.accept ?? "";
    if (url.searchParams.get("format") === "json" || /\bapplication\/json\b/.test(accept)) {
      answer(response, 200, "application/json", sourcesJson(options.sources()));
      return;
    }
    response.setHeader("content-security-policy", sourcePagePolicy);
    answer(response, 200, "text/html; charset=utf-8", sourcesPage(options.sources(), clock.now()));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      answer(response, 405, "text/plain; charset=utf-8", "method not allowed\n");
      return;
    }
    const url = URL.parse(request.url ?? "/", "http://localhost");
    if (url === null) {
      answer(response, 400, "text/plain; charset=utf-8", "bad request\n");
      return;
    }
    if (url.pathname === "/metrics") {
      options.beforeScrape();
      const { contentType, body } = await options.metrics.expose();
      answer(response, 200, contentType, body);
      return;
    }
    if (url.pathname === "/debug/sources") {
      debugSources(request, response, url);
      return;
    }
    if (!(await health(request, response, url))) answer(response, 404, "text/plain; charset=utf-8", "not found\n");
  };

  const server = nodeHttp.createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 16_384 },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        log.error("Cannot answer request", { path: request.url?.split("?")[0], error });
        if (response.headersSent) response.destroy();
        else answer(response, 500, "text/plain; charset=utf-8", "internal error\n");
      });
    },
  );
  server.maxConnections = mostConnections;
  const { host, port } = options;
  const address = await listen(server, { host, port, serves: "health and metrics", option: "http" });
  server.on("error", (error) => log.error("Cannot accept a connection", { error }));
  return {
    address,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sources are named for patterns and paths: `/readyz/source/cron%2030%202%20*%20*%20*`. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}

/**
 * Reasons may name kinds, hosts and RBAC rules, so they are for those who can reach the process itself:
 * `kubectl port-forward`, which RBAC guards, and a shell in the pod. Not for pages in a browser beside these: a page
 * that has its own name resolve to this machine (DNS rebinding) still sends that name as Host.
 */
function isOfThisMachine({ socket, headers }: IncomingMessage): boolean {
  const host = URL.parse(`http://${headers.host ?? ""}`)?.hostname;
  return isLoopback(socket.remoteAddress ?? "") && (host === "localhost" || isLoopback(host ?? ""));
}

function isLoopback(address: string): boolean {
  return /^(?:::1|\[::1\]|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(address);
}
