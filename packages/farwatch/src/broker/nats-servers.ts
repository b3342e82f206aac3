import { checkText, checkTexts } from "../error/given-text.ts";
import { type BrokerTls, checkTls } from "./broker-tls.ts";
import type { FreshSecret } from "./fresh-secret.ts";

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
  readonly auth?: FreshSecret<NatsAuth> | undefined;
  readonly tls?: FreshSecret<BrokerTls> | undefined;
  /** Under which the server answers; default `_INBOX`. For accounts that give each user its own. */
  readonly inboxPrefix?: string | undefined;
}

const doing = "read from NATS";

/** @throws CodedError `InvalidOption` when it names no server, and for what is no way to connect to one. */
export function checkNatsServers({ servers, auth, tls }: NatsServers): void {
  checkTls(tls, doing);
  checkAuth(auth, doing);
  checkTexts(Array.isArray(servers) ? servers : servers === undefined ? [] : [servers], {
    doing,
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

/** @throws CodedError `InvalidOption`, without what was given: it is a secret. */
export function checkAuth(given: unknown, doing: string): void {
  if (given === undefined || typeof given === "function") return;
  const { token, user, password, credentials, nkeySeed } = Object(given) as { readonly [part: string]: unknown };
  const secret = user === undefined ? (token ?? credentials ?? nkeySeed) : password;
  const give = "{ token }, { user, password }, { credentials }, { nkeySeed } or a function that gives one";
  for (const text of [user ?? "nobody", secret]) checkText(text ?? null, { doing, what: "auth", give });
}
