import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { toMs } from "../clock/duration.ts";
import type { Logger } from "../observe/logger.ts";
import type { Credential, CredentialSource } from "./cluster-config.ts";
import { singleFlight } from "./single-flight.ts";

/** A credential as it was loaded, and how long it is good for. */
export interface LoadedCredential {
  readonly credential: Credential;
  /** True when it is time to load again. */
  due(): boolean;
  /** True while it may go on being used although loading again has failed. */
  usable(): boolean;
}

export interface RenewedCredentialOptions {
  readonly clock: Clock;
  readonly log: Logger;
  load(signal: AbortSignal): Promise<LoadedCredential>;
  /** After a 401 has caused a load, the next 401 causes another no sooner than this; default 0. */
  readonly refusedEvery?: Duration | undefined;
}

/** How long after a failed renewal the old credential is used before loading is tried again. */
const retryAfterMs = 10_000;

/**
 * Keeps what `load` gave until it is due or refused. Nothing runs on a timer: whoever asks causes the load, one for all
 * who ask meanwhile. The same content stays the same object, so that connections made with it stay in use.
 */
export function renewedCredential(options: RenewedCredentialOptions): CredentialSource {
  const { clock, log, load } = options;
  const refusedEveryMs = toMs(options.refusedEvery ?? 0);
  let held: LoadedCredential | undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let refusedNotBeforeMs = Number.NEGATIVE_INFINITY;

  const renew = singleFlight(async (signal) => {
    const loaded = await load(signal);
    const same = held !== undefined && isDeepStrictEqual(held.credential, loaded.credential);
    held = same && held !== undefined ? { ...loaded, credential: held.credential } : loaded;
    return held.credential;
  });

  return {
    async current(signal): Promise<Credential> {
      if (held !== undefined && (!held.due() || (held.usable() && clock.elapsed() < notBeforeMs)))
        return held.credential;
      try {
        return await renew(signal);
      } catch (error) {
        if (signal?.aborted || !held?.usable()) throw error;
        notBeforeMs = clock.elapsed() + retryAfterMs;
        log.warn("Cannot renew credentials, the old ones stay in use", { error });
        return held.credential;
      }
    },
    async refused(credential, signal): Promise<boolean> {
      if (held !== undefined && !isDeepStrictEqual(held.credential, credential)) return true;
      if (clock.elapsed() < refusedNotBeforeMs) return false;
      const renewed = await renew(signal);
      refusedNotBeforeMs = clock.elapsed() + refusedEveryMs;
      return !isDeepStrictEqual(renewed, credential);
    },
  };
}

/** One source of two that are renewed apart; where both say something, the second wins. */
export function joinedCredential(first: CredentialSource, second: CredentialSource): CredentialSource {
  let held: { readonly parts: readonly [Credential, Credential]; readonly joined: Credential } | undefined;

  const join = async (signal: AbortSignal | undefined): Promise<NonNullable<typeof held>> => {
    const parts = await Promise.all([first.current(signal), second.current(signal)]);
    if (held?.parts[0] !== parts[0] || held.parts[1] !== parts[1]) {
      const [a, b] = parts;
      held = { parts, joined: { headers: { ...a.headers, ...b.headers }, tls: { ...a.tls, ...b.tls } } };
    }
    return held;
  };

  return {
    current: async (signal) => (await join(signal)).joined,
    async refused(credential, signal): Promise<boolean> {
      const { parts, joined } = await join(signal);
      if (!isDeepStrictEqual(joined, credential)) return true;
      const changed = await Promise.all([first.refused(parts[0], signal), second.refused(parts[1], signal)]);
      return changed.includes(true);
    },
  };
}
