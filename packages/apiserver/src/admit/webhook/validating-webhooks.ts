import type { AdmissionAttributes } from "../attributes.ts";
import type { Webhook } from "../built-in/webhook-configuration.ts";
import { denial } from "./admission-review.ts";
import type { AdmissionView } from "./match-request.ts";
import { createWebhookCaller, failureOf, type WebhookOptions } from "./webhook-caller.ts";
import { WebhookFailure } from "./webhook-post.ts";

/**
 * Asks the validating webhooks about a request, all at once.
 *
 * @throws ApiError of the first that refuses it, or that fails and may not.
 */
export function createValidatingWebhooks(options: WebhookOptions): (attributes: AdmissionAttributes) => Promise<void> {
  const caller = createWebhookCaller("validating", options);

  const ask = async (hook: Webhook, attributes: AdmissionAttributes, view: AdmissionView): Promise<void> => {
    try {
      const verdict = await caller.call(hook, attributes, view);
      if (!verdict.allowed) throw denial(hook.name ?? "", verdict);
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      const failure = failureOf(hook, error);
      if (failure !== undefined) throw failure;
    }
  };

  return async (attributes) => {
    const hooks = caller.hooks(attributes);
    if (hooks.length === 0) return;
    const calls: { readonly hook: Webhook; readonly view: AdmissionView }[] = [];
    for (const hook of hooks) {
      const view = await caller.view(hook, attributes);
      if (view !== undefined) calls.push({ hook, view });
    }
    const results = await Promise.allSettled(calls.map(({ hook, view }) => ask(hook, attributes, view)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };
}
