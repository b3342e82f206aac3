type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "every" }
  | { readonly type: "filter"; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

/** Finds values in an object by a JSON path that was read once. */
export type JsonPath = (object: unknown) => readonly unknown[];

/**
 * Reads the JSON paths that printer columns use: `.spec.a`, `.a['b.c']`, `.list[0]`, `.list[*]`,
 * `.list[?(@.type=="Ready")].status`. Undefined for a path that is none of these.
 */
export function readJsonPath(text: string): JsonPath | undefined {
  const steps = readSteps(text.replace(/^\{(.*)\}$/s, "$1"));
  return steps === undefined ? undefined : (object) => follow(steps, [object]);
}

const stepPattern =
  /\.?\[\?\(\s*@(?<filter>[^=!<>]*?)\s*(?<operator>==|!=)\s*(?<value>"[^"]*"|'[^']*'|[^)\s]+)\s*\)\]|\.?\[(?<index>-?\d+)\]|\.?\[\*\]|\.?\['(?<quoted>[^']*)'\]|\.?\["(?<doubly>[^"]*)"\]|\.(?<name>(?:\\.|[^.[\]\\])+)/y;

function readSteps(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < text.length) {
    const match = stepPattern.exec(text);
    if (match === null) return undefined;
    const { filter, operator = "", value = "", index, quoted, doubly, name } = match.groups ?? {};
    const at = stepPattern.lastIndex;
    if (filter !== undefined) {
      const path = filter === "" ? [] : readSteps(filter);
      if (path === undefined) return undefined;
      stepPattern.lastIndex = at;
      steps.push({ type: "filter", path, operator, value: readValue(value) });
    } else if (index !== undefined) steps.push({ type: "index", index: Number(index) });
    else if (quoted !== undefined || doubly !== undefined)
      steps.push({ type: "field", name: withoutBackslashes(quoted ?? doubly ?? "") });
    else if (name !== undefined)
      steps.push(name === "*" ? { type: "every" } : { type: "field", name: withoutBackslashes(name) });
    else steps.push({ type: "every" });
  }
  return steps;
}

function withoutBackslashes(name: string): string {
  return name.replaceAll(/\\(.)/g, "$1");
}

function readValue(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function follow(steps: readonly Step[], from: readonly unknown[]): readonly unknown[] {
  let values = from;
  for (const step of steps) values = values.flatMap((value) => next(step, value));
  return values;
}

function next(step: Step, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.type) {
    case "field":
      return !Array.isArray(value) && Object.hasOwn(value, step.name)
        ? [(value as Readonly<Record<string, unknown>>)[step.name]]
        : [];
    case "index":
      return Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : [];
    case "every":
      return Object.values(value);
    case "filter":
      return Object.values(value).filter((one) => {
        const [found] = follow(step.path, [one]);
        return (found === step.value) === (step.operator === "==");
      });
  }
}
