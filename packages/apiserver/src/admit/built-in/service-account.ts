import type { FieldError } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { dnsSubdomain } from "../name-rule.ts";
import type { Strategy } from "../strategy.ts";
import { metaErrors, metaUpdateErrors } from "./object-kind.ts";

const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const mountable = "kubernetes.io/enforce-mountable-secrets";

/** Of a reference to a secret only its name is kept. */
function cleanSecrets(object: DraftObject): void {
  const secrets = object.secrets as readonly { readonly name?: string }[] | undefined;
  if (secrets !== undefined) object.secrets = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** ServiceAccount of core/v1. */
export const serviceAccountStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  prepareForCreate: cleanSecrets,
  prepareForUpdate: cleanSecrets,
  validate: (object) => metaErrors(object, rules),
  validateUpdate: (object, old): FieldError[] => [...metaUpdateErrors(object, old), ...metaErrors(object, rules)],
  warnings({ metadata }, old): readonly string[] {
    const has = (annotations: Readonly<Record<string, string>> | undefined): boolean =>
      annotations !== undefined && Object.hasOwn(annotations, mountable);
    if (!has(metadata.annotations) || has(old?.metadata.annotations)) return [];
    return [
      `metadata.annotations[${mountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ];
  },
};
