import type { createServer, request, validateHeaderName, validateHeaderValue } from "node:http";

/** What this package uses of node:http. */
interface NodeHttp {
  readonly createServer: typeof createServer;
  readonly request: typeof request;
  readonly validateHeaderName: typeof validateHeaderName;
  readonly validateHeaderValue: typeof validateHeaderValue;
}

/**
 * node:http without its price as an ES module: importing it evaluates every export, three of which load undici, which
 * is 25 ms and 12 MB that nobody here uses (Node 24.21).
 */
export const nodeHttp: NodeHttp = process.getBuiltinModule("node:http");
