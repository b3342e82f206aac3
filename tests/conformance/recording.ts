import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Json, Transcript } from "./transcript.ts";

/** What the real server said in each case of an area, by the case's name. */
export type Recording = Readonly<Record<string, Transcript>>;

function recordingFile(area: string): string {
  return fileURLToPath(new URL(`recorded/${area}.json`, import.meta.url));
}

/** Nothing when the area has never been recorded. */
export function readRecording(area: string): Recording {
  const file = recordingFile(area);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recording) : {};
}

/** Cases stand in the order of their file and keys by name, so that a new recording of the same answers is the same file. */
export async function writeRecording(area: string, recording: Recording): Promise<void> {
  const sorted = Object.entries(recording).map(([name, transcript]) => [
    name,
    transcript.map((entry) => {
      const { request, status, headers, body, events, ended } = entry;
      return { request, status, headers, body: body && byKey(body), events: events?.map(byKey), ended };
    }),
  ]);
  await writeFile(recordingFile(area), `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`);
}

function byKey(value: Json): Json {
  if (Array.isArray(value)) return value.map(byKey);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value as Readonly<Record<string, Json>>).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, byKey(item)]));
}
