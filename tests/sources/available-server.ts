import { isCodedError } from "farwatch";

/** A server that the machine has, or why a test that needs it is skipped; `CI=true` forbids skipped tests. */
export type AvailableServer<S> = { readonly server: S } | { readonly skip: string };

export async function availableServer<S>(start: () => Promise<S>): Promise<AvailableServer<S>> {
  try {
    return { server: await start() };
  } catch (error) {
    if (!isCodedError(error, "NotFound")) throw error;
    return { skip: error.message };
  }
}
