import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { CodedError } from "farwatch";

/** Below the range from which systems take the local ports of outgoing connections, so that a port stays free over a restart. */
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
