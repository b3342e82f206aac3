import { messageOf } from "farwatch";
import { copyJson, isObject, sameJson } from "../schema/plain-object.ts";
import type { DraftObject, StoredObject } from "./api-object.ts";

/** Why objects could not be converted, in the words of the real server; it is answered with 500. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

export interface ConversionRequest {
  /** The version that is asked for: `example.com/v2`. */
  readonly apiVersion: string;
  /** spec.conversion.webhook.conversionReviewVersions; the first that is known is spoken. */
  readonly reviewVersions: readonly string[];
  /** Of this exchange. */
  readonly uid: string;
  /** Sends the review to the webhook that the definition names, and gives what it answers; rejects with an error whose message is told. */
  readonly post: (review: unknown) => Promise<unknown>;
}

type Convertible = DraftObject | StoredObject;

/**
 * Has a webhook convert objects. Those that have the version already are not sent. Of the answer only labels and annotations
 * are taken of metadata; the rest of it stays as it was.
 *
 * @throws ConversionError when the webhook fails, or answers what is no conversion of these objects.
 */
export async function convertByWebhook(
  objects: readonly Convertible[],
  request: ConversionRequest,
): Promise<readonly DraftObject[]> {
  const { apiVersion, reviewVersions, uid, post } = request;
  const sent = objects.filter((object) => object.apiVersion !== apiVersion);
  const version = reviewVersions.find((one) => one === "v1" || one === "v1beta1");
  if (version === undefined) throw new ConversionError("no supported conversion review versions");
  const [first] = sent;
  if (first === undefined) return objects as readonly DraftObject[];
  const webhook = `conversion webhook for ${groupVersionKind(objects.length === 1 ? first : listOf(first))}`;
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: sent },
  };
  let answer: unknown;
  try {
    answer = await post(review);
  } catch (error) {
    throw new ConversionError(`${webhook} failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const converted = convertedObjects(answer, { version, uid, webhook });
  if (converted.length !== sent.length) {
    throw new ConversionError(`${webhook} returned ${converted.length} objects, expected ${sent.length}`);
  }
  const single = objects.length === 1;
  let next = 0;
  return objects.map((object) => {
    if (object.apiVersion === apiVersion) return object as DraftObject;
    const index = next;
    next += 1;
    const what = single ? "invalid object" : "invalid converted object";
    const at = `${webhook} returned ${what} at index ${index}`;
    return accepted(object, converted[index], { apiVersion, at });
  });
}

/** A list of objects is named by its own kind. */
function listOf({ apiVersion, kind }: Convertible): Pick<Convertible, "apiVersion" | "kind"> {
  return { apiVersion, kind: `${kind}List` };
}

/** As Go prints a GroupVersionKind: `example.com/v1, Kind=Widget`. */
function groupVersionKind({ apiVersion, kind }: Pick<Convertible, "apiVersion" | "kind">): string {
  return `${apiVersion}, Kind=${kind}`;
}

function convertedObjects(
  answer: unknown,
  { version, uid, webhook }: { readonly version: string; readonly uid: string; readonly webhook: string },
): readonly unknown[] {
  const fail = (why: string): ConversionError => new ConversionError(`${webhook} failed: ${why}`);
  const review = isObject(answer) ? answer : {};
  if (version === "v1") {
    const given = `${String(review.apiVersion ?? "")}, Kind=${String(review.kind ?? "")}`;
    const wanted = "apiextensions.k8s.io/v1, Kind=ConversionReview";
    if (given !== wanted) throw fail(`expected webhook response of ${wanted}, got ${given}`);
  }
  const { response } = review;
  if (!isObject(response)) throw fail("no response provided");
  if (version === "v1" && response.uid !== uid) {
    throw fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  }
  const result = isObject(response.result) ? response.result : {};
  if (result.status !== "Success") {
    const message = typeof result.message === "string" ? result.message : "";
    throw fail(message === "" ? `response.result.status was '${String(result.status ?? "")}', not 'Success'` : message);
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

interface Expected {
  readonly apiVersion: string;
  readonly at: string;
}

function accepted(original: Convertible, converted: unknown, { apiVersion, at }: Expected): DraftObject {
  if (!isObject(converted)) throw new ConversionError(`${at}: it is no object`);
  if (converted.apiVersion !== apiVersion) {
    const received = String(converted.apiVersion ?? "");
    throw new ConversionError(`${at}: invalid groupVersion (expected ${apiVersion}, received ${received})`);
  }
  if (converted.kind !== original.kind) {
    const received = String(converted.kind ?? "");
    throw new ConversionError(`${at}: invalid kind (expected ${original.kind}, received ${received})`);
  }
  const { metadata } = converted;
  if (!isObject(metadata)) throw new ConversionError(`${at}: missing metadata in converted object`);
  for (const [field, word] of Object.entries({ name: "name", namespace: "namespace", uid: "UID" })) {
    const [before, after] = [original.metadata[field as "name"] ?? "", metadata[field] ?? ""];
    if (before !== after) throw new ConversionError(`${at}: must have the same ${word}: ${before} != ${String(after)}`);
  }
  return { ...converted, apiVersion, kind: original.kind, metadata: restored(original, metadata, at) };
}

/** The metadata of before, with labels and annotations of the answer. */
function restored(
  original: Convertible,
  answered: Readonly<Record<string, unknown>>,
  at: string,
): DraftObject["metadata"] {
  const metadata = copyJson(original.metadata) as DraftObject["metadata"];
  for (const field of ["labels", "annotations"] as const) {
    const value = answered[field] ?? undefined;
    if (value === undefined) {
      Reflect.deleteProperty(metadata, field);
      continue;
    }
    if (!isObject(value)) throw new ConversionError(`${at}: invalid metadata.${field} in converted object`);
    for (const [key, text] of Object.entries(value)) {
      if (typeof text === "string") continue;
      throw new ConversionError(`${at}: metadata.${field}[${key}] must be a string in converted object`);
    }
    if (!sameJson(value, metadata[field])) metadata[field] = value as Record<string, string>;
  }
  return metadata;
}
