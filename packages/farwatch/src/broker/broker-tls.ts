import { checkText } from "../error/given-text.ts";
import { type FreshSecret, type FreshSecretOptions, freshSecret } from "./fresh-secret.ts";

/** How a broker is reached over TLS: PEM. */
export interface BrokerTls {
  /** Of those who may have signed the server's certificate; default: the authorities that Node trusts. */
  readonly ca?: string | undefined;
  /** This client's own, with its key: for mutual TLS. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** @throws CodedError `InvalidOption`, without what was given: it may be a key. */
export function checkTls(given: unknown, doing: string): void {
  if (given === undefined || typeof given === "function") return;
  const parts = typeof given === "object" && given !== null && !Array.isArray(given) ? given : undefined;
  const give = "an object of `ca`, `cert` and `key`, or a function that gives it";
  checkText(parts === undefined ? null : "given", { doing, what: "tls", give });
  const { ca, cert, key } = parts as { readonly [part in keyof BrokerTls]: unknown };
  for (const [part, text] of Object.entries({ ca, cert, key }))
    if (text !== undefined) checkText(text, { doing, what: `tls.${part}`, give: "PEM as a text" });
}

/**
 * What it says now, for Node's sockets, without what was left out: some of their options mean something when they are
 * undefined.
 *
 * @throws CodedError `CredentialFailed` when the function fails, `InvalidOption` when it gives anything else; the
 *   signal's reason when it aborts.
 */
export async function socketTls(
  tls: FreshSecret<BrokerTls>,
  opening: Omit<FreshSecretOptions, "what">,
): Promise<{ ca?: string; cert?: string; key?: string }> {
  const given = await freshSecret(tls, { ...opening, what: "tls" });
  checkTls(given ?? null, `open source ${opening.source}`);
  const { ca, cert, key } = given;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
