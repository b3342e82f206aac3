import { chooseProxy } from "../client/proxy-choice.ts";
import { readText } from "../client/response-body.ts";
import type { Clock } from "../clock/clock.ts";
import { createHttpTransport } from "../transport/http-transport.ts";
import type { Transport, TransportRequest } from "../transport/transport.ts";

/** How a verifier fetches what it checks by. */
export interface FetchOptions {
  readonly clock: Clock;
  /** Not disposed of. Default: one of its own, since so little is fetched that nothing is worth keeping open. */
  readonly transport?: Transport | undefined;
  /** Certificate authorities, in PEM; default: the system's. */
  readonly ca?: string | Uint8Array | undefined;
  readonly accept: string;
}

export interface Fetched {
  readonly status: number;
  readonly text: string;
}

const longestMs = 5_000;
const mostBytes = 256 * 1024;

/**
 * GET, through the proxy of the environment. Redirects are not followed: what is fetched is where its URL says, or
 * nowhere.
 */
export async function fetchText(url: string, options: FetchOptions): Promise<Fetched> {
  const { clock, ca, accept } = options;
  await using own = createHttpTransport({ clock });
  const { transport = own } = options;
  const tls: TransportRequest["tls"] = ca === undefined ? undefined : { ca };
  using signal = clock.timeout(longestMs, undefined, { waitsFor: new URL(url).host });
  const { status, body } = await transport.request({
    method: "GET",
    url,
    headers: { accept },
    proxy: chooseProxy(url, process.env),
    tls,
    signal,
  });
  return { status, text: await readText(body, mostBytes, () => `read ${url}`) };
}
