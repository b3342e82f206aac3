import { checkText } from "../error/given-text.ts";
import { checkFlags, refuseSource } from "./refuse-source.ts";
import type { Source } from "./source.ts";

/** What any source may be told. */
export interface SourceOptions {
  /** Names it in logs, metrics, health and errors; unique in a manager. Default: what follows from what it reads. */
  readonly name?: string | undefined;
  /** Open on the leader alone (default), or on every replica. */
  readonly needLeaderElection?: boolean | undefined;
  /** readyz answers 503 while it is failing; default false. */
  readonly critical?: boolean | undefined;
}

/**
 * What a source declares of what it was told. One whose name nobody chose has `ownName`, and gets a number beside
 * another of that name.
 *
 * @throws CodedError `InvalidOption` for a name that is no text, and for what is neither true nor false.
 */
export function declaredBy(
  { name, needLeaderElection, critical }: SourceOptions,
  ownName: string,
): Pick<Source<unknown>, "name" | "numbered" | "needLeaderElection" | "critical"> {
  if (name !== undefined)
    checkText(name, { doing: `make source ${ownName}`, what: "name", give: "a text, or leave it out" });
  checkFlags(name ?? ownName, { needLeaderElection, critical });
  return { name: name ?? ownName, numbered: name === undefined, needLeaderElection, critical: critical ?? false };
}

/**
 * Of a program in plain JavaScript that gives none. `kind`: what the source would be.
 *
 * @throws CodedError `InvalidOption`
 */
export function checkOptions(kind: string, options: unknown): void {
  if (typeof options !== "object" || options === null) refuseSource(kind, "it has no options, give an object of them");
}

/** @throws CodedError `InvalidOption` for what is no kind of objects. */
export function checkResource(kind: string, resource: unknown): void {
  if (typeof resource === "object" && resource !== null && "kind" in resource && "plural" in resource) return;
  refuseSource(kind, "its resource is none, give one that defineResource or this package gives");
}
