import { ApiError, badRequest } from "../failure/api-error.ts";
import { isObject, own, setOwn } from "../schema/plain-object.ts";
import { compareText, jsonKindText } from "./go-text.ts";
import { equalValues } from "./typed-compare.ts";

const maxOperations = 10_000;
/** Of all that a patch copies, as JSON: copies of copies would grow without end. */
const maxCopiedBytes = 3 * 1024 * 1024;

/** An object or list of the document that an operation has looked into, and may change: the document itself is left alone. */
type Opened = Map<string, unknown> | OpenedList;

class OpenedList {
  readonly items: unknown[];

  constructor(items: readonly unknown[]) {
    this.items = [...items];
  }
}

/** The operation cannot be done. The real server tells no more of it than that. */
class Inapplicable extends Error {
  override readonly name = "Inapplicable";
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
 * Applies a patch of RFC 6902, as the library of the real server does: an index may count from the end, and `replace` sets a
 * field that is not there. Objects that operations have looked into have their names sorted.
 *
 * @throws ApiError 400 for what is no list of operations, 413 for more than 10,000, 422 for what cannot be done.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  const operations = readOperations(patch);
  try {
    return new Patching(document).apply(operations);
  } catch (error) {
    if (error instanceof Inapplicable) throw inapplicablePatch();
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
    const path = (): string => text(operation, "path");
    const from = (): string => text(operation, "from");
    switch (own(operation, "op")) {
      case "add":
        addTo(...this.#find(path()), value);
        break;
      case "remove":
        removeFrom(...this.#find(path()));
        break;
      case "replace":
        this.#replace(path(), value);
        break;
      case "move": {
        const place = this.#find(from());
        const moved = get(...place);
        removeFrom(...place);
        addTo(...this.#find(path()), moved);
        break;
      }
      case "copy": {
        const copied = close(get(...this.#find(from())));
        this.#copiedBytes += copied === null ? 0 : Buffer.byteLength(JSON.stringify(copied));
        if (this.#copiedBytes > maxCopiedBytes) throw new Inapplicable();
        addTo(...this.#find(path()), copied);
        break;
      }
      case "test":
        this.#test(path(), value);
        break;
      default:
        throw new Inapplicable();
    }
  }

  #replace(path: string, value: unknown): void {
    if (path === "") {
      const root = open(value);
      if (root === undefined) throw new Inapplicable();
      this.#root = root;
      return;
    }
    const [place, key] = this.#find(path);
    if (place instanceof Map) place.set(key, value);
    else place.items[existingIndex(place, key)] = value;
  }

  #test(path: string, value: unknown): void {
    const found = path === "" ? this.#root : get(...this.#find(path));
    if (!equalValues(close(found), value)) throw new Inapplicable();
  }

  /** The object or list in which the last step of a path stands, opened, and that step. */
  #find(path: string): [place: Opened, key: string] {
    const steps = path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const key = steps.pop();
    if (key === undefined) throw new Inapplicable();
    let place = this.#root;
    for (const step of steps) {
      const next = open(get(place, step));
      if (next === undefined) throw new Inapplicable();
      if (place instanceof Map) place.set(step, next);
      else place.items[existingIndex(place, step)] = next;
      place = next;
    }
    return [place, key];
  }
}

function text(operation: Readonly<Record<string, unknown>>, name: string): string {
  const value = own(operation, name);
  if (typeof value !== "string") throw new Inapplicable();
  return value;
}

function open(value: unknown): Opened | undefined {
  if (value instanceof Map || value instanceof OpenedList) return value;
  if (Array.isArray(value)) return new OpenedList(value);
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}

/** As plain JSON, which shares what was not looked into. */
function close(value: unknown): unknown {
  if (value instanceof OpenedList) return value.items.map(close);
  if (!(value instanceof Map)) return value;
  const result: Record<string, unknown> = {};
  for (const name of [...value.keys()].sort(compareText)) setOwn(result, name, close(value.get(name)));
  return result;
}

function index(key: string): number {
  if (!/^[-+]?\d+$/.test(key)) throw new Inapplicable();
  return Number(key);
}

/** The place of an item; below zero it counts from the end. */
function existingIndex({ items }: OpenedList, key: string): number {
  const given = index(key);
  const at = given < 0 ? given + items.length : given;
  if (at < 0 || at >= items.length) throw new Inapplicable();
  return at;
}

/** A field that is not there is null; an item that is not there is an error. */
function get(place: Opened, key: string): unknown {
  return place instanceof Map ? (place.get(key) ?? null) : place.items[existingIndex(place, key)];
}

function addTo(place: Opened, key: string, value: unknown): void {
  if (place instanceof Map) place.set(key, value);
  else if (key === "-") place.items.push(value);
  else {
    const given = index(key);
    const at = given < 0 ? given + place.items.length + 1 : given;
    if (at < 0 || at > place.items.length) throw new Inapplicable();
    place.items.splice(at, 0, value);
  }
}

function removeFrom(place: Opened, key: string): void {
  if (place instanceof Map) {
    if (!place.delete(key)) throw new Inapplicable();
  } else place.items.splice(existingIndex(place, key), 1);
}
