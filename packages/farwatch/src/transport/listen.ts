import type { AddressInfo, Server } from "node:net";
import { CodedError, messageOf } from "../error/coded-error.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** For the error: `health and metrics`. */
  readonly serves: string;
  /** Where the address is chosen, for the error: `http`. */
  readonly option: string;
}

/** Resolves with the address. @throws CodedError `InvalidOption` when it cannot be had, or the port is none. */
export async function listen(
  server: Server,
  { host, port, serves, option }: ListenOptions,
): Promise<{ readonly host: string; readonly port: number }> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // What is no port at all is thrown.
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (cause) {
    throw new CodedError(
      "InvalidOption",
      `Cannot serve ${serves} on ${host}:${port}: ${messageOf(cause)}; choose another address with \`${option}\``,
      { cause },
    );
  }
  return { host, port: (server.address() as AddressInfo).port };
}
