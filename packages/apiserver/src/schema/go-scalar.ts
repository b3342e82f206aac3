import { formatQuantity, parseQuantity } from "farwatch";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";
import type { GoTime } from "./go-time.ts";
import type { ServedSchema } from "./served-schema.ts";

/** What Go's decoder says of a value that does not fit: `json: cannot unmarshal string into Go struct field …`. */
export class GoDecodeError extends Error {
  override readonly name = "GoDecodeError";
}

/** Where a value stands, told only when there is something to say of it. */
export class Place {
  /** The Go type that holds the value: `DeploymentSpec`. */
  readonly struct: string;
  readonly #above: Place | undefined;
  /** A field or a map's key, or an item's number. */
  readonly #step: number | string;
  readonly #isField: boolean;

  constructor(struct: string, above?: Place, step: number | string = "", isField = false) {
    this.struct = struct;
    this.#above = above;
    this.#step = step;
    this.#isField = isField;
  }

  fieldOf(struct: string, name: string): Place {
    return new Place(struct, this, name, true);
  }

  /** Of a list's item or a map's value. */
  partOf(step: number | string): Place {
    return new Place(this.struct, this, step);
  }

  /** As Go names it: `spec.template.spec.containers.name`, with no item and no key of a map. */
  get field(): string {
    const above = this.#above?.field ?? "";
    if (!this.#isField) return above;
    return above === "" ? String(this.#step) : `${above}.${this.#step}`;
  }

  /** As unknown fields are named: `spec.template.spec.containers[0]`. */
  get path(): string {
    if (this.#above === undefined) return "";
    const { path } = this.#above;
    if (typeof this.#step === "number") return `${path}[${this.#step}]`;
    return path === "" ? this.#step : `${path}.${this.#step}`;
  }
}

export function timeOf(value: unknown, place: Place, parse: (text: string) => GoTime): string {
  if (typeof value !== "string") return fail(value, { type: "string" }, place);
  const parsed = parse(value);
  if ("error" in parsed) throw new GoDecodeError(parsed.error);
  return parsed.time;
}

const quantityShape = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

export function quantityOf(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return formatQuantity(quantity);
  throw new GoDecodeError(`quantities must match the regular expression '${quantityShape.source}'`);
}

export function durationOf(value: unknown, place: Place): string {
  if (typeof value !== "string") return fail(value, { type: "string" }, place);
  const nanos = parseGoDuration(value);
  if (nanos === undefined) throw new GoDecodeError(`time: invalid duration ${JSON.stringify(value)}`);
  return formatGoDuration(nanos);
}

export function integerOf(value: unknown, type: "int32" | "int64", place: Place): number {
  const schema: ServedSchema = { type: "integer", format: type };
  if (typeof value !== "number") return fail(value, schema, place);
  const most = type === "int32" ? 2 ** 31 : 2 ** 63;
  if (!Number.isInteger(value) || value >= most || value < -most) return fail(value, schema, place, `number ${value}`);
  return value;
}

export function bytesOf(value: unknown, place: Place): string {
  if (Array.isArray(value)) return bytesOfNumbers(value, place);
  if (typeof value !== "string") return fail(value, { type: "string", format: "byte" }, place);
  const text = value.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/]/.exec(text.replace(/={1,2}$/, ""))?.index;
  if (bad !== undefined || text.length % 4 !== 0) {
    throw new GoDecodeError(`illegal base64 data at input byte ${bad ?? text.length - (text.length % 4)}`);
  }
  return text;
}

/** A list of numbers is bytes too. */
function bytesOfNumbers(value: readonly unknown[], place: Place): string {
  const bytes = value.map((item) => {
    if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 256) return item;
    const what = typeof item === "number" ? `number ${item}` : wordFor(item);
    return fail(item, { type: "integer", format: "uint8" }, place, what);
  });
  return Buffer.from(bytes).toString("base64");
}

/** @throws GoDecodeError always */
export function fail(value: unknown, schema: ServedSchema, place: Place, what: string = wordFor(value)): never {
  const where = place.field === "" ? "Go value" : `Go struct field ${place.struct}.${place.field}`;
  throw new GoDecodeError(`json: cannot unmarshal ${what} into ${where} of type ${goTypeName(schema)}`);
}

function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function goTypeName(schema: ServedSchema): string {
  if (schema["x-go-name"] !== undefined) return schema["x-go-name"];
  if (schema.format === "byte") return "[]uint8";
  if (schema.format === "int32" || schema.format === "int64" || schema.format === "uint8") return schema.format;
  if (schema.type === "boolean") return "bool";
  if (schema.type === "number") return "float64";
  if (schema.type === "array") return `[]${schema.items === undefined ? "interface {}" : goTypeName(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map[string]${goTypeName(schema.additionalProperties)}`;
  if (schema["x-kubernetes-int-or-string"] === true) return "intstr.IntOrString";
  if (schema.format === "quantity") return "resource.Quantity";
  return (
    schema["x-go-type"]?.split(".").slice(-2).join(".") ??
    (schema.type === "object" ? "map[string]interface {}" : "string")
  );
}
