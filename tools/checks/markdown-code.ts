import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readMarkdownBlocks } from "./markdown-block.ts";
import { runTool } from "./run-tool.ts";

/** Inside the repository, so that packages are found; not kept. */
const folder = "node_modules/.cache/farwatch/markdown";

/**
 * Compiles every TypeScript example of README.md, docs/ and the packages' pages that imports something, so that what people
 * copy works. Those of a page that name their files see each other. One line a problem.
 */
export async function checkMarkdownCode(): Promise<readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  const pages = globSync(["*.md", "docs/**/*.md", "{packages,operators,examples}/*/*.md"]);
  const origins = new Map<string, string>();
  for (const page of pages.filter((path) => !path.includes("node_modules"))) {
    const home = page.replaceAll(/[^\w]/g, "-");
    for (const [index, { file = `example-${index}.ts`, code }] of readMarkdownBlocks(page).entries()) {
      mkdirSync(`${folder}/${home}`, { recursive: true });
      writeFileSync(`${folder}/${home}/${file}`, code);
      origins.set(`${home}/${file}`, page);
    }
  }
  if (origins.size === 0) return ["no TypeScript example was found in any page"];
  const config = { extends: "../../../../tsconfig.json", include: ["**/*.ts"], exclude: [] };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
  const { ok, output } = await runTool("tsc", ["-p", folder]);
  if (ok) return [];
  return output
    .split("\n")
    .filter((line) => line.includes("error TS"))
    .map((line) => {
      const [file] = [...origins.keys()].filter((name) => line.includes(name));
      return `${file === undefined ? "" : `${origins.get(file)}: `}${line}`;
    });
}
