import { CodedError } from "../error/coded-error.ts";
import { fieldOf, invalidConfig } from "./config-field.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfig.ts";

/** What stands for kubectl's flags of the same names. */
export interface ContextOverrides {
  /** Instead of current-context. */
  readonly context?: string | undefined;
  /** Instead of the context's cluster. */
  readonly cluster?: string | undefined;
  /** Instead of the context's user. */
  readonly user?: string | undefined;
  /** Instead of the context's namespace. */
  readonly namespace?: string | undefined;
}

export interface ChosenContext {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  readonly namespace: string;
  /** For errors: `context "dev" of kubeconfig /a/b`. */
  readonly origin: string;
}

/**
 * kubectl's merge: for each name, and for current-context, the first file that has it wins, and its entry stays whole.
 */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  // A Map keeps the last of equal keys, so the first file goes in last.
  const backwards = files.toReversed();
  return {
    source: files.map(({ source }) => source).join(" and "),
    currentContext: files.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: new Map(backwards.flatMap(({ clusters }) => [...clusters])),
    users: new Map(backwards.flatMap(({ users }) => [...users])),
    contexts: new Map(backwards.flatMap(({ contexts }) => [...contexts])),
  };
}

/** @throws CodedError `InvalidConfig` that lists what there is to choose from. */
export function chooseContext(config: Kubeconfig, overrides: ContextOverrides): ChosenContext {
  const name = overrides.context ?? config.currentContext;
  const context = name === undefined ? undefined : config.contexts.get(name);
  if (name !== undefined && context === undefined) {
    const asked = overrides.context === undefined ? "the current-context" : "the context";
    throw new CodedError(
      "InvalidConfig",
      `Cannot use ${config.source}: it has no context ${JSON.stringify(name)}, ${asked}; ${offer("contexts", config.contexts)}`,
    );
  }
  if (context === undefined && (overrides.cluster === undefined || overrides.user === undefined)) {
    throw new CodedError(
      "InvalidConfig",
      `Cannot use ${config.source}: it has no current-context, set one or give the option context; ${offer("contexts", config.contexts)}`,
    );
  }
  const find = <T>(what: "cluster" | "user", entries: ReadonlyMap<string, T>): T => {
    const wanted = overrides[what] ?? context?.[what];
    if (wanted === undefined && context !== undefined)
      throw invalidConfig(fieldOf(context.place, what), "is missing, give a string");
    const found = wanted === undefined ? undefined : entries.get(wanted);
    if (found !== undefined) return found;
    const by =
      overrides[what] === undefined && context !== undefined ? `${context.place.path}.${what}` : `the option ${what}`;
    throw new CodedError(
      "InvalidConfig",
      `Cannot use ${config.source}: it has no ${what} ${JSON.stringify(wanted)}, which ${by} names; ${offer(`${what}s`, entries)}`,
    );
  };
  const cluster = find("cluster", config.clusters);
  const user = find("user", config.users);
  return {
    cluster,
    user,
    namespace: overrides.namespace ?? context?.namespace ?? "default",
    origin:
      name === undefined ? `${cluster.place.source}` : `context ${JSON.stringify(name)} of ${context?.place.source}`,
  };
}

function offer(what: string, entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0 ? `it has no ${what}` : `its ${what} are ${[...entries.keys()].toSorted().join(", ")}`;
}
