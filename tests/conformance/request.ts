import type { IncomingHttpHeaders } from "node:http";

/** Parameters of a query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a case may say of a request beside its method and path. */
export interface RequestOptions {
  /** Sent as JSON; a string or bytes as they are. */
  readonly body?: unknown;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: what fits the method; `null`: none. */
  readonly contentType?: string | null;
  /** A user of the area, or `anonymous`; default the administrator. */
  readonly as?: string;
  /** The answer's body is recorded as the text that it is; default: as JSON where it is JSON. */
  readonly text?: boolean;
  /** Parts of the answer's body that are not recorded: dotted paths, `*` for every item. */
  readonly omit?: readonly string[];
  /** Only these parts are recorded. */
  readonly only?: readonly string[];
  /** What is recorded in place of the normalised body. */
  readonly view?: (body: Answer["body"]) => unknown;
}

/** What a server answers. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a case reaches into answers of every kind, and its recording checks them
  readonly body: any;
}
