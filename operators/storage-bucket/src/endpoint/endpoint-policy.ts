import { BlockList, isIP } from "node:net";
import type { ConnectPolicy } from "farwatch";
import { classifyAddress } from "./address-class.ts";

/** A connection that the operator will not make; the text is for a status and names no address that a tenant does not know. */
export class EndpointRefused extends Error {
  readonly host: string;

  constructor(host: string, message: string) {
    super(message);
    this.name = "EndpointRefused";
    this.host = host;
  }
}

/** A value of `--allow-endpoint` that cannot be read. */
export class InvalidAllowEndpoint extends Error {
  constructor(value: string) {
    super(
      `Cannot read --allow-endpoint ${JSON.stringify(value)}: give NAMESPACE=CIDR or NAMESPACE=host[:port], such as storage=10.0.0.0/8 or default=minio.store.svc:9000`,
    );
    this.name = "InvalidAllowEndpoint";
  }
}

interface Exception {
  /** `*`: every namespace. */
  readonly namespace: string;
  allows(ip: string, host: string, port: number): boolean;
}

/** Which endpoints objects of a namespace may name. */
export interface EndpointPolicy {
  /** To be asked with every address right before it is connected to. */
  forNamespace(namespace: string): ConnectPolicy;
}

/**
 * Public addresses are open to everybody; private ones and loopback only through exceptions; link-local, metadata and
 * agent addresses never.
 *
 * @throws InvalidAllowEndpoint
 */
export function createEndpointPolicy(allowEndpoints: readonly string[]): EndpointPolicy {
  const exceptions = allowEndpoints.map(parseException);
  /** One function a namespace: the transport shares connections among requests with the same one. */
  const policies = new Map<string, ConnectPolicy>();
  return {
    forNamespace(namespace): ConnectPolicy {
      const known = policies.get(namespace);
      if (known !== undefined) return known;
      const own = exceptions.filter((each) => each.namespace === "*" || each.namespace === namespace);
      const policy: ConnectPolicy = ({ ip, host, port }) => {
        const found = classifyAddress(ip);
        if (found === "public") return;
        if (found === "private" && own.some((each) => each.allows(ip, host, port))) return;
        throw new EndpointRefused(
          host,
          found === "forbidden"
            ? `endpoint ${host} is at an address that is never allowed (link-local or metadata)`
            : `endpoint ${host} is at a private address; the operator's --allow-endpoint does not open it for namespace ${namespace}`,
        );
      };
      policies.set(namespace, policy);
      return policy;
    },
  };
}

function parseException(value: string): Exception {
  const [, namespace, target] =
    /^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)=(.+)$/.exec(value)?.filter((_, index) => index !== 2) ?? [];
  if (namespace === undefined || target === undefined) throw new InvalidAllowEndpoint(value);
  const [, net, prefix] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(target) ?? [];
  if (net !== undefined && prefix !== undefined) {
    const version = isIP(net);
    if (version === 0 || Number(prefix) > (version === 4 ? 32 : 128)) throw new InvalidAllowEndpoint(value);
    const list = new BlockList();
    list.addSubnet(net, Number(prefix), version === 4 ? "ipv4" : "ipv6");
    return { namespace, allows: (ip) => list.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4") };
  }
  const url = parseAuthority(target);
  if (url === undefined) throw new InvalidAllowEndpoint(value);
  return {
    namespace,
    allows: (_ip, host, port) => host === url.host && (url.port === undefined || url.port === port),
  };
}

/** `host` or `host:port`, in the URL parser's canonical form; undefined when it is anything else. */
export function parseAuthority(text: string): { readonly host: string; readonly port: number | undefined } | undefined {
  if (/[/?#@\s\\]/.test(text) || text === "") return undefined;
  // A scheme without a default port keeps the port that was given, 443 and 80 too; http makes the host canonical.
  const [, port] = /:(\d{1,5})$/.exec(text.replace(/^\[[^\]]*\]/, "")) ?? [];
  if (!URL.canParse(`http://${text}/`)) return undefined;
  const { hostname } = new URL(`http://${text}/`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === undefined ? undefined : Number(port) };
}
