import { ApiError, badRequest } from "../failure/api-error.ts";
import { maxJsonLevels } from "../failure/read-json.ts";
import { isObject, own, sameJson } from "../schema/plain-object.ts";
import { jsonKindText } from "./go-text.ts";
import {
  addTo,
  close,
  existingIndex,
  get,
  Inapplicable,
  isDeeper,
  missing,
  type Opened,
  open,
  removeFrom,
} from "./opened-document.ts";

const maxOperations = 10_000;
/** Of all that a patch copies, as JSON: copies of copies would grow without end. */
const maxCopiedBytes = 3 * 1024 * 1024;

/** Puts what was tried before the reason for which it cannot be done. */
function within<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Inapplicable) throw new Inapplicable(`${what}: ${error.message}`);
    throw error;
  }
}

/** 422 for a patch that does not fit what it is applied to. */
export function inapplicablePatch(): ApiError {
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}

/**
 * Applies a patch of RFC 6902, as the library of the real server does: an index may count from the end, and `replace`
 * sets a field that is not there. Objects that operations have looked into have their names sorted.
 *
 * @param refuse makes the error of a patch that cannot be done, from the reason; clients are not told it, webhooks are
 * @throws ApiError 400 for what is no list of operations, 413 for more than 10,000, 422 for what cannot be done.
 */
export function applyJsonPatch(
  document: unknown,
  patch: unknown,
  refuse: (why: string) => Error = inapplicablePatch,
): unknown {
  const operations = readOperations(patch);
  try {
    return new Patching(document).apply(operations);
  } catch (error) {
    if (error instanceof Inapplicable) throw refuse(error.message);
    throw error;
  }
}

function readOperations(patch: unknown): readonly (Readonly<Record<string, unknown>> | null)[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, "jsonpatch.Patch");
  for (const operation of patch) {
    if (operation !== null && !isObject(operation)) throw undecodable(operation, "jsonpatch.Operation");
  }
  if (patch.length <= maxOperations) return patch;
  throw new ApiError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
  });
}

function undecodable(value: unknown, type: string): ApiError {
  return badRequest(`json: cannot unmarshal ${jsonKindText(value)} into Go value of type ${type}`);
}

const texts = ["op", "path", "from"];

/**
 * What strict decoding finds in a patch, unless it cannot be decoded.
 *
 * @throws ApiError 400 for operations whose fields are of the wrong type.
 */
export function jsonPatchProblems(patch: unknown): readonly string[] {
  if (patch === null) return [];
  const into = (value: unknown, where: string): ApiError =>
    badRequest(`error decoding patch: json: cannot unmarshal ${jsonKindText(value)} into Go ${where}`);
  if (!Array.isArray(patch)) throw into(patch, "value of type []handlers.jsonPatchOp");
  const problems: string[] = [];
  for (const [index, operation] of patch.entries()) {
    if (operation === null) continue;
    if (!isObject(operation)) throw into(operation, "value of type handlers.jsonPatchOp");
    for (const [name, value] of Object.entries(operation)) {
      if (texts.includes(name)) {
        if (typeof value !== "string" && value !== null) {
          throw into(value, `struct field jsonPatchOp.${name} of type string`);
        }
      } else if (name !== "value") problems.push(`json patch unknown field "[${index}].${name}"`);
    }
  }
  return problems;
}

/** A document under a patch. */
class Patching {
  #root: Opened;
  #copiedBytes = 0;

  constructor(document: unknown) {
    this.#root = open(document) ?? new Map();
  }

