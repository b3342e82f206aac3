/** A host, and a port where one was given. */
export interface Authority {
  /** As the URL parser writes it: lower case, punycode, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Reads `host` or `host:port`; undefined when the text is anything else. */
export function parseAuthority(text: string): Authority | undefined {
  if (text === "" || /[/?#@\s\\]/.test(text)) return undefined;
  const [, port] = /:(\d{1,5})$/.exec(text.replace(/^\[[^\]]*\]/, "")) ?? [];
  const url = URL.parse(`http://${text}/`);
  if (url === null) return undefined;
  // The parser drops 80, the port of its scheme, so the port is read from the text.
  return { host: withoutBrackets(url.hostname), port: port === undefined ? undefined : Number(port) };
}

/** The host of a URL as a socket is opened to it: an IPv6 address without its brackets. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
