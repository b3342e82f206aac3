/** One of a namespace that is being deleted. */
export interface NamespaceCondition {
  readonly type: string;
  readonly status: "False" | "True";
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** What is left in a namespace. */
export interface Remaining {
  /** How many objects by `RESOURCE.GROUP`. */
  readonly resources: ReadonlyMap<string, number>;
  /** How many objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why something could not be deleted. */
  readonly failures: readonly string[];
}

type Verdict = Omit<NamespaceCondition, "lastTransitionTime">;

function listed(counts: ReadonlyMap<string, number>, join: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => join(name, count))
    .toSorted()
    .join(", ");
}

function verdicts({ resources, finalizers, failures }: Remaining): readonly Verdict[] {
  const resourceText = listed(resources, (name, count) => `${name} has ${count} resource instances`);
  const finalizerText = listed(finalizers, (name, count) => `${name} in ${count} resource instances`);
  return [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      status: "False",
      reason: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    failures.length === 0
      ? {
          type: "NamespaceDeletionContentFailure",
          status: "False",
          reason: "ContentDeleted",
          message: "All content successfully deleted, may be waiting on finalization",
        }
      : {
          type: "NamespaceDeletionContentFailure",
          status: "True",
          reason: "ContentDeletionFailed",
          message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`,
        },
    resources.size === 0
      ? {
          type: "NamespaceContentRemaining",
          status: "False",
          reason: "ContentRemoved",
          message: "All content successfully removed",
        }
      : {
          type: "NamespaceContentRemaining",
          status: "True",
          reason: "SomeResourcesRemain",
          message: `Some resources are remaining: ${resourceText}`,
        },
    finalizers.size === 0
      ? {
          type: "NamespaceFinalizersRemaining",
          status: "False",
          reason: "ContentHasNoFinalizers",
          message: "All content-preserving finalizers finished",
        }
      : {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${finalizerText}`,
        },
  ];
}

/** The conditions that tell of what remains, in the real server's words; undefined when the old ones say so already. */
export function namespaceConditions(
  old: readonly NamespaceCondition[],
  remaining: Remaining,
  now: string,
): readonly NamespaceCondition[] | undefined {
  let changed = false;
  const told = verdicts(remaining);
  const next = told.map((verdict): NamespaceCondition => {
    const before = old.find(({ type }) => type === verdict.type);
    if (before?.status === verdict.status && before.reason === verdict.reason && before.message === verdict.message) {
      return before;
    }
    changed = true;
    const { type, status, reason, message } = verdict;
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
    return { type, status, lastTransitionTime, reason, message };
  });
  const others = old.filter(({ type }) => !told.some((one) => one.type === type));
  return changed ? [...others, ...next] : undefined;
}
