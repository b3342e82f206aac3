import type { JsonObject } from "farwatch";
import { canonicalElement, comparePathElements, type PathElement, pathElementText } from "./path-element.ts";

/**
 * A set of fields, which is its own FieldsV1: a step of the path names what is below it. A field is a member when its
 * node is empty or has a `.`; a node of children alone is on the way to members. Steps begin with a letter and a colon,
 * so that no field's name can be mistaken for a property of objects. Sets are never changed.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

type Draft = Record<PathElement, FieldSet>;

/** The set without fields; below another set, the node of a member without children. */
export const emptySet: FieldSet = Object.freeze({});

export function isEmptySet(set: FieldSet): boolean {
  return set === emptySet || Object.keys(set).length === 0;
}

/** Whether the field itself belongs to the set in which this is its node. */
export function isMember(node: FieldSet | undefined): boolean {
  return node !== undefined && (node["."] !== undefined || isEmptySet(node));
}

/** A node for a field: undefined when there is nothing to say about it. */
export function nodeOf(member: boolean, children: FieldSet | undefined): FieldSet | undefined {
  if (children === undefined || isEmptySet(children)) return member ? emptySet : undefined;
  if (!member) return children;
  return { ".": emptySet, ...children };
}

/** What is below a field in a set, the field itself aside. */
export function below(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return emptySet;
  if (node["."] === undefined) return node;
  const { ".": _, ...children } = node;
  return children;
}

/** Each step of `set` through `change`, which is handed the field's node and answers a new one. */
function mapNodes(set: FieldSet, change: (element: PathElement, node: FieldSet) => FieldSet | undefined): FieldSet {
  const result: Draft = {};
  let changed = false;
  for (const element of Object.keys(set)) {
    if (element === ".") continue;
    const node = set[element] as FieldSet;
    const next = change(element, node);
    if (next !== node) changed = true;
    if (next !== undefined) result[element] = next;
  }
  return changed || set["."] !== undefined ? result : set;
}

export function unionOf(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  const result: Draft = { ...left };
  for (const element of Object.keys(right)) {
    const b = right[element] as FieldSet;
    result[element] = unionOfNodes(left[element], b);
  }
  return result;
}

function unionOfNodes(a: FieldSet | undefined, b: FieldSet): FieldSet {
  if (a === undefined || a === b) return b;
  return nodeOf(isMember(a) || isMember(b), unionOf(below(a), below(b))) ?? emptySet;
}

/** Whether every member of `part` is a member of the set. */
export function containsSet(set: FieldSet, part: FieldSet): boolean {
  if (set === part) return true;
  for (const element of Object.keys(part)) {
    if (element === ".") continue;
    const [a, b] = [set[element], part[element] as FieldSet];
    if (a === undefined || (isMember(b) && !isMember(a)) || !containsSet(a, b)) return false;
  }
  return true;
}

export function intersectionOf(left: FieldSet, right: FieldSet): FieldSet {
  return mapNodes(left, (element, a) => {
    const b = right[element];
    if (b === undefined || a === b) return b;
    return nodeOf(isMember(a) && isMember(b), intersectionOf(below(a), below(b)));
  });
}

/** The members of `left` that are no members of `right`; a field that goes leaves those below it. */
export function differenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  return mapNodes(left, (element, a) => {
    const b = right[element];
    if (b === undefined) return a;
    return nodeOf(isMember(a) && !isMember(b), differenceOf(below(a), below(b)));
  });
}

/** Like `differenceOf`, but a field that goes takes all below it along. */
export function withoutTrees(left: FieldSet, trees: FieldSet): FieldSet {
  if (isEmptySet(trees)) return left;
  return mapNodes(left, (element, a) => {
    const b = trees[element];
    if (b === undefined) return a;
    return isMember(b) ? undefined : nodeOf(isMember(a), withoutTrees(below(a), b));
  });
}

function sortedElements(set: FieldSet): readonly PathElement[] {
  return Object.keys(set)
    .filter((element) => element !== ".")
    .sort(comparePathElements);
}

/** Every member in the order of the real server: those of a level before what is below them. */
export function* pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const elements = sortedElements(set);
  for (const element of elements) if (isMember(set[element])) yield [...prefix, element];
  for (const element of elements) yield* pathsOf(below(set[element]), [...prefix, element]);
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.[element];
  return isMember(node);
}

/** The set of one field. */
export function setOfPath(path: readonly PathElement[]): FieldSet {
  return path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), emptySet);
}

export function pathText(path: readonly PathElement[]): string {
  return path.map(pathElementText).join("");
}

/** Whether steps stand in order, `.` before all. */
function isSorted(elements: readonly PathElement[]): boolean {
  return elements.every((element, index) => {
    const previous = elements[index - 1];
    if (previous === undefined || previous === ".") return true;
    return element !== "." && comparePathElements(previous, element) < 0;
  });
}

/** Those that `sortedSet` has made: most of what is written again is one of them. */
const sortedSets = new WeakSet<FieldSet>();

/** The set with its steps in the order in which the real server prints them. */
export function sortedSet(set: FieldSet): FieldSet {
  if (sortedSets.has(set)) return set;
  const sorted = sortNode(set);
  sortedSets.add(sorted);
  return sorted;
}

function sortNode(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  if (elements.length === 0) return emptySet;
  const inOrder = isSorted(elements);
  let changed = !inOrder;
  const result: Draft = {};
  if (!inOrder) elements.sort((a, b) => (a === "." ? -1 : b === "." ? 1 : comparePathElements(a, b)));
  for (const element of elements) {
    const node = set[element] as FieldSet;
    const sorted = sortNode(node);
    if (sorted !== node) changed = true;
    result[element] = sorted;
  }
  return changed ? result : set;
}

/**
 * The set that FieldsV1 of a client says; steps of unknown kinds are passed over.
 *
 * @throws SyntaxError for what is no FieldsV1.
 */
export function parseFieldSet(fields: unknown): FieldSet {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) throw new SyntaxError("no FieldsV1");
  const { children } = parseNode(fields as JsonObject);
  return children;
}

function parseNode(fields: JsonObject): { readonly member: boolean; readonly children: FieldSet } {
  let member = false;
  const children: Draft = {};
  for (const [text, value] of Object.entries(fields)) {
    if (text === ".") {
      member = true;
      continue;
    }
    const element = canonicalElement(text);
    if (element === undefined) continue;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new SyntaxError(`no fields: ${text}`);
    const parsed = parseNode(value as JsonObject);
    const node = nodeOf(parsed.member, parsed.children);
    if (node !== undefined) children[element] = unionOfNodes(children[element], node);
  }
  return { member: member || isEmptySet(children), children };
}
