import { aggregatedText } from "../../failure/aggregated-text.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { sameJson } from "../../schema/plain-object.ts";
import { isCaBundle } from "./conversion-check.ts";
import {
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionStatus,
  specOf,
  statusOf,
} from "./definition.ts";

type Definition = DraftObject | StoredObject;

/** Names that definitions of one group have been given. */
interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(definitions: Iterable<Definition>, group: string): Taken {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const definition of definitions) {
    if (specOf(definition).group !== group) continue;
    const {
      plural = "",
      singular = "",
      kind = "",
      listKind = "",
      shortNames = [],
    } = statusOf(definition).acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * The next status of a definition, given all definitions there are: first its names are accepted or found in use, then
 * it is established. Undefined where nothing is to be done; each step is a write of its own, as watchers of the real
 * server see it.
 */
export function nextDefinitionStatus(
  definition: Definition,
  all: Iterable<Definition>,
  now: string,
): DefinitionStatus | undefined {
  return acceptNames(definition, all, now) ?? establish(definition, now);
}

interface Judged {
  readonly names: DefinitionNames;
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

function judge(definition: Definition, all: Iterable<Definition>): Judged {
  const { group = "", names: wanted } = specOf(definition);
  const accepted = statusOf(definition).acceptedNames ?? {};
  const taken = takenNames(all, group);
  const names: DefinitionNames = { ...accepted };
  let conflict: Judged["conflict"];
  const ask = (field: "kind" | "listKind" | "plural" | "singular", reason: string, used: ReadonlySet<string>): void => {
    const name = wanted[field] ?? "";
    const problem = inUse(name, accepted[field] ?? "", used);
    if (problem !== undefined) conflict = { reason, message: problem };
    else if (wanted[field] === undefined) Reflect.deleteProperty(names, field);
    else names[field] = name;
  };
  ask("plural", "PluralConflict", taken.resources);
  ask("singular", "SingularConflict", taken.resources);
  const own = accepted.shortNames ?? [];
  const problems = (wanted.shortNames ?? [])
    .filter((name) => !own.includes(name))
    .map((name) => inUse(name, "", taken.resources))
    .filter((problem) => problem !== undefined);
  if (problems.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregatedText(problems) };
  else take(names, "shortNames", wanted.shortNames);
  ask("kind", "KindConflict", taken.kinds);
  ask("listKind", "ListKindConflict", taken.kinds);
  take(names, "categories", wanted.categories);
  return { names, conflict };
}

function take(names: DefinitionNames, field: "categories" | "shortNames", list: readonly string[] | undefined): void {
  if (list === undefined) Reflect.deleteProperty(names, field);
  else names[field] = list;
}

function inUse(name: string, accepted: string, used: ReadonlySet<string>): string | undefined {
  return name === accepted || !used.has(name) ? undefined : `${JSON.stringify(name)} is already in use`;
}

function acceptNames(definition: Definition, all: Iterable<Definition>, now: string): DefinitionStatus | undefined {
  const status = statusOf(definition);
  if (sameJson(specOf(definition).names, status.acceptedNames)) return undefined;
  const { names, conflict } = judge(definition, all);
  const accepted: DefinitionCondition =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  const before = find(status, "NamesAccepted");
  if (sameJson(names, status.acceptedNames ?? {}) && isSame(before, accepted)) return undefined;
  const established: DefinitionCondition = find(status, "Established") ?? {
    type: "Established",
    status: "False",
    reason: "NotAccepted",
    message: "not all names are accepted",
  };
  const installing: DefinitionCondition = {
    type: "Established",
    status: "False",
    reason: "Installing",
    message: "the initial names have been accepted",
  };
  const next = established.status !== "True" && conflict === undefined ? installing : established;
  return {
    ...status,
    conditions: withCondition(withCondition(status.conditions ?? [], accepted, now), next, now),
    acceptedNames: names,
  };
}

function establish(definition: Definition, now: string): DefinitionStatus | undefined {
  const status = statusOf(definition);
  if (find(status, "NamesAccepted")?.status !== "True" || find(status, "Established")?.status === "True")
    return undefined;
  const bundle = specOf(definition).conversion?.webhook?.clientConfig?.caBundle ?? "";
  const condition: DefinitionCondition = isCaBundle(bundle)
    ? {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      }
    : {
        type: "Established",
        status: "False",
        reason: "InvalidCABundle",
        message: "The conversion webhook CABundle is invalid",
      };
  if (isSame(find(status, "Established"), condition)) return undefined;
  return { ...status, conditions: withCondition(status.conditions ?? [], condition, now) };
}

function find({ conditions }: DefinitionStatus, type: string): DefinitionCondition | undefined {
  return (conditions ?? []).find((condition) => condition.type === type);
}

function isSame(a: DefinitionCondition | undefined, b: DefinitionCondition): boolean {
  return a?.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** The time of a condition is that of its last change of status. */
function withCondition(
  conditions: readonly DefinitionCondition[],
  { type, status, reason, message }: DefinitionCondition,
  now: string,
): readonly DefinitionCondition[] {
  const before = conditions.find((one) => one.type === type);
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  const condition: DefinitionCondition = {
    type,
    status,
    lastTransitionTime,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((one) => (one.type === type ? condition : one));
}
