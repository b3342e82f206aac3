import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { copyJson, isObject, setOwn } from "../schema/plain-object.ts";
import type { Strategy } from "./strategy.ts";

type Fields = Record<string, unknown>;

/**
 * The strategy of a built-in kind, for objects as Go writes them: a list or pointer that is nil, and whose field is
 * written all the same, is null there. To the strategy it is absent, as every other field without a value; afterwards
 * it is null again.
 */
export function withNilFields(strategy: Strategy): Strategy {
  const { applyDefaults, prepareForCreate, prepareForUpdate, validate, validateUpdate, warnings } = strategy;
  return {
    ...strategy,
    ...(applyDefaults && { applyDefaults: (object) => hidingNulls(object, () => applyDefaults(object)) }),
    ...(prepareForCreate && {
      prepareForCreate: (object, context) => hidingNulls(object, () => prepareForCreate(object, context)),
    }),
    ...(prepareForUpdate && {
      // What is kept from the old object is kept with its nulls.
      prepareForUpdate: (object, old, context) => hidingNulls(object, () => prepareForUpdate(object, old, context)),
    }),
    ...(validate && { validate: (object, context) => hidingNulls(object, () => validate(object, context)) }),
    ...(validateUpdate && {
      validateUpdate: (object, old, context) =>
        hidingNulls(object, () => validateUpdate(object, withoutNulls(old), context)),
    }),
    ...(warnings && {
      warnings: (object, old) =>
        hidingNulls(object, () => warnings(object, old === undefined ? undefined : withoutNulls(old))),
    }),
  };
}

function hidingNulls<T>(object: DraftObject, work: () => T): T {
  const hidden: (readonly [holder: Fields, name: string])[] = [];
  visitNulls(object, (holder, name) => {
    hidden.push([holder, name]);
    Reflect.deleteProperty(holder, name);
  });
  try {
    return work();
  } finally {
    for (const [holder, name] of hidden) {
      if (!Object.hasOwn(holder, name)) setOwn(holder, name, null);
    }
  }
}

/** What stored objects, which nobody changes any more, are without their nulls. */
const nullFree = new WeakMap<StoredObject, StoredObject>();

/** The object itself when it has none, as nearly all have. */
function withoutNulls(object: StoredObject): StoredObject {
  let known = nullFree.get(object);
  if (known !== undefined) return known;
  known = object;
  visitNulls(object, () => {
    known = undefined;
  });
  if (known === undefined) {
    known = copyJson(object);
    visitNulls(known, (holder, name) => Reflect.deleteProperty(holder, name));
  }
  nullFree.set(object, known);
  return known;
}

/** Fields of objects; items of lists stay what they are. */
function visitNulls(value: unknown, visit: (holder: Fields, name: string) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visitNulls(item, visit);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      if (value[name] === null) visit(value, name);
      else visitNulls(value[name], visit);
    }
  }
}
