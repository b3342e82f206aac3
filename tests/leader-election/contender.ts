import { locateBinaries } from "@farwatch/testing";
import { type ChildProgram, startCommand } from "../e2e/child-program.ts";
import { eventually } from "../eventually.ts";

/** tools/leader-election as a process: client-go, standing for election. */
export interface Contender extends ChildProgram {
  readonly identity: string;
  /** Resolves when it has printed this line. */
  printed(line: string): Promise<void>;
}

export interface ContenderOptions {
  readonly kubeconfigFile: string;
  readonly namespace: string;
  readonly identity: string;
  /** How it speaks to the server; the components of Kubernetes speak protobuf. */
  readonly contentType: "application/json" | "application/vnd.kubernetes.protobuf";
}

export async function startContender(options: ContenderOptions): Promise<Contender> {
  const { kubeconfigFile, namespace, identity, contentType } = options;
  const { "leader-election": command } = await locateBinaries(["leader-election"]);
  const program = await startCommand({ command, args: [kubeconfigFile, namespace, identity, contentType] });
  const has = (line: string): boolean => program.stdout.split("\n").includes(line);
  return Object.assign(program, {
    identity,
    async printed(line: string): Promise<void> {
      const seen = await eventually(`${identity} prints "${line}"`, () => has(line) || (program.ending && "ended"));
      if (seen === "ended") throw new Error(`${identity} ended without printing "${line}":\n${program.stderr}`);
    },
  });
}
