import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSchemaPath } from "./schema-path.ts";

test("parseSchemaPath reads fields, items, values and quoted names, with or without the leading dot", () => {
  const paths = {
    "": [],
    spec: [{ field: "spec" }],
    ".spec.rules[].port": [{ field: "spec" }, { field: "rules" }, "items", { field: "port" }],
    "spec.labels{}": [{ field: "spec" }, { field: "labels" }, "values"],
    "spec.grid[][].x": [{ field: "spec" }, { field: "grid" }, "items", "items", { field: "x" }],
    "spec['a.b'].c": [{ field: "spec" }, { field: "a.b" }, { field: "c" }],
    "spec['it\\'s']": [{ field: "spec" }, { field: "it's" }],
  };
  for (const [path, steps] of Object.entries(paths)) assert.deepEqual(parseSchemaPath(path), steps, path);
});

test("parseSchemaPath refuses what is no path", () => {
  for (const path of ["spec..a", "spec[0]", "spec[", "spec.a]", "spec{", "."]) {
    assert.equal(parseSchemaPath(path), undefined, path);
  }
});
