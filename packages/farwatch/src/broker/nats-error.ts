/**
 * True when an error of the NATS client has this name, or came of one that has. By its name: not all classes of its
 * errors are to be had.
 */
export function comesOf(error: unknown, wanted: "PermissionViolationError" | "JetStreamNotEnabled"): boolean {
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: unknown };
  return name === wanted || (cause instanceof Error && comesOf(cause, wanted));
}
