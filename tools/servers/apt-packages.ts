import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, rm, writeFile } from "node:fs/promises";
import type { Installer } from "./installer.ts";

/** Debian asks it before a package starts its service; 101 is no. */
const policyFile = "/usr/sbin/policy-rc.d";

export interface AptPackages extends Omit<Installer, "install" | "does"> {
  readonly packages: readonly string[];
  readonly takes: string;
}

/** Packages of Debian or Ubuntu. Their services are not started: suites start servers of their own. */
export function aptPackages({ packages, takes, ...installer }: AptPackages): Installer {
  return {
    ...installer,
    does: `apt-get install ${packages.join(" ")}, ${takes}`,
    async install(log): Promise<void> {
      if (process.getuid?.() !== 0) {
        throw new Error(
          `Cannot install ${packages.join(" ")}: this is not root; run: sudo apt-get install ${packages.join(" ")}`,
        );
      }
      await using _quiet = await withoutServices();
      // The lists of a fresh container are empty.
      await apt(["update"], log);
      await apt(["install", "--yes", "--no-install-recommends", ...packages], log);
    },
  };
}

async function withoutServices(): Promise<AsyncDisposable> {
  const isOurs = await access(policyFile).then(
    () => false,
    () => true,
  );
  if (isOurs) await writeFile(policyFile, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      if (isOurs) await rm(policyFile, { force: true });
    },
  };
}

async function apt(args: readonly string[], log: (line: string) => void): Promise<void> {
  log(`apt-get ${args.join(" ")}`);
  const child = spawn("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=120", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => output.push(part));
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  throw new Error(
    `Cannot run apt-get ${args[0]}: it ended with exit code ${code}:\n${Buffer.concat(output).toString("utf8").slice(-4_000)}`,
  );
}
