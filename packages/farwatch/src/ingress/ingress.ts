/** What a sender asked, already within the limits of size and time that hold for every route. */
export interface IngressRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; a header that came several times is joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  /** Where the connection came from. */
  readonly remoteAddress: string;
  /** SHA-256 of the sender's certificate and its subject, when mutual TLS has verified one. */
  readonly peerCertificate?: { readonly fingerprint: string; readonly subject: string } | undefined;
  /** Aborts when the sender has gone, or the answer is overdue. */
  readonly signal: AbortSignal;
  /**
   * The whole body, read once and kept, so that authentication may come before it or look at it.
   *
   * @throws CodedError `BodyTooLarge` beyond the route's limit, which the ingress answers with 413.
   */
  body(): Promise<Uint8Array>;
}

export interface IngressAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export interface IngressRoute {
  /** Exact; no patterns. */
  readonly path: `/${string}`;
  /** Others are answered with 405. */
  readonly methods: readonly string[];
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** The path is a secret: logs, metrics and pages show the source's name in its place. */
  readonly secretPath?: boolean | undefined;
  handle(request: IngressRequest): Promise<IngressAnswer>;
}

/** A route's place. It exists before its source is open, so that no sender is told that there is no such path. */
export interface IngressPlace extends Disposable {
  /**
   * Answers from here on, until the returned value is disposed of; before and after, the answer is 503 with
   * Retry-After.
   */
  serve(route: Pick<IngressRoute, "handle">): Disposable;
}

/** The way in for HTTP, shared by all sources of a manager. */
export interface Ingress {
  /**
   * Takes a path.
   *
   * @throws CodedError `DuplicateName` when another source has it; `InvalidOption` when the manager has no `ingress`.
   */
  reserve(source: string, route: Omit<IngressRoute, "handle">): IngressPlace;
}
