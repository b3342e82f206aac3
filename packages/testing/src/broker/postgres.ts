import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { access, chown, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { CodedError } from "farwatch";
import { freePort, withFreePorts } from "../process/free-port.ts";
import { runProcess } from "../process/server-process.ts";
import { type BrokerFolders, type BrokerServer, type BrokerServerOptions, startBroker } from "./broker-server.ts";
import { adviceFor } from "./find-program.ts";

/** PostgreSQL with a new cluster that writes to disk before it says that it has (fsync). */
export interface Postgres extends BrokerServer {
  readonly port: number;
  /** `postgres://farwatch:PASSWORD@127.0.0.1:PORT/postgres`: the superuser. */
  readonly url: string;
}

const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";

/** The folder of its programs: Debian's newest, else one of the PATH. */
export async function findPostgres(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const versions = await readdir(debianFolder).catch(() => []);
  const debian = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, "bin"));
  for (const folder of [...debian, ...(env.PATH ?? "").split(delimiter)]) {
    const isThere = await Promise.all(["initdb", "postgres"].map((program) => access(join(folder, program)))).then(
      () => true,
      () => false,
    );
    if (isThere) return folder;
  }
  throw new CodedError("NotFound", `Cannot find PostgreSQL: there is no initdb; ${adviceFor("initdb")}`);
}

/**
 * As root it runs under the user `postgres`, or `nobody`, since it refuses root.
 *
 * @throws CodedError `NotFound` where it is not installed; `ServerUnavailable` when its cluster cannot be made or it
 * does not come up; the signal's reason when it aborts.
 */
export async function startPostgres(options: BrokerServerOptions = {}): Promise<Postgres> {
  const programs = await findPostgres(options.env);
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : undefined;
  return await withFreePorts(async () => {
    const port = await freePort();
    const password = randomBytes(16).toString("hex");
    const as = (program: string, args: readonly string[]): { command: string; args: readonly string[] } => {
      const command = join(programs, program);
      if (user === undefined) return { command, args };
      const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
      return { command: "setpriv", args: [...identity, command, ...args] };
    };
    const server = await startBroker({
      name: "postgres",
      options,
      readyWithin: "30s",
      async prepare({ folder, data }: BrokerFolders): Promise<void> {
        const passwordFile = join(folder, "password");
        await writeFile(passwordFile, password, { mode: 0o600 });
        if (user !== undefined) {
          await chown(passwordFile, user.uid, user.gid);
          await chown(data, user.uid, user.gid);
        }
        const settings = ["--username=farwatch", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
        await runProcess({
          doing: "make a cluster of PostgreSQL",
          name: "initdb",
          ...as("initdb", [`--pgdata=${data}`, ...settings, "--encoding=UTF8", "--no-locale", "--no-sync"]),
          logFile: join(folder, "postgres.log"),
          signal: options.signal,
        });
      },
      command: ({ data }) => {
        const settings = [
          "listen_addresses=127.0.0.1",
          `port=${port}`,
          "unix_socket_directories=",
          "shared_buffers=16MB",
          "max_connections=60",
        ];
        return as("postgres", ["-D", data, ...settings.flatMap((setting) => ["-c", setting])]);
      },
      check: async () => {
        try {
          await run(join(programs, "pg_isready"), ["--host=127.0.0.1", `--port=${port}`]);
          return undefined;
        } catch (error) {
          return `pg_isready says ${(error as { readonly stdout?: string }).stdout?.trim()}`;
        }
      },
      // Its workers lead sessions of their own, so a signal to the group does not reach them.
      alsoKill: childrenOf,
      // SIGTERM would wait until every client has left.
      stopSignal: "SIGINT",
    });
    return Object.assign(server, { port, url: `postgres://farwatch:${password}@127.0.0.1:${port}/postgres` });
  });
}

async function unprivilegedUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const [, , uid, gid] = lines.find(([name]) => name === "postgres") ?? lines.find(([name]) => name === "nobody") ?? [];
  if (uid === undefined || gid === undefined)
    throw new CodedError("NotFound", "Cannot run PostgreSQL: it refuses root, and there is no user postgres or nobody");
  return { uid: Number(uid), gid: Number(gid) };
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    // Not Linux: they end by themselves when they see that their parent has.
    return [];
  }
}
