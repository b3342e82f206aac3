import type { JsonObject } from "farwatch";
import { readJson } from "../failure/read-json.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { isObject } from "../schema/plain-object.ts";
import { differenceOf, type FieldSet } from "./field-set.ts";
import { sortedGoJson } from "./go-text.ts";
import type { TypedVersion } from "./ownership.ts";
import { compareTyped } from "./typed-compare.ts";
import { typedProblems } from "./typed-problem.ts";
import { fieldsOfValue } from "./typed-set.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const maxAnnotationBytes = 256 * 1024;

function annotationsOf(object: JsonObject): Readonly<Record<string, unknown>> {
  const metadata = object.metadata;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : {};
}

function lastAppliedText(object: JsonObject): string | undefined {
  const text = annotationsOf(object)[annotation];
  return typeof text === "string" && text !== "" ? text : undefined;
}

/**
 * What client-side apply has set and nobody has changed since: `kubectl apply --server-side` may take it without a
 * conflict. Undefined where the annotation is missing, broken or of another version.
 */
export function fieldsOfLastApplied(live: JsonObject, { apiVersion, type }: TypedVersion): FieldSet | undefined {
  const text = lastAppliedText(live);
  if (text === undefined) return undefined;
  let last: unknown;
  try {
    last = readJson(text);
  } catch {
    // Whoever wrote it was no client-side apply.
    return undefined;
  }
  if (!isObject(last) || last.apiVersion !== apiVersion) return undefined;
  const strict = { duplicates: false };
  if (typedProblems(last, type, strict).length > 0 || typedProblems(live, type, strict).length > 0) return undefined;
  const { added, modified, removed } = compareTyped(last, live, type);
  return [modified, added, removed].reduce(differenceOf, fieldsOfValue(last, type));
}

/**
 * Keeps the annotation of client-side apply in step with what `kubectl apply --server-side` applies, where there is
 * one.
 */
export function updateLastApplied(object: DraftObject, applied: JsonObject): void {
  if (lastAppliedText(object) === undefined) return;
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  // The encoder of the real server ends with a line break.
  annotations[annotation] = `${sortedGoJson(withoutLastApplied(applied))}\n`;
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (bytes > maxAnnotationBytes) delete annotations[annotation];
  object.metadata.annotations = annotations;
}

function withoutLastApplied(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied);
  if (!Object.hasOwn(annotations, annotation)) return applied;
  const { [annotation]: _, ...rest } = annotations;
  return { ...applied, metadata: { ...(applied.metadata as JsonObject), annotations: rest } };
}
