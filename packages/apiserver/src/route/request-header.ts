import type { ServerRequest } from "./server-request.ts";

/** One header; of a repeated one the first. */
export function header({ headers }: Pick<ServerRequest, "headers">, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}

const trueTexts: ReadonlySet<string> = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/** Whether an answer is for eyes: where the query does not say so, the clients that people use say it. */
export function isPretty(request: Pick<ServerRequest, "headers">, query: URLSearchParams): boolean {
  const pretty = query.get("pretty") ?? "";
  if (pretty !== "") return trueTexts.has(pretty);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(header(request, "user-agent") ?? "");
}
