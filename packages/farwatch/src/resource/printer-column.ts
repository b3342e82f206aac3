import { CodedError } from "../error/coded-error.ts";
import type { CrdPrinterColumn } from "../wire/custom-resource-definition.ts";
import type { StructuralSchema } from "../wire/structural-schema.ts";

/**
 * A column of `kubectl get`. Where a kind has columns of its own, kubectl adds none; name `Age` too when it is wanted.
 */
export interface PrinterColumn {
  readonly name: string;
  /** A JSON path as kubectl reads it: `.status.available`, `.status.conditions[?(@.type=="Ready")].status`. */
  readonly path: string;
  /**
   * Default: what the schema says of the path; a time is then a `string`. `date` shows how long ago the time is, and
   * `<invalid>` for a time to come: give it only to what is never later than the moment of its writing.
   */
  readonly type?: "boolean" | "date" | "integer" | "number" | "string";
  readonly description?: string;
  readonly format?: "byte" | "date" | "date-time" | "double" | "float" | "int32" | "int64" | "password";
  /** Above 0: only with `kubectl get -o wide`; default 0. */
  readonly priority?: number;
}

/** One step of a JSON path: a field, or some items of a list. */
type JsonPathStep = { readonly field: string } | "items";

const metadata: StructuralSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    generateName: { type: "string" },
    namespace: { type: "string" },
    uid: { type: "string" },
    resourceVersion: { type: "string" },
    generation: { type: "integer" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" } },
    ownerReferences: { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  },
};

/** The parts of every object that no schema of a CRD names. */
const envelope: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata,
};

/**
 * The column as a CRD has it.
 *
 * @throws CodedError `InvalidResource` when the path is none, is not in the schema, or cannot be of the given type: the
 * API server would show an empty column without a word.
 */
export function printerColumn(kind: string, column: PrinterColumn, schema: StructuralSchema): CrdPrinterColumn {
  const { name, path, description, format, priority } = column;
  const refuse = (state: string): never => {
    throw new CodedError("InvalidResource", `Cannot define ${kind}: printer column ${JSON.stringify(name)} ${state}`);
  };
  if (name === "") refuse("has no name, give one");
  const steps =
    parseJsonPath(path) ?? refuse(`has the path ${JSON.stringify(path)}, give a JSON path such as .status.available`);
  const at = find({ ...schema, properties: { ...envelope, ...schema.properties } }, steps);
  if (at === undefined) return refuse(`has the path ${path}, which is not in the schema`);
  const own = at === "unchecked" ? undefined : columnType(at);
  const type = column.type ?? own ?? "string";
  const time = at !== "unchecked" && at.format === "date-time";
  const fits =
    type === "string" ||
    own === undefined ||
    type === own ||
    (type === "number" && own === "integer") ||
    (type === "date" && time);
  if (!fits) {
    refuse(
      type === "date"
        ? `has the type date, but ${path} is no date-time; give the field that format, or the column the type string`
        : `has the type ${type}, but ${path} is ${own}`,
    );
  }
  return {
    name,
    type,
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
    jsonPath: path,
  };
}

/** How kubectl shows a scalar; of lists and objects it prints the JSON. */
function columnType(schema: StructuralSchema): "boolean" | "integer" | "number" | "string" {
  const { type } = schema;
  return type === "boolean" || type === "integer" || type === "number" ? type : "string";
}

function find(root: StructuralSchema, steps: readonly JsonPathStep[]): StructuralSchema | "unchecked" | undefined {
  let schema: StructuralSchema = root;
  for (const step of steps) {
    const inner =
      step === "items"
        ? schema.items
        : (schema.additionalProperties ??
          (Object.hasOwn(schema.properties ?? {}, step.field) ? schema.properties?.[step.field] : undefined));
    if (inner === undefined) return schema["x-kubernetes-preserve-unknown-fields"] === true ? "unchecked" : undefined;
    schema = inner;
  }
  return schema;
}

function parseJsonPath(path: string): readonly JsonPathStep[] | undefined {
  const steps: JsonPathStep[] = [];
  let rest = path;
  while (rest !== "") {
    const match =
      /^\.((?:[^.[\]\\\s]|\\.)+)/.exec(rest) ??
      /^\[(?:'([^']+)'|"([^"]+)"|(?:\*|-?\d*(?::-?\d*){0,2}|\?\((?:[^()"']|"[^"]*"|'[^']*')*\)))\]/.exec(rest);
    if (match === null) return undefined;
    const name = match[1] ?? match[2];
    steps.push(name === undefined ? "items" : { field: name.replace(/\\(.)/g, "$1") });
    rest = rest.slice(match[0].length);
  }
  return steps.length > 0 && path.startsWith(".") ? steps : undefined;
}
