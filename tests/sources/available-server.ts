import { after } from "node:test";
import { isCodedError } from "farwatch";

export interface AvailableServer<S> {
  /** Undefined where the machine has none. */
  readonly server: S | undefined;
  readonly skip: string | false;
}

/** Why a test that needs what is looked for is skipped; `CI=true` forbids skipped tests. */
export async function skipWithout(find: () => Promise<unknown>): Promise<string | false> {
  try {
    await find();
    return false;
  } catch (error) {
    if (!isCodedError(error, "NotFound")) throw error;
    return error.message;
  }
}

/** A server for the tests of a file, which ends with them. */
export async function availableServer<S extends AsyncDisposable>(start: () => Promise<S>): Promise<AvailableServer<S>> {
  let server: S | undefined;
  const skip = await skipWithout(async () => {
    server = await start();
  });
  after(() => server?.[Symbol.asyncDispose]());
  return { server, skip };
}
