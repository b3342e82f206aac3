import { gzipSync } from "node:zlib";
import type { Clock } from "farwatch";
import type { ApiError } from "../failure/api-error.ts";
import type { AnswerForm } from "./accept.ts";
import type { ServerResponse } from "./server-request.ts";

/** Smaller bodies are not compressed, as on the real server. */
const gzipFromBytes = 128 * 1024;

export interface AnswerOptions {
  readonly clock: Clock;
  readonly status: number;
  readonly form: AnswerForm;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Of the request: whether gzip may be answered. */
  readonly acceptEncoding: string | undefined;
}

/**
 * An answer from a value, or from its JSON where that is there already; on one line, with its end, unless it is pretty.
 */
export async function answerWith(
  content: { readonly json: string } | { readonly value: unknown },
  options: AnswerOptions,
): Promise<ServerResponse> {
  const { form, status, headers = {}, acceptEncoding, clock } = options;
  let text: string;
  if (form.mediaType === "application/yaml") {
    const { dump } = await clock.outside(import("js-yaml"));
    text = dump("json" in content ? JSON.parse(content.json) : withoutUndefined(content.value), yamlStyle);
  } else if (form.pretty) {
    text = JSON.stringify("json" in content ? JSON.parse(content.json) : content.value, undefined, 2);
  } else text = `${"json" in content ? content.json : JSON.stringify(content.value)}\n`;
  const typed = { "content-type": form.mediaType, ...headers };
  if (text.length < gzipFromBytes || !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(acceptEncoding ?? ""))
    return { status, headers: typed, body: text };
  return {
    status,
    headers: { ...typed, "content-encoding": "gzip", vary: "Accept-Encoding" },
    body: gzipSync(text, { level: 1 }),
  };
}

/** As Go's writer has it, which people know from kubectl: keys sorted, lists not indented, double quotes. */
const yamlStyle = { noRefs: true, sortKeys: true, seqNoIndent: true, quoteStyle: "double", lineWidth: -1 } as const;

function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A refusal as a Status. */
export async function answerError(
  error: ApiError,
  options: { readonly clock: Clock; readonly form: AnswerForm },
): Promise<ServerResponse> {
  if (error.isText) return answerText(error.code, `${error.message}\n`);
  const { clock, form } = options;
  return answerWith(
    { value: error.toStatus() },
    { clock, form, status: error.code, headers: error.headers, acceptEncoding: undefined },
  );
}

/** Plain text, as health checks and unknown paths answer. */
export function answerText(status: number, text: string, headers: ServerResponse["headers"] = {}): ServerResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body: text };
}
