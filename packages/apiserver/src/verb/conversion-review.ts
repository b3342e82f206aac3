import { messageOf } from "farwatch";
import { pushAnnotationErrors, pushLabelErrors } from "../admit/object-meta.ts";
import { type FieldError, fieldErrorsText } from "../failure/field-error.ts";
import { goTypeText } from "../patch/go-text.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { kindText } from "../registry/registry.ts";
import { copyJson, isObject, sameJson } from "../schema/plain-object.ts";

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
  /**
   * Sends the review to the webhook that the definition names, and gives what it answers; rejects with an error whose
   * message is told.
   */
  readonly post: (review: unknown) => Promise<unknown>;
}

type Convertible = DraftObject | StoredObject;

/**
 * Has a webhook convert objects. Those that have the version already are not sent. Of the answer only labels and
 * annotations are taken of metadata; the rest of it stays as it was.
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
  const webhook = `conversion webhook for ${kindText(first.apiVersion, first.kind)}`;
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: sent.map(withoutVersion) },
    // Go writes what is not there yet.
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
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
  let next = 0;
  return objects.map((object) => {
    if (object.apiVersion === apiVersion) return object as DraftObject;
    const index = next;
    next += 1;
    return accepted(object, converted[index], { apiVersion, index, returned: `${webhook} returned` });
  });
}

/** The real server converts objects as it reads them, before it knows their version. */
function withoutVersion(object: Convertible): object {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function convertedObjects(
  answer: unknown,
  { version, uid, webhook }: { readonly version: string; readonly uid: string; readonly webhook: string },
): readonly unknown[] {
  const fail = (why: string): ConversionError => new ConversionError(`${webhook} failed: ${why}`);
  const review = isObject(answer) ? answer : {};
  if (version === "v1") {
    const given = kindText(String(review.apiVersion ?? ""), String(review.kind ?? ""));
    const wanted = kindText("apiextensions.k8s.io/v1", "ConversionReview");
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
  readonly index: number;
  /** Who has returned the object. */
  readonly returned: string;
}

function accepted(original: Convertible, converted: unknown, { apiVersion, index, returned }: Expected): DraftObject {
  const { kind } = original;
  const at = `${returned} invalid object at index ${index}`;
  if (!isObject(converted)) throw new ConversionError(`${at}: it is no object`);
  if (converted.apiVersion !== apiVersion) {
    const received = String(converted.apiVersion ?? "");
    throw new ConversionError(`${at}: invalid groupVersion (expected ${apiVersion}, received ${received})`);
  }
  if (converted.kind !== kind) {
    throw new ConversionError(`${at}: invalid kind (expected ${kind}, received ${String(converted.kind ?? "")})`);
  }
  const { metadata } = converted;
  const answered = isObject(metadata) ? metadata : {};
  for (const [field, word] of Object.entries({ name: "name", namespace: "namespace", uid: "UID" })) {
    const [before, after] = [original.metadata[field as "name"] ?? "", answered[field] ?? ""];
    if (before === after) continue;
    throw new ConversionError(`${returned} invalid object: must have the same ${word}: ${before} != ${String(after)}`);
  }
  return { ...converted, apiVersion, kind, metadata: restored(original, answered, `${returned} invalid metadata`) };
}

/** The metadata of before, with labels and annotations of the answer. */
function restored(
  original: Convertible,
  answered: Readonly<Record<string, unknown>>,
  refusal: string,
): DraftObject["metadata"] {
  const metadata = copyJson(original.metadata) as DraftObject["metadata"];
  for (const field of ["labels", "annotations"] as const) {
    const value = answered[field] ?? undefined;
    if (value === undefined) {
      Reflect.deleteProperty(metadata, field);
      continue;
    }
    const texts = textsOf(field, value, refusal);
    if (sameJson(texts, metadata[field])) continue;
    const errors: FieldError[] = [];
    (field === "labels" ? pushLabelErrors : pushAnnotationErrors)(errors, texts, `metadata.${field}`);
    if (errors.length > 0) throw new ConversionError(`${refusal}: ${fieldErrorsText(errors)}`);
    metadata[field] = texts;
  }
  return metadata;
}

function textsOf(field: string, value: unknown, refusal: string): Record<string, string> {
  if (!isObject(value)) {
    throw new ConversionError(`${refusal}: invalid metadata.${field} of type ${goTypeText(value)} in converted object`);
  }
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === "string") continue;
    const why = `metadata.${field}[${key}] must be a string, but is ${goTypeText(text)} in converted object`;
    throw new ConversionError(`${refusal}: ${why}`);
  }
  return value as Record<string, string>;
}
