import { BlockList, isIP } from "node:net";
import { CodedError, type ConnectPolicy } from "farwatch";
import { classifyAddress } from "./address-class.ts";
import { parseAuthority } from "./authority.ts";

/** A connection that the operator will not make. Its message may stand in a status: it names the host as the spec does, and no address. */
export class EndpointRefused extends CodedError {
  constructor(host: string, why: string) {
    super("Forbidden", `Cannot connect to ${host}: ${why}`);
  }
}

/** Private addresses that objects of some namespace may name all the same. */
export interface AllowedEndpoint {
  /** As it was written. */
  readonly text: string;
  /** `*`: every namespace. */
  readonly namespace: string;
  allows(ip: string, host: string, port: number): boolean;
}

/** Which endpoints objects of a namespace may name. */
export interface EndpointPolicy {
  /** To be asked with every address right before it is connected to; throws EndpointRefused. The same function each time. */
  forNamespace(namespace: string): ConnectPolicy;
}

/**
 * Public addresses are open to everybody; private ones and loopback only where they are allowed; link-local, metadata and
 * agent addresses never. A proxy is the operator's own choice, and passes wherever it is.
 */
export function createEndpointPolicy(allowed: readonly AllowedEndpoint[]): EndpointPolicy {
  // The transport shares connections among requests with the very same function.
  const policies = new Map<string, ConnectPolicy>();
  return {
    forNamespace(namespace): ConnectPolicy {
      const known = policies.get(namespace);
      if (known !== undefined) return known;
      const policy = policyOf(
        namespace,
        allowed.filter((each) => each.namespace === "*" || each.namespace === namespace),
      );
      policies.set(namespace, policy);
      return policy;
    },
  };
}

function policyOf(namespace: string, allowed: readonly AllowedEndpoint[]): ConnectPolicy {
  return ({ ip, host, port, proxy }) => {
    if (proxy === true) return;
    const found = classifyAddress(ip);
    if (found === "public") return;
    if (found === "forbidden")
      throw new EndpointRefused(host, "its address is link-local or a metadata service's, which is never allowed");
    if (allowed.some((each) => each.allows(ip, host, port))) return;
    throw new EndpointRefused(
      host,
      `its address is private, and no --allow-endpoint of the operator opens it for namespace ${namespace}`,
    );
  };
}

/** Reads `NAMESPACE=CIDR` or `NAMESPACE=host[:port]`; undefined when the text is neither. A host without a port allows every port. */
export function parseAllowedEndpoint(text: string): AllowedEndpoint | undefined {
  const { namespace, target } =
    /^(?<namespace>\*|[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)=(?<target>.+)$/.exec(text)?.groups ?? {};
  if (namespace === undefined || target === undefined) return undefined;
  const allows = target.includes("/") ? inRange(target) : atHost(target);
  return allows === undefined ? undefined : { text, namespace, allows };
}

function inRange(cidr: string): AllowedEndpoint["allows"] | undefined {
  const [net = "", prefix = "", more] = cidr.split("/");
  const version = isIP(net);
  if (version === 0 || more !== undefined || !/^\d{1,3}$/.test(prefix)) return undefined;
  if (Number(prefix) > (version === 4 ? 32 : 128)) return undefined;
  const list = new BlockList();
  list.addSubnet(net, Number(prefix), version === 4 ? "ipv4" : "ipv6");
  return (ip) => list.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4");
}

function atHost(target: string): AllowedEndpoint["allows"] | undefined {
  const authority = parseAuthority(target);
  if (authority === undefined) return undefined;
  return (_ip, host, port) => host === authority.host && (authority.port === undefined || authority.port === port);
}
