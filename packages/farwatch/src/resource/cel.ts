/** CEL's own words, which a field of that name is escaped from. */
const reserved: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import"],
  ...["let", "loop", "package", "namespace", "return"],
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** `self.` and the field as a CEL rule of a CRD reaches it; undefined for names that CEL cannot reach. */
export function celField(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `self.__${name}__`;
  return `self.${name.replace(/__|[./-]/g, (part) => escapes[part] ?? part)}`;
}

/** A string, integer or boolean as CEL spells it. */
export function celLiteral(value: unknown): string {
  return JSON.stringify(value);
}

/** A number as CEL spells a double; it compares a field of type number with no other. */
export function celDouble(value: unknown): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The `fieldPath` of a rule for a field of the object that holds the rule. */
export function fieldPathOf(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, "\\$&")}']`;
}
