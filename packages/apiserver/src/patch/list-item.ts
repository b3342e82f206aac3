import { goQuotedList } from "../failure/go-quoted.ts";
import { isObject, own } from "../schema/plain-object.ts";
import type { ListType } from "./field-type.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** An item that cannot be told apart from others: why. */
export class NoElement extends Error {
  override readonly name = "NoElement";
}

/**
 * The step of the path that names an item of a list that is no whole.
 *
 * @throws NoElement
 */
export function itemElement({ keys, keyDefault }: ListType, item: unknown): PathElement {
  if (keys.length === 0) {
    if (Array.isArray(item)) throw new NoElement("not supported: associative list with lists as elements");
    if (isObject(item)) throw new NoElement("associative list without keys has an element that's a map type");
    if (item === null || item === undefined) {
      throw new NoElement("associative list without keys has an element that's an explicit null");
    }
    return valueElement(item);
  }
  if (item === null || item === undefined)
    throw new NoElement("associative list with keys may not have a null element");
  if (!isObject(item)) throw new NoElement("associative list with keys may not have non-map elements");
  const found: (readonly [string, unknown])[] = [];
  for (const key of keys) {
    const value = own(item, key) ?? (Object.hasOwn(item, key) ? null : keyDefault(key));
    if (value !== undefined) found.push([key, value]);
  }
  if (found.length === 0) {
    throw new NoElement(
      `associative list with keys has an element that omits all key fields ${goQuotedList(keys)} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(found);
}
