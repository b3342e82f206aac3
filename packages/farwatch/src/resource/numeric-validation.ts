import type { JsonObject, ValueValidation } from "../wire/structural-schema.ts";
import type { Refuse } from "./refuse.ts";

/**
 * Bounds that say which numbers a type of the library holds. Those of what any JSON number may be go; the server knows
 * the others by a format, but does not check it.
 */
const typeBounds: readonly {
  readonly max: number;
  readonly min: number;
  readonly format?: string;
  readonly keep: boolean;
}[] = [
  { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, keep: false },
  { min: -Number.MAX_VALUE, max: Number.MAX_VALUE, format: "double", keep: false },
  { min: -3.4028234663852886e38, max: 3.4028234663852886e38, format: "float", keep: true },
  { min: -(2 ** 31), max: 2 ** 31 - 1, format: "int32", keep: true },
];

/** Numeric formats that kube-apiserver knows. */
const serverFormats: ReadonlySet<unknown> = new Set(["int32", "int64", "float", "double"]);

/** One side of a range; `exclusive` in both spellings, OpenAPI's boolean and JSON Schema's number. */
function bound(
  node: JsonObject,
  side: "minimum" | "maximum",
): { readonly value: number; readonly exclusive: boolean } | undefined {
  const value = node[side];
  const exclusive = node[side === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"];
  const inclusive = typeof value === "number" ? { value, exclusive: exclusive === true } : undefined;
  if (typeof exclusive !== "number") return inclusive;
  const tighter =
    inclusive === undefined || (side === "minimum" ? exclusive >= inclusive.value : exclusive <= inclusive.value);
  return tighter ? { value: exclusive, exclusive: true } : inclusive;
}

/** Range, step and format of a number as the server takes them. */
export function numericValidation(node: JsonObject, path: string, refuse: Refuse): ValueValidation {
  const step = node.multipleOf;
  if (typeof step === "number" && !Number.isInteger(step)) {
    return refuse(
      path,
      `goes by steps of ${step}, and the API server takes fractional steps for whole ones; write a CEL rule`,
    );
  }
  let minimum = bound(node, "minimum");
  let maximum = bound(node, "maximum");
  let format = serverFormats.has(node.format) ? (node.format as string) : undefined;
  for (const { min, max, format: name, keep } of typeBounds) {
    if (minimum?.value === min && maximum?.value === max) format ??= name;
    // A caller's own bound takes the place of one side; the other is still nobody's wish.
    if (minimum?.value === min && !keep) minimum = undefined;
    if (maximum?.value === max && !keep) maximum = undefined;
  }
  return {
    ...(format !== undefined && { format }),
    ...(minimum !== undefined && { minimum: minimum.value, ...(minimum.exclusive && { exclusiveMinimum: true }) }),
    ...(maximum !== undefined && { maximum: maximum.value, ...(maximum.exclusive && { exclusiveMaximum: true }) }),
    ...(typeof step === "number" && { multipleOf: step }),
  };
}
