import { readFile, writeFile } from "node:fs/promises";
import { startKubeApiserver } from "@farwatch/testing";
import { dryCreate, kindTables } from "./kind-table.ts";

const file = new URL("../../packages/apiserver/README.md", import.meta.url);
const [start, end] = ["<!-- kinds -->\n", "\n<!-- /kinds -->"];

/** What stands in the README between its marks. */
export async function readKindTables(): Promise<string> {
  const [, rest = ""] = (await readFile(file, "utf8")).split(start);
  return rest.split(end)[0] ?? "";
}

// `npm run -s readme:built-in` asks a real server and writes.
if (import.meta.main) {
  await using server = await startKubeApiserver();
  const tables = await kindTables(dryCreate(server));
  const readme = await readFile(file, "utf8");
  await writeFile(
    file,
    readme.replace(await readKindTables(), () => tables),
  );
}
