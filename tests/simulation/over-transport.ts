import type { Transport } from "farwatch";

/** A Transport that sends its requests in another way, and is the one below in everything else. */
export function overTransport(transport: Transport, request: Transport["request"]): Transport {
  return {
    request,
    get inFlight() {
      return transport.inFlight;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
