import { checkEscalation } from "../authorize/escalation.ts";
import type { Rbac } from "../authorize/rbac.ts";
import { rbacGroup } from "../authorize/rbac-grants.ts";
import type { Admission } from "./admission.ts";

/**
 * Admission that also refuses roles and bindings that give more than their writer has: when all others have had their
 * say about the object, and before its validation, as the real server's storage does.
 */
export function guardRoles(admission: Admission, rbac: Rbac): Admission {
  return {
    ...admission,
    async mutate(attributes) {
      const object = await admission.mutate(attributes);
      const { served, user, namespace, name, old } = attributes;
      if (served.kind.group === rbacGroup) {
        const resource = served.kind.plural;
        checkEscalation(rbac, { user, resource, namespace, name: old === undefined ? undefined : name, object, old });
      }
      return object;
    },
  };
}
