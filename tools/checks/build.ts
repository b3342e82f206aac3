import { globSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { runTool } from "./run-tool.ts";
import { isBuilt, readWorkspaces } from "./workspaces.ts";

/**
 * Compiles every workspace that has a tsconfig.build.json into its dist/, each after those it depends on, and removes from
 * dist/ what was not written. Gives what the compiler complains about.
 */
export async function build(): Promise<readonly string[]> {
  for (const { folder } of readWorkspaces().filter(isBuilt)) {
    const { ok, output } = await runTool("tsc", ["-p", `${folder}/tsconfig.build.json`, "--listEmittedFiles"]);
    const lines = output.split("\n").filter((line) => line !== "");
    const emitted = lines.filter((line) => line.startsWith("TSFILE: ")).map((line) => line.slice("TSFILE: ".length));
    if (!ok) return lines.filter((line) => !line.startsWith("TSFILE: "));
    const kept = new Set(emitted.map((path) => relative(".", path)));
    for (const path of globSync(`${folder}/dist/**/*.{js,ts}`)) if (!kept.has(path)) rmSync(path);
  }
  return [];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const problems = await build();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
