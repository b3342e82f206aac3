import { CodedError } from "../error/coded-error.ts";
import type { Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import { addFinalizer, removeFinalizers } from "./finalizer.ts";
import type { ReconcileContext, Reconciler, Result } from "./reconciler.ts";

/** Work that must be done outside the cluster before an object may go. */
export interface Finalizer<O extends KubeObject> {
  /** A qualified name of yours: `storage.farwatch.dev/cleanup`. */
  readonly name: string;
  /**
   * Cleans up. Called until it returns without `requeueAfter`; only then is the finalizer removed. A throw keeps it,
   * always, a TerminalError too: the object stays until somebody acts.
   */
  finalize(object: O, ctx: ReconcileContext): Promise<Result | undefined | void>;
}

/**
 * Wraps a reconciler so that it never runs for an object without the finalizer, nor for one that is being deleted: for
 * those `finalize` runs instead.
 *
 * @throws CodedError `InvalidOption` when the finalizer's name is not qualified.
 */
export function withFinalizer<O extends KubeObject>(
  resource: Resource<O>,
  finalizer: Finalizer<O>,
  reconcile: Reconciler,
): Reconciler {
  if (!finalizer.name.includes("/")) {
    throw new CodedError(
      "InvalidOption",
      `Cannot use finalizer ${JSON.stringify(finalizer.name)}: give a qualified name such as example.com/cleanup`,
    );
  }
  return async (request, ctx) => {
    const object = await ctx.client.find(resource, request, { signal: ctx.signal });
    if (object === undefined) return;
    if (object.metadata.deletionTimestamp === undefined) {
      await addFinalizer(ctx.client, object, finalizer.name, { signal: ctx.signal });
      return reconcile(request, ctx);
    }
    if (!object.metadata.finalizers?.includes(finalizer.name)) return;
    const result = await finalizer.finalize(object, ctx);
    if (result?.requeueAfter !== undefined) return result;
    // Not aborted with the run: what was cleaned up need not be cleaned up again by the next process.
    await removeFinalizers(ctx.client, object, [finalizer.name]);
    ctx.log.info("Removed finalizer", { object: formatKey(request), finalizer: finalizer.name });
  };
}
