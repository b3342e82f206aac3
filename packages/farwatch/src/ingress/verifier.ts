import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../observe/logger.ts";
import type { IngressRequest } from "./ingress.ts";

/** What a verifier may ask. */
export interface VerifierContext {
  /** The source that the request is for. */
  readonly source: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Who sent a request. */
export interface Verified {
  /** Names the sender, or the secret that senders share: rates are limited by it. Never a secret itself. */
  readonly identity: string;
}

/**
 * Says who sent a request, or that nobody who may has. Verifiers are made by functions (`githubSignature`,
 * `tokenReview`, …) and may be given to several sources; a program may bring its own.
 */
export interface Verifier {
  /** What of a request nobody but the sender can have written: `body` alone, or all of it, `request`. */
  readonly covers: "body" | "request";
  /** What stands in the WWW-Authenticate header of a 401. */
  readonly challenge: string;
  /**
   * Headers by which it checks, in lower case: they are handed on to nobody, and neither is what is called like a
   * credential.
   */
  readonly credentialHeaders?: readonly string[] | undefined;
  /** The path is what the sender knows: it is shown nowhere. */
  readonly secretPath?: boolean | undefined;
  /**
   * Undefined when the check was made and failed, which is answered with 401 and no detail. A check that cannot be made
   * (no key, no answer of the API server) must throw, which is answered with 503: for many senders a 401 is final.
   */
  verify(request: IngressRequest, ctx: VerifierContext): Promise<Verified | undefined>;
  /** What two deliveries of one event have in common, for senders whose events have no identity that can be trusted. */
  duplicateKey?(request: IngressRequest, body: Uint8Array): string | undefined;
}
