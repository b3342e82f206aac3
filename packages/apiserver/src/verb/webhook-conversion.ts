import type { WebhookClientConfig } from "../admit/built-in/webhook-configuration.ts";
import { readReview } from "../admit/webhook/webhook-answer.ts";
import { type ResolveService, webhookTarget } from "../admit/webhook/webhook-caller.ts";
import type { WebhookPost } from "../admit/webhook/webhook-post.ts";
import { storageError } from "../failure/api-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";
import type { ObjectReader } from "../registry/object-reader.ts";
import { ConversionError, convertByWebhook } from "./conversion-review.ts";

/** Conversion between versions by a webhook that a definition names. */
export interface WebhookConversion {
  converts(kind: Kind): boolean;
  /**
   * The objects in another version, in their order.
   *
   * @throws ApiError 500 in the real server's words.
   */
  convert(
    kind: Kind,
    objects: readonly (DraftObject | StoredObject)[],
    apiVersion: string,
  ): Promise<readonly DraftObject[]>;
}

export interface WebhookConversionOptions {
  readonly reader: ObjectReader;
  readonly post: WebhookPost;
  readonly uuid: () => string;
  readonly resolveService?: ResolveService | undefined;
  /** Ends what is under way: of the server. */
  readonly signal: AbortSignal;
}

/** spec.conversion of a definition. */
interface Conversion {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig;
    readonly conversionReviewVersions?: readonly string[];
  };
}

const definitions = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" } as const;
const timeoutSeconds = 30;

/** Reads from its definition, each time, whether and by whom a kind is converted. */
export function createWebhookConversion(options: WebhookConversionOptions): WebhookConversion {
  const { reader, post, uuid, signal } = options;
  const conversionOf = ({ custom, plural, group }: Kind): Conversion | undefined => {
    if (!custom) return undefined;
    const definition = reader.find(definitions, { name: `${plural}.${group}` });
    const { conversion } = (definition?.spec ?? {}) as { readonly conversion?: Conversion };
    return conversion?.strategy === "Webhook" ? conversion : undefined;
  };

  return {
    converts: (kind) => conversionOf(kind) !== undefined,
    async convert(kind, objects, apiVersion): Promise<readonly DraftObject[]> {
      const { clientConfig = {}, conversionReviewVersions: reviewVersions = [] } = conversionOf(kind)?.webhook ?? {};
      const send = async (review: unknown): Promise<unknown> => {
        const target = webhookTarget(clientConfig, { ...options, timeoutSeconds });
        const body = JSON.stringify(review);
        const answer = await post({ ...target, body, timeoutMs: timeoutSeconds * 1000, signal });
        return readReview(answer, { group: definitions.group, kind: "ConversionReview" });
      };
      try {
        return await convertByWebhook(objects, { apiVersion, reviewVersions, uid: uuid(), post: send });
      } catch (error) {
        throw error instanceof ConversionError ? storageError(error.message) : error;
      }
    },
  };
}
