import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { CodedError, isCodedError } from "farwatch";

/**
 * Below the range from which systems take the local ports of outgoing connections, so that a port stays free over a
 * restart.
 */
const lowest = 20_000;
const highest = 32_000;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** A port of 127.0.0.1 on which nobody listens now; somebody else may still take it before the caller does. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new CodedError(
    "Internal",
    `Cannot find a free port: 200 tries between ${lowest} and ${highest} on 127.0.0.1 were all taken`,
  );
}

/**
 * Calls `start` again, up to three times in all, when somebody took its port between `freePort` and the server's bind;
 * that shows in the end of the server's log, which a failed start puts into its error.
 */
export async function withFreePorts<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 3 || !lostItsPort(error)) throw error;
    }
  }
}

/** True for a start that is worth another try on other ports. */
export function lostItsPort(error: unknown): boolean {
  return isCodedError(error, "ServerUnavailable") && /address already in use/i.test(error.message);
}
