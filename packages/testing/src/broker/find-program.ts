import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { CodedError } from "farwatch";

/** The packages of Debian and Ubuntu that bring what the starters run, by the name of the program. */
export const debianPackages = {
  "nats-server": "nats-server",
  "redis-server": "redis-server",
  initdb: "postgresql",
  java: "default-jre-headless",
  mvn: "maven",
} as const;

/** Where Debian puts servers, which is not on every user's PATH. */
const alsoIn = ["/usr/sbin", "/usr/local/sbin"];

/**
 * The path of a server's program, of the PATH or where Debian puts servers.
 *
 * @throws CodedError `NotFound` where it is not.
 */
export async function findProgram(name: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  for (const folder of [...(env.PATH ?? "").split(delimiter), ...alsoIn]) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => folder !== "",
      () => false,
    );
    if (isThere) return path;
  }
  throw new CodedError("NotFound", `Cannot find ${name}: it is not installed; ${adviceFor(name)}`);
}

/** How a program comes onto this machine. */
export function adviceFor(name: string): string {
  const known: Readonly<Record<string, string>> = debianPackages;
  if (!Object.hasOwn(known, name)) return "install it, and see that its folder is on the PATH";
  return `install it, on Debian or Ubuntu with \`apt-get install ${known[name]}\``;
}