  apply(operations: readonly (Readonly<Record<string, unknown>> | null)[]): unknown {
    for (const operation of operations) this.#do(operation ?? {});
    return close(this.#root);
  }

  #do(operation: Readonly<Record<string, unknown>>): void {
    const value = own(operation, "value") ?? null;
    const op = own(operation, "op");
    switch (op) {
      case "add": {
        const path = text(operation, "path", "add operation failed to decode path");
        const place = this.#find(path, `add operation does not apply: doc is missing path: "${path}"`);
        checkLevels(path, value);
        within(`error in add for path: '${path}'`, () => addTo(...place, value));
        break;
      }
      case "remove": {
        const path = text(operation, "path", "remove operation failed to decode path");
        const place = this.#find(path, `remove operation does not apply: doc is missing path: "${path}"`);
        within(`error in remove for path: '${path}'`, () => removeFrom(...place));
        break;
      }
      case "replace":
        this.#replace(text(operation, "path", "replace operation failed to decode path"), value);
        break;
      case "move":
      case "copy":
        this.#transfer(operation, op);
        break;
      case "test":
        this.#test(text(operation, "path", "test operation failed to decode path"), value);
        break;
      default:
        throw new Inapplicable(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
    }
  }

  #transfer(operation: Readonly<Record<string, unknown>>, op: "copy" | "move"): void {
    const from = text(operation, "from", `${op} operation failed to decode from`);
    const source = this.#find(from, `${op} operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in ${op} for ${op === "move" ? "path" : "from"}: '${from}'`, () => {
      if (op === "copy") return close(get(...source));
      const moved = get(...source);
      removeFrom(...source);
      return moved;
    });
    const path = text(operation, "path", `${op} operation failed to decode path`);
    const place = this.#find(path, `${op} operation does not apply: doc is missing destination path: ${path}`);
    if (op === "copy") this.#countCopied(value);
    // Whatever moves to no deeper place makes nothing deeper.
    if (op === "copy" || stepsOf(path) > stepsOf(from)) checkLevels(path, value);
    within(op === "move" ? `error in move for path: '${path}'` : "error while adding value during copy", () =>
      addTo(...place, value),
    );
  }

  #countCopied(value: unknown): void {
    this.#copiedBytes += value === null ? 0 : Buffer.byteLength(JSON.stringify(value));
    if (this.#copiedBytes <= maxCopiedBytes) return;
    throw new Inapplicable(
      `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
    );
  }

  #replace(path: string, value: unknown): void {
    if (path === "") {
      const root = open(value);
      if (root === undefined) throw new Inapplicable("replace operation value must be object or array: invalid state");
      this.#root = root;
      return;
    }
    const [place, key] = this.#find(path, `replace operation does not apply: doc is missing path: ${path}`);
    checkLevels(path, value);
    if (place instanceof Map) place.set(key, value);
    else {
      const missingKey = `replace operation does not apply: doc is missing key: ${path}: ${missing}`;
      place.items[existingIndex(place, key, missingKey)] = value;
    }
  }

  #test(path: string, value: unknown): void {
    const found =
      path === ""
        ? this.#root
        : within(`error in test for path: '${path}'`, () =>
            get(...this.#find(path, `test operation does not apply: is missing path: ${path}`)),
          );
    if (!sameJson(close(found), value)) throw new Inapplicable(`testing value ${path} failed: test failed`);
  }

  /**
   * The object or list in which the last step of a path stands, opened, and that step; `otherwise` says that there is
   * none.
   */
  #find(path: string, otherwise: string): [place: Opened, key: string] {
    const steps = path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const key = steps.pop();
    const absent = `${otherwise}: ${missing}`;
    if (key === undefined) throw new Inapplicable(absent);
    let place = this.#root;
    for (const step of steps) {
      const next = open(get(place, step, absent));
      if (next === undefined) throw new Inapplicable(absent);
      if (place instanceof Map) place.set(step, next);
      else place.items[existingIndex(place, step, absent)] = next;
      place = next;
    }
    return [place, key];
  }
}

function text(operation: Readonly<Record<string, unknown>>, name: string, otherwise: string): string {
  const value = own(operation, name);
  if (typeof value !== "string") throw new Inapplicable(`${otherwise}: operation missing ${name} field: ${missing}`);
  return value;
}

function stepsOf(path: string): number {
  return path.split("/").length - 1;
}

/** Operations after each other could nest what no body may hold. */
function checkLevels(path: string, value: unknown): void {
  if (isDeeper(value, maxJsonLevels - stepsOf(path))) throw new Inapplicable("exceeded max depth");
}
