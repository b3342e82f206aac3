import { firstLineProblem } from "../process/first-line.ts";
import { freePort, withFreePorts } from "../process/free-port.ts";
import { type BrokerServer, type BrokerServerOptions, startBroker } from "./broker-server.ts";
import { findProgram } from "./find-program.ts";

/**
 * A Redis that writes each command to disk before it answers (`appendonly yes`, `appendfsync always`). It asks for no
 * password but that of its settings.
 */
export interface RedisServer extends BrokerServer {
  readonly port: number;
  /** `redis://127.0.0.1:PORT` */
  readonly url: string;
}

export interface RedisServerOptions extends BrokerServerOptions {
  /** Of its configuration file, over ours: `{ requirepass: "secret" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** @throws CodedError `NotFound` where it is not installed; `ServerUnavailable` when it does not come up. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const command = await findProgram("redis-server", options.env);
  return await withFreePorts(async () => {
    const port = await freePort();
    const settings = {
      bind: "127.0.0.1",
      port,
      appendonly: "yes",
      appendfsync: "always",
      save: "",
      ...options.settings,
    };
    const server = await startBroker({
      name: "redis",
      options,
      readyWithin: "30s",
      command: ({ data }) => ({
        command,
        args: Object.entries({ ...settings, dir: data }).flatMap(([name, value]) => [`--${name}`, String(value)]),
      }),
      check: () => pong(port),
    });
    return Object.assign(server, { port, url: `redis://127.0.0.1:${port}` });
  });
}

/** It refuses commands while it reads its data. */
function pong(port: number): Promise<string | undefined> {
  return firstLineProblem(port, {
    ask: "PING\r\n",
    problem: (line) => (/^(\+PONG|-NOAUTH)/.test(line) ? undefined : `PING: ${line}`),
  });
}
