/** How a broker is reached over TLS: PEM. */
export interface BrokerTls {
  /** Of those who may have signed the server's certificate; default: the authorities that Node trusts. */
  readonly ca?: string | undefined;
  /** This client's own, with its key: for mutual TLS. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** For Node's sockets, without what was left out: some of their options mean something when they are undefined. */
export function socketTls({ ca, cert, key }: BrokerTls): { ca?: string; cert?: string; key?: string } {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
