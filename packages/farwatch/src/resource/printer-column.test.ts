import assert from "node:assert/strict";
import { test } from "node:test";
import type { StructuralSchema } from "../wire/structural-schema.ts";
import { type PrinterColumn, printerColumn } from "./printer-column.ts";

const condition: StructuralSchema = {
  type: "object",
  properties: { type: { type: "string" }, status: { type: "string" } },
};
const schema: StructuralSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        bucket: { type: "string" },
        size: { "x-kubernetes-int-or-string": true },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        labels: { type: "object", additionalProperties: { type: "integer" } },
      },
    },
    status: {
      type: "object",
      properties: {
        available: { type: "boolean" },
        count: { type: "integer" },
        ratio: { type: "number" },
        probedAt: { type: "string", format: "date-time" },
        conditions: { type: "array", items: condition },
      },
    },
  },
};

const typeOf = (path: string, type?: PrinterColumn["type"]): string =>
  printerColumn("Thing", { name: "X", path, ...(type !== undefined && { type }) }, schema).type;

// B87
test("printerColumn shows a time as text unless a date is asked for, since a date to come would be <invalid>", () => {
  assert.equal(typeOf(".status.probedAt"), "string");
  assert.equal(typeOf(".status.probedAt", "date"), "date");
  assert.equal(typeOf(".metadata.creationTimestamp", "date"), "date");
});

test("printerColumn takes its type from the schema", () => {
  const types = {
    ".spec.bucket": "string",
    ".spec.size": "string",
    ".spec.open.any[0].thing": "string",
    ".spec.labels.a\\.b": "integer",
    ".spec.labels['a.b']": "integer",
    ".status.available": "boolean",
    ".status.count": "integer",
    ".status.ratio": "number",
    ".status.conditions": "string",
    '.status.conditions[?(@.type=="Ready")].status': "string",
    ".status.conditions[0].status": "string",
    ".metadata.generation": "integer",
    ".metadata.labels.app": "string",
  };
  for (const [path, type] of Object.entries(types)) assert.equal(typeOf(path), type, path);
});

test("printerColumn keeps description, format and priority", () => {
  const column = {
    name: "Count",
    path: ".status.count",
    description: "How many.",
    format: "int32",
    priority: 1,
  } as const;
  assert.deepEqual(printerColumn("Thing", column, schema), {
    name: "Count",
    type: "integer",
    format: "int32",
    description: "How many.",
    priority: 1,
    jsonPath: ".status.count",
  });
});

const refused: readonly (readonly [of: string, column: PrinterColumn, says: string])[] = [
  [
    "a path that is not in the schema",
    { name: "X", path: ".status.nope" },
    'printer column "X" has the path .status.nope, which is not in the schema',
  ],
  [
    "a path into a scalar",
    { name: "X", path: ".status.count.x" },
    'printer column "X" has the path .status.count.x, which is not in the schema',
  ],
  [
    "a path without a dot",
    { name: "X", path: "status.count" },
    'printer column "X" has the path "status.count", give a JSON path such as .status.available',
  ],
  [
    "a date over a text",
    { name: "X", path: ".spec.bucket", type: "date" },
    'printer column "X" has the type date, but .spec.bucket is no date-time; give the field that format, or the column the type string',
  ],
  [
    "an integer over a boolean",
    { name: "X", path: ".status.available", type: "integer" },
    'printer column "X" has the type integer, but .status.available is boolean',
  ],
  ["a column without a name", { name: "", path: ".status.count" }, 'printer column "" has no name, give one'],
];

for (const [of, column, says] of refused) {
  test(`printerColumn refuses ${of}`, () => {
    assert.throws(() => printerColumn("Thing", column, schema), {
      code: "InvalidResource",
      message: `Cannot define Thing: ${says}`,
    });
  });
}
