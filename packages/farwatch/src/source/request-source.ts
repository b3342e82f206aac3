import type { LabelSelector } from "../client/client.ts";
import { CodedError } from "../error/coded-error.ts";
import { labelMatcher, labelSelectorText } from "../wire/label-selector.ts";
import type { ObjectKey } from "../wire/object.ts";
import { type ChannelSourceOptions, channelSource } from "./channel-source.ts";
import type { Source } from "./source.ts";
import { checkOptions } from "./source-options.ts";

/** Which objects of a kind; default: all. */
export interface ObjectSelector {
  /** Only objects with these labels. */
  readonly labels?: LabelSelector;
  /** Only objects of this namespace. */
  readonly namespace?: string;
}

/** What an event of a request source asks for. */
export type Asked =
  | { readonly type: "object"; readonly key: ObjectKey }
  | { readonly type: "all"; readonly selector: ObjectSelector };

/** A source that any part of a program asks reconciles of. */
export interface RequestSource extends Source<Asked> {
  /**
   * Asks for one object. Resolves when that is accepted, not when the object was reconciled: from then on it is kept
   * while this process lives, over changes of leader too. Asked again while it still waits, it is one.
   *
   * @throws CodedError `InvalidOption` for a key without a name, `SourceNotOpen` when nobody reads and 1,024 others
   *   wait, `ChannelClosed` after `close`; the signal's reason.
   */
  enqueue(key: ObjectKey, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Asks for all objects, or those that a selector chooses from what the cache holds when the event is mapped. As
   * `enqueue`.
   *
   * @throws CodedError `InvalidSelector`, and what `enqueue` throws.
   */
  enqueueAll(selector?: ObjectSelector, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** As `close` of a channel source. */
  close(): void;
}

/**
 * Reconciles on demand, from anywhere in the program: a command, an HTTP handler, another controller's reconciler.
 * Watch it with `enqueueRequested` of the kind. It is a channel source of requests, and what that promises holds:
 * accepted before the start and while another replica leads, handed on in order, at least once, by this process. A
 * replica that does not lead keeps what it was asked for until it does. With `deliver: "annotate"` it writes
 * `farwatch.dev/requested-at` on the objects instead, so that whichever replica leads works on them: for this any
 * replica may be asked, and the request outlives the process once it is written.
 *
 * @throws CodedError `InvalidOption` for a capacity that is none, or another `deliver`.
 * @example
 * const probeNow = requestSource({ name: "probe-now" });
 * watch(probeNow, enqueueRequested(StorageBucket));
 * await probeNow.enqueue({ namespace: "default", name: "photos" });
 * await probeNow.enqueueAll({ labels: { tier: "gold" } });
 */
export function requestSource(options: Omit<ChannelSourceOptions, "coalesce"> = {}): RequestSource {
  checkOptions("requests", options);
  const { name = "requests" } = options;
  const { send, ...source } = channelSource<Asked>({ ...options, name, coalesce: keyOfAsked });
  return {
    ...source,
    numbered: options.name === undefined,
    async enqueue(key, sending): Promise<void> {
      const { namespace, name } = Object(key) as Partial<ObjectKey>;
      if (typeof name !== "string" || name === "") {
        throw new CodedError("InvalidOption", "Cannot enqueue an object: it has no name, give { namespace, name }");
      }
      if (namespace !== undefined && typeof namespace !== "string") {
        throw new CodedError(
          "InvalidOption",
          `Cannot enqueue ${name}: its namespace is no text, give { namespace, name }`,
        );
      }
      await send({ type: "object", key: namespace === undefined ? { name } : { namespace, name } }, sending);
    },
    async enqueueAll(selector = {}, sending = {}): Promise<void> {
      // Here it is told to whoever asks; later it would be a dead letter.
      if (selector.labels !== undefined) labelMatcher(selector.labels);
      await send({ type: "all", selector }, sending);
    },
  };
}

function keyOfAsked(asked: Asked): string {
  if (asked.type === "object") return JSON.stringify([asked.key.namespace, asked.key.name]);
  const { labels = "", namespace } = asked.selector;
  return JSON.stringify([labelSelectorText(labels), namespace, "all"]);
}
