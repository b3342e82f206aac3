import { readdir } from "node:fs/promises";
import type { Area } from "./area.ts";

const folder = new URL("cases/", import.meta.url);

/** Every file in cases/, by name. */
export async function loadAreas(): Promise<readonly Area[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts")).toSorted();
  const areas: Area[] = [];
  for (const file of files) {
    const { area } = (await import(new URL(file, folder).href)) as { readonly area?: Area };
    if (area === undefined || `${area.name}.ts` !== file)
      throw new Error(`Cannot use cases/${file}: it must export \`area\`, named as its file`);
    areas.push(area);
  }
  return areas;
}
