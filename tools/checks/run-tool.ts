import { spawn } from "node:child_process";

/** How a tool ended; `output` is what it wrote to both streams. */
export interface ToolRun {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a tool of node_modules/.bin on this same Node and collects what it says. */
export function runTool(name: string, args: readonly string[]): Promise<ToolRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(`node_modules/.bin/${name}`, args, { stdio: ["ignore", "pipe", "pipe"] });
    const parts: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (part: string) => parts.push(part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => parts.push(part));
    child.on("error", (cause) => reject(new Error(`Cannot run ${name}: run "npm ci" first`, { cause })));
    child.on("close", (code) => resolve({ ok: code === 0, output: parts.join("").trim() }));
  });
}
