import type { Random } from "farwatch";
import type { DraftObject } from "../registry/api-object.ts";
import { copyJson } from "../schema/plain-object.ts";
import type { Admission } from "./admission.ts";
import type { AdmissionAttributes } from "./attributes.ts";
import { createServiceAllocator } from "./built-in/service-allocation.ts";
import type { AdmissionPlugin } from "./plugin/admission-plugin.ts";
import { createDefaultClasses } from "./plugin/default-class.ts";
import { defaultTolerations, newNodeTaint } from "./plugin/default-toleration.ts";
import { createLimitRanger } from "./plugin/limit-ranger.ts";
import { createNamespaceLifecycle } from "./plugin/namespace-lifecycle.ts";
import { createPodPriority } from "./plugin/pod-priority.ts";
import { storageProtection } from "./plugin/storage-protection.ts";
import { createValidatingPolicies } from "./policy/validating-policies.ts";
import { semanticEqual } from "./semantic-equal.ts";
import { createMutatingWebhooks } from "./webhook/mutating-webhooks.ts";
import { createValidatingWebhooks } from "./webhook/validating-webhooks.ts";
import type { WebhookOptions } from "./webhook/webhook-caller.ts";

export interface AdmissionOptions extends WebhookOptions {
  readonly random: Random;
}

/**
 * Admission as the real server has it by default: what is compiled into it, then webhooks and policies that are stored.
 * Of the former it has no ServiceAccount (as servers for tests are started), PodSecurity, ResourceQuota, nor those
 * about certificates, nodes' identities and runtime classes.
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const { reader, random } = options;
  const plugins: readonly AdmissionPlugin[] = [
    createNamespaceLifecycle(reader),
    createLimitRanger(reader),
    newNodeTaint,
    createPodPriority(reader),
    defaultTolerations,
    createDefaultClasses(reader),
    storageProtection,
  ];
  const mutatingWebhooks = createMutatingWebhooks(options);
  const validateByPolicies = createValidatingPolicies(options);
  const validateByWebhooks = createValidatingWebhooks(options);
  const services = createServiceAllocator({ reader, random });

  const admit = async (attributes: AdmissionAttributes): Promise<DraftObject | undefined> => {
    for (const { admit: one } of plugins) one?.(attributes);
    const webhooks = mutatingWebhooks();
    const { object, changed } = await webhooks.run(attributes);
    if (!changed) return object;
    // What a webhook has added may be something that those before it have an opinion on.
    const before = copyJson(object);
    for (const { admit: one } of plugins) one?.({ ...attributes, object });
    const again = await webhooks.again({ ...attributes, object }, !semanticEqual(before, object));
    return again.object;
  };

  return {
    mutate: async (attributes) => (await admit(attributes)) ?? attributes.object,
    allocate({ served: { kind }, subresource, object, old, dryRun }): void {
      const isService = kind.group === "" && kind.plural === "services" && subresource === undefined;
      if (isService) services.allocate(object, { old, dryRun });
    },
    async validate(attributes): Promise<void> {
      const { operation } = attributes;
      if (operation === "CONNECT" || operation === "DELETE") await admit(attributes);
      for (const { validate: one } of plugins) one?.(attributes);
      await validateByPolicies(attributes);
      await validateByWebhooks(attributes);
    },
  };
}
