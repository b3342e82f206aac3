import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { runTool } from "./run-tool.ts";

/** Inside the repository, so that packages are found; not kept. */
const folder = "node_modules/.cache/farwatch/markdown";
const fence = /^```ts\n([\s\S]*?)^```$/gm;

/**
 * Compiles every TypeScript example of README.md, docs/ and the packages' pages that imports something, so that what people
 * copy works. One line a problem.
 */
export async function checkMarkdownCode(): Promise<readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = globSync(["*.md", "docs/**/*.md", "{packages,operators,examples}/*/*.md"]);
  const origins = new Map<string, string>();
  for (const page of pages.filter((path) => !path.includes("node_modules"))) {
    for (const [index, match] of [...readFileSync(page, "utf8").matchAll(fence)].entries()) {
      const code = match[1] ?? "";
      if (!/^import /m.test(code)) continue;
      const file = `${page.replaceAll(/[^\w]/g, "-")}-${index}.ts`;
      writeFileSync(`${folder}/${file}`, code);
      origins.set(file, page);
    }
  }
  if (origins.size === 0) return ["no TypeScript example was found in any page"];
  const config = { extends: "../../../../tsconfig.json", include: ["*.ts"], exclude: [] };
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
