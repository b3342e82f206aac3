import { isObject } from "../schema/plain-object.ts";
import { type FieldType, formOf, type ListType, type MapType, type ScalarKind } from "./field-type.ts";
import { goTypeText, goValueText } from "./go-text.ts";
import { itemElement, NoElement } from "./list-item.ts";
import { pathElementText } from "./path-element.ts";

/** Why a value does not fit its type; `path` is empty for the whole. */
export interface TypedProblem {
  readonly path: string;
  readonly text: string;
}

const none: readonly TypedProblem[] = [];

function problem(text: string): readonly TypedProblem[] {
  return [{ path: "", text }];
}

function addWithin(problems: TypedProblem[], prefix: string, found: readonly TypedProblem[]): void {
  for (const { path, text } of found) problems.push({ path: `${prefix}${path}`, text });
}

/** The problems in one text, as the real server joins them. */
export function typedProblemsText(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
  return texts.length === 1 ? (texts[0] ?? "") : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

/** What keeps a value from being merged by its type. Stored lists may name an item twice, applied ones may not. */
export function typedProblems(
  value: unknown,
  type: FieldType,
  { duplicates }: { readonly duplicates: boolean },
): readonly TypedProblem[] {
  if (value === null) return none;
  switch (formOf(type, value)) {
    case "map":
      return isObject(value)
        ? mapProblems(value, type.map as MapType, duplicates)
        : problem(`expected map, got ${pointerText(value)}`);
    case "list":
      return Array.isArray(value)
        ? listProblems(value, type.list as ListType, duplicates)
        : problem(`expected list, got ${pointerText(value)}`);
    default:
      return scalarProblems(value, type.scalar as ScalarKind);
  }
}

function mapProblems(
  map: Readonly<Record<string, unknown>>,
  type: MapType,
  duplicates: boolean,
): readonly TypedProblem[] {
  const problems: TypedProblem[] = [];
  for (const name of Object.keys(map)) {
    const fieldType = type.fieldType(name);
    if (fieldType === undefined) {
      problems.push({ path: `.${name}`, text: "field not declared in schema" });
      // The real server looks no further at this map.
      return problems;
    }
    addWithin(problems, `.${name}`, typedProblems(map[name], fieldType, { duplicates }));
  }
  return problems;
}

function listProblems(list: readonly unknown[], type: ListType, duplicates: boolean): readonly TypedProblem[] {
  const problems: TypedProblem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let at = `[${index}]`;
    if (!type.atomic) {
      try {
        const element = itemElement(type, item);
        if (seen.has(element) && !duplicates) {
          problems.push({ path: "", text: `duplicate entries for key ${pathElementText(element)}` });
        }
        seen.add(element);
        at = element;
      } catch (error) {
        if (!(error instanceof NoElement)) throw error;
        problems.push({ path: "", text: `element ${index}: ${error.message}` });
        return problems;
      }
    }
    const found = typedProblems(item, type.items, { duplicates });
    if (found.length > 0) addWithin(problems, type.atomic ? at : pathElementText(at), found);
  }
  return problems;
}

function scalarProblems(value: unknown, kind: ScalarKind): readonly TypedProblem[] {
  switch (kind) {
    case "numeric":
      if (typeof value === "number") return none;
      return problem(`expected numeric (int or float), got ${goTypeText(value)}`);
    case "string":
      if (typeof value === "string") return none;
      return problem(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case "boolean":
      return typeof value === "boolean" ? none : problem(`expected boolean, got ${pointerText(value)}`);
    default:
      return typeof value === "object" ? problem(`expected any scalar, got ${pointerText(value)}`) : none;
  }
}

/** `%v` of the pointer in which the real server holds a value. */
function pointerText(value: unknown): string {
  return `&{${goValueText(value)}}`;
}

/** `%#v` of a value. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return goValueText(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([name, child]) => `${JSON.stringify(name)}:${goSyntax(child)}`).join(", ")}}`;
}
