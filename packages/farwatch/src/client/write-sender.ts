import { joinSignals } from "../flow/join-signals.ts";
import type { AnyResource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import type { CallOptions, WriteOptions } from "./client.ts";
import type { ClientView } from "./connected-client.ts";
import type { RestClient, RestRequest } from "./rest-client.ts";

type WriteRequest = Omit<RestRequest, "signal" | "beforeWrite" | "streaming" | "gzip">;

/** Sends the writes of one view: every mutating request goes through here, so that none passes the fence by. */
export interface WriteSender {
  /** Resolves with what the server answers. */
  send<T>(request: WriteRequest, options: CallOptions): Promise<T>;
  /** The same for the write of an object; tells `onWrite` of what the server answers. */
  write<O extends KubeObject>(resource: AnyResource, request: WriteRequest, options: WriteOptions): Promise<O>;
}

export function createWriteSender(rest: RestClient, view: ClientView): WriteSender {
  const { fence, onWrite, fieldManager = "farwatch" } = view;
  const beforeWrite = fence === undefined ? undefined : (): void => fence.check();

  const send = async <T>(request: WriteRequest, { signal }: CallOptions): Promise<T> => {
    if (fence === undefined) return rest.json<T>({ ...request, signal });
    // A write that begins too late is refused as such, and does not look like one that was aborted.
    fence.check();
    if (signal === undefined || signal === fence.signal)
      return rest.json<T>({ ...request, signal: fence.signal, beforeWrite });
    using joined = joinSignals(signal, fence.signal);
    return await rest.json<T>({ ...request, signal: joined, beforeWrite });
  };

  return {
    send,
    async write<O extends KubeObject>(resource: AnyResource, request: WriteRequest, options: WriteOptions): Promise<O> {
      const query = {
        fieldManager: options.fieldManager ?? fieldManager,
        fieldValidation: options.fieldValidation ?? "Strict",
        dryRun: options.dryRun ? "All" : undefined,
        ...request.query,
      };
      const answer = await send<O>({ ...request, query }, options);
      // A subresource may have a kind of its own, such as Scale: no state of the object.
      const isObject = answer.kind === resource.kind && answer.apiVersion === resource.apiVersion;
      if (isObject && !options.dryRun) onWrite?.(answer, "written");
      return answer;
    },
  };
}
