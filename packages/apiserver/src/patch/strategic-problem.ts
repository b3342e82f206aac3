const sources: Readonly<Record<string, string>> = {
  array: "slice",
  bool: "bool",
  number: "int64",
  object: "map",
  string: "string",
};

/**
 * What the real server says of a strategically merged object that cannot be decoded: it reads it without JSON, by a converter with
 * texts of its own. `detail` is what the decoder of JSON says; others than those of wrong types are the same.
 */
export function strategicProblem(detail: string): string {
  const found = /^json: cannot unmarshal (\w+)(?: (\S+))? into Go (?:struct field \S+|value) of type (\S+)$/.exec(
    detail,
  );
  if (found === null) return detail;
  const [, given = "", text, target = ""] = found;
  const source = text?.includes(".") ? "float64" : (sources[given] ?? given);
  if (target.startsWith("map[")) return `cannot restore map from ${source}`;
  if (target.startsWith("[]")) return `cannot restore slice from ${source}`;
  if (target.includes(".")) return `cannot restore struct from: ${source}`;
  const converts = source === "int64" ? target === "string" : source === "float64" && target.startsWith("int");
  return converts ? `cannot convert ${source} to ${target}` : `unrecognized type: ${target}`;
}
