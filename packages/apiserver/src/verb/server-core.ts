import type { Clock, Random } from "farwatch";
import type { Admission } from "../admit/admission.ts";
import type { Review } from "../authorize/review.ts";
import type { TokenRequest } from "../authorize/token-request.ts";
import type { Authorizer } from "../authorize/user.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../store/store.ts";
import type { Codec } from "./codec.ts";
import type { OpenWatch } from "./open-watch.ts";

/** What the verbs work on. */
export interface ServerCore {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly registry: Registry;
  readonly codec: Codec;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  /** The questions that are asked by a create, by `GROUP/PLURAL`. */
  readonly reviews: ReadonlyMap<string, Review>;
  readonly tokenRequest: TokenRequest;
  /** Those that have not ended: a server that goes to another state ends them all. */
  readonly watches: Set<OpenWatch>;
  /** A random (version 4) UUID. */
  uuid(): string;
}
