import type { Logger } from "../observe/logger.ts";
import type { AnyResource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { handledAtAnnotation, requestTokenOf } from "../wire/runtime-annotation.ts";
import type { Client, WriteOptions } from "./client.ts";
import { isConflict } from "./conflict.ts";
import type { KindRegistry } from "./kind-registry.ts";
import { isMissingObject } from "./live-reader.ts";
import { StatusError } from "./status-error.ts";
import type { StatusWriter } from "./status-writer.ts";

/**
 * Status writes that tell which request (`farwatch.dev/requested-at`) they answer: that of the object from which the
 * status was computed. Where the kind's schema declares `status.lastHandledRequest` the token goes there, in the same
 * write; elsewhere into the annotation `farwatch.dev/handled-at`, by a patch of its own once the status has been
 * written. That patch is a note for people: when it is refused the status stands all the same, and the log says which
 * right is missing.
 */
export function notingHandledRequests(
  writer: StatusWriter,
  { registry, patch, log }: { readonly registry: KindRegistry; readonly patch: Client["patch"]; readonly log: Logger },
): StatusWriter {
  const noted = async <O extends KubeObject>(written: O, token: string, options: WriteOptions): Promise<O> => {
    if (options.dryRun || written.metadata.annotations?.[handledAtAnnotation] === token) return written;
    const change = { metadata: { annotations: { [handledAtAnnotation]: token } } };
    const { signal } = options;
    try {
      return (await patch(written as KubeObject, change, { signal })) as O;
    } catch (error) {
      // Changed or gone meanwhile: the run that follows notes it.
      if (isConflict(error) || isMissingObject(error)) return written;
      if (!(error instanceof StatusError) || error.code !== "Forbidden") throw error;
      const { name, namespace } = written.metadata;
      log.warn("Cannot note a handled request: the right to patch the object is missing", { namespace, name, error });
      return written;
    }
  };

  /** Writes a status with the token in it where the schema has a place for it, else beside it. */
  const write = async <O extends KubeObject>(
    object: O,
    options: WriteOptions,
    send: (note: { readonly lastHandledRequest?: string }) => Promise<O>,
  ): Promise<O> => {
    const token = requestTokenOf(object);
    if (token === undefined) return send({});
    if (declaresLastHandledRequest(registry.resourceOf(object))) return send({ lastHandledRequest: token });
    return noted(await send({}), token, options);
  };

  return {
    patchStatus: (object, status, options = {}) =>
      write(object, options, (note) => writer.patchStatus(object, { ...status, ...note }, options)),
    // Applied each time: a field that an apply leaves out is taken away.
    applyStatus: (object, status, options = {}) =>
      write(object, options, (note) => writer.applyStatus(object, { ...status, ...note }, options)),
    updateStatus: (object, options = {}) =>
      write(object, options, (note) => {
        const whole =
          note.lastHandledRequest === undefined ? object : { ...object, status: { ...statusOf(object), ...note } };
        return writer.updateStatus(whole, options);
      }),
  };
}

function statusOf(object: KubeObject): object {
  const { status }: KubeObject & { readonly status?: unknown } = object;
  return typeof status === "object" && status !== null ? status : {};
}

function declaresLastHandledRequest({ definition }: AnyResource): boolean {
  const status = definition?.version.schema?.openAPIV3Schema?.properties?.status;
  return status?.properties?.lastHandledRequest !== undefined;
}
