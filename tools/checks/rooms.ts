/**
 * The rooms of each package that has them, in the order in which an event passes through them. A file imports from its own
 * room and from rooms above it, and from no other; ARCHITECTURE.md shows the same list.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  "packages/farwatch": [
    "error",
    "clock",
    "flow",
    "observe",
    "limit",
    "wire",
    "resource",
    "transport",
    "client",
    "event",
    "ingress",
    "cache",
    "source",
    "broker",
    "predicate",
    "handler",
    "queue",
    "reconcile",
    "controller",
    "manager",
    "doubles",
  ],
  "packages/apiserver": [
    "failure",
    "schema",
    "registry",
    "store",
    "patch",
    "authorize",
    "admit",
    "verb",
    "collect",
    "route",
    "http",
    "command",
  ],
  "operators/storage-bucket": ["resource", "endpoint", "credential", "probe", "status", "controller", "command"],
};

/** The top folders that hold workspaces, from the most used to the least: a workspace never imports from a folder below its own. */
export const layers = ["packages", "operators", "examples"] as const;
