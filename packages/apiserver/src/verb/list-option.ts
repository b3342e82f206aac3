import { ApiError, badRequest, invalid, storageError } from "../failure/api-error.ts";
import { type FieldError, forbiddenField, notSupported } from "../failure/field-error.ts";
import { booleanOption, integerOption, textOption } from "./query-option.ts";
import { readSelectors, type Selectors } from "./selection.ts";

type VersionMatch = "Exact" | "NotOlderThan";

/** metav1.ListOptions. */
export interface ListOptions {
  /** As it was given: undefined, `0`, or a version. */
  readonly resourceVersion: string | undefined;
  readonly match: VersionMatch | undefined;
  readonly limit: number;
  readonly continueToken: string | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly selectors: Selectors;
}

/** Reads and checks the options of a list or watch; 422 as the real server's validation of ListOptions. */
export function readListOptions(query: URLSearchParams, watching: boolean): ListOptions {
  const options = {
    resourceVersion: textOption(query, "resourceVersion"),
    match: textOption(query, "resourceVersionMatch") as VersionMatch | undefined,
    limit: integerOption(query, "limit") ?? 0,
    continueToken: textOption(query, "continue"),
    timeoutSeconds: integerOption(query, "timeoutSeconds"),
    allowBookmarks: booleanOption(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: booleanOption(query, "sendInitialEvents"),
    selectors: readSelectors(query),
  };
  const errors = watching ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions", name: "" }, errors);
  return options;
}

const matchField = "resourceVersionMatch";

function watchErrors({ match, sendInitialEvents, continueToken }: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(forbiddenField(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match !== undefined && sendInitialEvents === undefined) {
    errors.push(
      forbiddenField(matchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    );
  }
  if (match !== undefined && match !== "NotOlderThan") errors.push(notSupported(matchField, match, ["NotOlderThan"]));
  if (continueToken !== undefined) {
    errors.push(forbiddenField(matchField, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}

function listErrors({ match, resourceVersion, continueToken, sendInitialEvents }: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (match !== undefined) {
    if (resourceVersion === undefined) {
      errors.push(forbiddenField(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (continueToken !== undefined) {
      errors.push(forbiddenField(matchField, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(notSupported(matchField, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(forbiddenField(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

const largestVersion = 2n ** 64n - 1n;

/**
 * A version of the store that a request names.
 *
 * @throws ApiError 500, which the real server answers to a get and to a watch, or 400 where `listing`.
 */
export function readVersion(text: string, { listing = false }: { readonly listing?: boolean } = {}): number {
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) <= largestVersion) return Number(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
  throw listing ? badRequest(`invalid resource version: ${message}`) : storageError(message);
}

/** A version that the store has not come to. */
export function tooLargeVersion(asked: number, current: number): ApiError {
  return new ApiError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
    headers: { "retry-after": "1" },
  });
}
