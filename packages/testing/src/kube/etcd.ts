import { CodedError } from "farwatch";
import { httpCall, httpProblem } from "../process/http-call.ts";
import { type ServerProcess, startProcess } from "../process/server-process.ts";

export interface EtcdOptions {
  readonly binary: string;
  readonly dataFolder: string;
  readonly port: number;
  readonly peerPort: number;
  readonly logFile: string;
}

/** One etcd member, on loopback without TLS. It skips fsync, so its data survives SIGKILL but not a power cut. */
export function startEtcd(options: EtcdOptions): Promise<ServerProcess> {
  const url = etcdUrl(options.port);
  return startProcess({
    name: "etcd",
    command: options.binary,
    args: [
      `--data-dir=${options.dataFolder}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=http://127.0.0.1:${options.peerPort}`,
      "--unsafe-no-fsync",
    ],
    logFile: options.logFile,
  });
}

export function etcdUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** What the gateway's `/health` says: undefined when it is well. */
export function etcdProblem(port: number): Promise<string | undefined> {
  return httpProblem(etcdUrl(port), { path: "/health" });
}

async function call(port: number, path: string, body: object): Promise<unknown> {
  const { status, text } = await httpCall(`${etcdUrl(port)}${path}`, { method: "POST", body: JSON.stringify(body) });
  if (status !== 200)
    throw new CodedError("ServerUnavailable", `Cannot call etcd's ${path}: it answers ${status} ${text}`);
  return JSON.parse(text);
}

/**
 * Forgets every revision before the newest one, which is returned. A watch or list from an older one gets 410 from then
 * on.
 */
export async function compactEtcd(port: number): Promise<number> {
  const { header } = (await call(port, "/v3/kv/range", {
    key: Buffer.from("/").toString("base64"),
    count_only: true,
  })) as {
    readonly header: { readonly revision: string };
  };
  await call(port, "/v3/kv/compaction", { revision: header.revision, physical: true });
  return Number(header.revision);
}
