import { own } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/** A path of fields as errors print it, with the schema at its end, or why it is none. */
export type SchemaPath = { readonly path: string; readonly schema: ServedSchema } | { readonly error: string };

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/**
 * Reads a path below a schema, `.spec.port` or `.labels['app']`, in which every field must be one that the schema has.
 * Brackets can be forbidden, as they are for selectable fields.
 */
export function schemaPath(schema: ServedSchema, text: string, options: { readonly brackets: boolean }): SchemaPath {
  const tokens = text.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+|'/g) ?? [];
  let at = schema;
  let path = "";
  let position = 0;
  const next = (): string | undefined => {
    position += 1;
    return tokens[position - 1];
  };
  for (let token = next(); token !== undefined; token = next()) {
    let name: string | undefined;
    if (token === ".") {
      name = next();
      if (name === undefined) return { error: "unexpected end of JSON path" };
    } else if (token === "[") {
      if (!options.brackets) return { error: "array notation is not allowed" };
      const quoted = next();
      if (quoted === undefined) return { error: "unexpected end of JSON path" };
      if (!/^'[\s\S]*'$/.test(quoted) || quoted.length < 2)
        return { error: `expected single quoted string but got ${quoted}` };
      const bad = /\\([^abfnrtv'\\])/.exec(quoted)?.[0];
      if (bad !== undefined) return { error: `invalid string literal: invalid escape char ${bad}` };
      name = quoted.slice(1, -1).replace(/\\(.)/g, (all, letter: string) => escapes[letter] ?? all);
      const close = next();
      if (close === undefined) return { error: "unexpected end of JSON path" };
      if (close !== "]") return { error: `expected ] but got ${close}` };
    } else return { error: `expected [ or . but got: ${token}` };
    const isMap = at.properties === undefined && at.additionalProperties !== undefined;
    const found = isMap ? at.additionalProperties : own(at.properties, name);
    if (found === undefined) return { error: "does not refer to a valid field" };
    path = isMap ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    at = found;
  }
  return { path, schema: at };
}
