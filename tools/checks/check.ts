/** `npm run check`: every gate that needs no test to run, all at once; exits 1 when one of them finds something. */
import { stripVTControlCharacters } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { build } from "./build.ts";
import { checkImports } from "./import-rules.ts";
import { checkMarkdownCode } from "./markdown-code.ts";
import { optionalPeersInTypes } from "./optional-peers.ts";
import { runTool } from "./run-tool.ts";
import { isBuilt, readWorkspaces } from "./workspaces.ts";

interface Gate {
  readonly name: string;
  /** Lines that say what is wrong; none when all is well. */
  run(): Promise<readonly string[]>;
}

async function tool(name: string, args: readonly string[]): Promise<readonly string[]> {
  const { ok, output } = await runTool(name, args);
  return ok ? [] : stripVTControlCharacters(output).split("\n");
}

async function imports(): Promise<readonly string[]> {
  const { problems, modules } = await checkImports();
  return modules === 0 ? ["no module was looked at: is @swc/core installed?"] : problems;
}

async function packages(): Promise<readonly string[]> {
  const broken = await build();
  if (broken.length > 0) return broken;
  const published = readWorkspaces().filter((workspace) => isBuilt(workspace) && !workspace.private);
  const found = await Promise.all(
    published.map(async ({ folder, name }) => {
      const { messages, pkg } = await publint({ pkgDir: folder, pack: "npm", strict: true });
      return messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
    }),
  );
  const unbuilt = published.filter(({ packsBuilt }) => !packsBuilt);
  return [
    ...found.flat(),
    ...published.flatMap(({ folder }) => optionalPeersInTypes(folder)),
    ...unbuilt.map(({ folder }) => `${folder}: would be packed without its dist/, let its \`prepack\` run the build`),
  ];
}

const gates: readonly Gate[] = [
  {
    name: "format and lint",
    run: () => tool("biome", ["ci", "--diagnostic-level=warn", "--error-on-warnings", "--reporter=concise", "."]),
  },
  { name: "types", run: () => tool("tsc", ["-p", "."]) },
  { name: "imports", run: imports },
  { name: "dead code", run: () => tool("knip", ["--no-progress", "--no-config-hints"]) },
  { name: "dead code, tests aside", run: () => tool("knip", ["--no-progress", "--no-config-hints", "--production"]) },
  { name: "packages", run: packages },
  { name: "examples in pages", run: checkMarkdownCode },
];

const major = Number.parseInt(process.versions.node, 10);
if (major < 24)
  throw new Error(`Cannot check: this is Node ${process.versions.node}; use "npm run check", which brings Node 24`);

const results = await Promise.all(
  gates.map(async (gate) => {
    const startMs = performance.now();
    const problems = await gate
      .run()
      .catch((error: unknown) => [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
    return { name: gate.name, problems, tookMs: performance.now() - startMs };
  }),
);
for (const { problems } of results) for (const problem of problems) console.log(problem);
for (const { name, problems, tookMs } of results) {
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name.padEnd(24)} ${(tookMs / 1_000).toFixed(1)} s`);
}
process.exitCode = results.every(({ problems }) => problems.length === 0) ? 0 : 1;
