import { firstLineProblem } from "../process/first-line.ts";
import { freePort, withFreePorts } from "../process/free-port.ts";
import { httpCall } from "../process/http-call.ts";
import { type BrokerServer, type BrokerServerOptions, startBroker } from "./broker-server.ts";
import { findProgram } from "./find-program.ts";

/**
 * A NATS server with JetStream, which keeps streams of file storage in its folder. It has no users but those of its
 * flags.
 */
export interface NatsServer extends BrokerServer {
  readonly port: number;
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  /** The names of the clients that are connected. */
  clients(): Promise<readonly string[]>;
}

export interface NatsServerOptions extends BrokerServerOptions {
  /** Further flags, such as `--auth`. */
  readonly flags?: readonly string[];
}

/** @throws CodedError `NotFound` where it is not installed; `ServerUnavailable` when it does not come up. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const command = await findProgram("nats-server", options.env);
  return await withFreePorts(async () => {
    const [port, monitorPort] = [await freePort(), await freePort()];
    const server = await startBroker({
      name: "nats",
      options,
      readyWithin: "30s",
      command: ({ data }) => ({
        command,
        args: [
          ...["--addr", "127.0.0.1", "--port", String(port), "--http_port", String(monitorPort)],
          ...["--jetstream", "--store_dir", data],
          ...(options.flags ?? []),
        ],
      }),
      check: () => greeting(port),
    });
    return Object.assign(server, {
      port,
      url: `nats://127.0.0.1:${port}`,
      async clients(): Promise<readonly string[]> {
        const { text } = await httpCall(`http://127.0.0.1:${monitorPort}/connz`);
        const { connections } = JSON.parse(text) as { readonly connections: readonly { readonly name?: string }[] };
        return connections.map(({ name = "" }) => name);
      },
    });
  });
}

/** It greets who connects with what it can do; JetStream is there when that says so. */
function greeting(port: number): Promise<string | undefined> {
  return firstLineProblem(port, {
    problem: (line) => (/^INFO .*"jetstream":true/.test(line) ? undefined : `it greets with ${line}`),
  });
}
