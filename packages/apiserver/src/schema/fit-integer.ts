import { isObject, own } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/**
 * Makes numbers in a value of a built-in type integers where the type has them, in place, as Go converts them that are no text:
 * what is too large loses its upper bits. `refuse` makes the error for a number that is not whole.
 */
export function fitIntegers(schema: ServedSchema, value: unknown, refuse: (why: string) => Error): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (typeof item === "number") value[index] = fitted(items, item, refuse);
      else fitIntegers(items, item, refuse);
    }
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (typeof item !== "number" && (typeof item !== "object" || item === null)) continue;
    const field = schema.additionalProperties ?? own(schema.properties, name);
    if (field === undefined) continue;
    if (typeof item !== "number") fitIntegers(field, item, refuse);
    else if (field.format === "int32" || field.format === "int64") value[name] = fitted(field, item, refuse);
  }
}

function fitted({ format }: ServedSchema, value: number, refuse: (why: string) => Error): number {
  if (format !== "int32" && format !== "int64") return value;
  if (!Number.isInteger(value)) throw refuse(`cannot convert float64 to ${format}`);
  // A float beyond all integers is the least of them.
  const whole = Math.abs(value) < 2 ** 63 ? BigInt(value) : -(2n ** 63n);
  return Number(BigInt.asIntN(format === "int32" ? 32 : 64, whole));
}
