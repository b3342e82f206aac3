import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { CodedError } from "farwatch";
import { freePort, withFreePorts } from "../process/free-port.ts";
import { httpProblem } from "../process/http-call.ts";
import { type BrokerServer, type BrokerServerOptions, startBroker } from "./broker-server.ts";

/** fauxqs, which speaks the API of SQS and keeps its queues in a file. It checks no credentials. */
export interface Sqs extends BrokerServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, the endpoint for any client of SQS. */
  readonly url: string;
  readonly region: string;
}

/**
 * @throws CodedError `NotFound` where the package fauxqs is not installed; `ServerUnavailable` when it does not come
 * up.
 */
export async function startSqs(options: BrokerServerOptions = {}): Promise<Sqs> {
  try {
    import.meta.resolve("fauxqs");
  } catch (cause) {
    throw new CodedError(
      "NotFound",
      "Cannot find fauxqs: it is not installed; install it with `npm install --save-dev fauxqs`",
      { cause },
    );
  }
  return await withFreePorts(async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const main = fileURLToPath(new URL(`./fauxqs-main${extname(import.meta.filename)}`, import.meta.url));
    const server = await startBroker({
      name: "sqs",
      options,
      readyWithin: "30s",
      command: ({ data }) => ({ command: process.execPath, args: ["--no-warnings", main, String(port), data] }),
      check: () => httpProblem(url, { path: "/health" }),
    });
    return Object.assign(server, { port, url, region: "us-east-1" });
  });
}
