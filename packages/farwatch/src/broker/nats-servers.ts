import type { BrokerTls } from "./broker-tls.ts";
import { checkTexts } from "./given-text.ts";

/** Who connects: a token, a user, the text of a `.creds` file, or the seed of an NKey. */
export type NatsAuth =
  | { readonly token: string }
  | { readonly user: string; readonly password: string }
  | { readonly credentials: string }
  | { readonly nkeySeed: string };

export interface NatsServers {
  /**
   * `nats://host:4222`, or `tls://host:4222`, which insists on TLS; several are tried in turn. For TLS name the host:
   * the client checks no certificate against an address, and so refuses it.
   */
  readonly servers: string | readonly string[];
  /** A function is called at each opening, so that a secret which changes is read again; it has 30 s. */
  readonly auth?: NatsAuth | (() => NatsAuth | Promise<NatsAuth>) | undefined;
  readonly tls?: BrokerTls | undefined;
  /** Under which the server answers; default `_INBOX`. For accounts that give each user its own. */
  readonly inboxPrefix?: string | undefined;
}

/** @throws CodedError `InvalidOption` when it names no server. */
export function checkNatsServers({ servers }: NatsServers): void {
  checkTexts(Array.isArray(servers) ? servers : servers === undefined ? [] : [servers], {
    doing: "read from NATS",
    what: "servers",
    give: "nats://HOST:4222 or tls://HOST:4222, and who connects as `auth`",
    isRight,
  });
}

/** The client takes no user out of a URL, so that one in it would be kept from the server without a word. */
function isRight(url: string): boolean {
  const [, address] = /^(?:(?:nats|tls):\/\/)?([^\s/?#@]+)\/?$/i.exec(url) ?? [];
  return address !== undefined && URL.canParse(`tcp://${address}`);
}
