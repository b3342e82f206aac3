import type { ServedAnswer } from "../store/served-request.ts";

export interface GcsErrorOptions {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly domain?: string;
  /** The header that an authentication error is about. */
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal, thrown anywhere in the GCS store and answered as the JSON API's error document. */
export class GcsError extends Error {
  override readonly name = "GcsError";
  readonly #options: GcsErrorOptions;

  constructor(options: GcsErrorOptions) {
    super(options.message);
    this.#options = options;
  }

  toAnswer(): ServedAnswer {
    const { status, reason, message, domain = "global", location, headers } = this.#options;
    const detail = {
      message,
      domain,
      reason,
      ...(location === undefined ? {} : { locationType: "header", location }),
    };
    return jsonAnswer(status, { error: { code: status, message, errors: [detail] } }, { code: reason, headers });
  }
}

export function jsonAnswer(
  status: number,
  value: unknown,
  {
    code,
    headers = {},
  }: { readonly code?: string; readonly headers?: Readonly<Record<string, string>> | undefined } = {},
): ServedAnswer {
  return {
    status,
    code,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
    body: JSON.stringify(value, undefined, 2),
  };
}

export function notFound(message = "The specified bucket does not exist."): GcsError {
  return new GcsError({ status: 404, reason: "notFound", message });
}

export function invalid(message: string): GcsError {
  return new GcsError({ status: 400, reason: "invalid", message });
}

export function conflict(message: string): GcsError {
  return new GcsError({ status: 409, reason: "conflict", message });
}
