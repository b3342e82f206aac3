import { compareText } from "../schema/compare-text.ts";
import { isObject, own, setOwn } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";

/**
 * The value with its names in the order in which Go writes them: of a structure that of its fields, which a built-in
 * kind's schema has, of a map the alphabetical one, which is that of all custom objects.
 */
export function inGoOrder(value: unknown, schema: ServedSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => inGoOrder(item, schema?.items));
  if (!isObject(value)) return value;
  const fields = schema?.["x-go-type"] === undefined ? [] : Object.keys(schema.properties ?? {});
  const places = new Map(fields.map((name, place) => [name, place]));
  const placeOf = (name: string): number => places.get(name) ?? fields.length;
  const names = Object.keys(value).sort((a, b) => placeOf(a) - placeOf(b) || compareText(a, b));
  const ordered: Record<string, unknown> = {};
  for (const name of names) {
    const field = own(schema?.properties, name) ?? schema?.additionalProperties;
    setOwn(ordered, name, inGoOrder(value[name], field));
  }
  return ordered;
}
