import { createHash } from "node:crypto";
import { CodedError } from "../error/coded-error.ts";
import type { ConnectPolicy, TlsOptions, TransportRequest } from "./transport.ts";

/** A host to open a socket to. */
export interface Endpoint {
  readonly secure: boolean;
  /** Without the brackets of an IPv6 literal. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, for messages. */
  readonly name: string;
}

export interface Target extends Endpoint {
  /** What Host and :authority say: the port only when it is not the scheme's own. */
  readonly authority: string;
  /** Path and query, as they go into the request line. */
  readonly path: string;
}

export interface ProxyEndpoint extends Endpoint {
  /** The value of Proxy-Authorization, when the URL had userinfo. */
  readonly authorization: string | undefined;
}

/** Everything that decides which connections a request may use. */
export interface Route {
  readonly target: Target;
  readonly proxy: ProxyEndpoint | undefined;
  readonly tls: TlsOptions;
  readonly policy: ConnectPolicy | undefined;
  readonly protocols: readonly ("h2" | "http/1.1")[];
}

/**
 * Reads an absolute http or https URL. The URL is not in any error: it may carry a secret.
 *
 * @throws CodedError `InvalidOption` for another scheme, and for a URL with userinfo.
 */
export function targetOf(text: string): Target {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new CodedError("InvalidOption", "Cannot send a request: its URL is no absolute http or https URL");
  }
  const endpoint = endpointOf(url);
  if (url.username !== "" || url.password !== "") {
    throw new CodedError(
      "InvalidOption",
      `Cannot send a request to ${endpoint.name}: its URL carries a user name or password, send an authorization header instead`,
    );
  }
  return { ...endpoint, authority: url.host, path: url.pathname + url.search };
}

/**
 * Reads the URL of a proxy; a value without a scheme, `proxy.example:3128`, means http.
 *
 * @throws CodedError `InvalidOption` for what is no http or https URL.
 */
export function proxyOf(text: string): ProxyEndpoint {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || url.hostname === "" || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new CodedError(
      "InvalidOption",
      "Cannot use the proxy: its URL must look like http://[user:password@]host:port, other schemes than http and https are not supported",
    );
  }
  return { ...endpointOf(url), authorization: basicAuthorization(url) };
}

function endpointOf(url: URL): Endpoint {
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const { hostname } = url;
  return {
    secure,
    port,
    host: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    name: `${hostname}:${port}`,
  };
}

function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** A password may hold a bare `%`: what is no escape stands for itself. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** The route of a request whose target was read. @throws CodedError `InvalidOption` for a proxy that cannot be used. */
export function routeOf(request: TransportRequest, target: Target): Route {
  return {
    target,
    proxy: request.proxy === undefined ? undefined : proxyOf(request.proxy),
    tls: request.tls ?? {},
    policy: request.connectPolicy,
    protocols: request.protocol === "http/1.1" || !target.secure ? ["http/1.1"] : ["h2", "http/1.1"],
  };
}

const tlsKeys = new WeakMap<TlsOptions, string>();
const policyKeys = new WeakMap<ConnectPolicy, number>();
let policies = 0;

/**
 * Equal for requests that may share connections: same origin, proxy and protocol, TLS material of the same content, and
 * the very same policy function, since what another policy would say of an open connection's address is not known.
 */
export function poolKeyOf(request: TransportRequest, target: Target): string {
  const { tls, proxy, connectPolicy, protocol } = request;
  let key = target.secure ? `https ${target.name}` : `http ${target.name}`;
  if (protocol !== undefined) key += ` ${protocol}`;
  if (tls !== undefined && target.secure) key += ` tls ${tlsKeyOf(tls)}`;
  if (connectPolicy !== undefined) key += ` policy ${policyKeyOf(connectPolicy)}`;
  // Last, since nobody has looked at its spelling yet.
  if (proxy !== undefined) key += ` proxy ${proxy}`;
  return key;
}

/** A digest, so that no key material lies about as a map key. */
function tlsKeyOf(tls: TlsOptions): string {
  const known = tlsKeys.get(tls);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  for (const part of [tls.ca, tls.cert, tls.key, tls.serverName]) {
    hash.update(part === undefined ? "-" : `${part.length}:`).update(part ?? "");
  }
  const key = hash.update(tls.insecureSkipVerify ? "!" : "").digest("base64url");
  tlsKeys.set(tls, key);
  return key;
}

function policyKeyOf(policy: ConnectPolicy): number {
  const known = policyKeys.get(policy);
  if (known !== undefined) return known;
  policies += 1;
  policyKeys.set(policy, policies);
  return policies;
}
