import { ApiError, forbidden, notFound } from "../../failure/api-error.ts";
import type { ObjectReader } from "../../registry/object-reader.ts";
import { statusOf } from "../built-in/object-kind.ts";
import { type AdmissionPlugin, refusal } from "./admission-plugin.ts";

const namespaces = { group: "", resource: "namespaces" } as const;
const immortal: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"]);

/** Nothing is created where there is no namespace, or one that is going; some namespaces never go. */
export function createNamespaceLifecycle(reader: ObjectReader): AdmissionPlugin {
  return {
    admit(attributes): void {
      const { operation, served, name, namespace = "" } = attributes;
      const { group, kind } = served.kind;
      if (group === "" && kind === "Namespace") {
        if (operation !== "DELETE" || !immortal.has(name)) return;
        throw forbidden({ ...namespaces, name }, "this namespace may not be deleted");
      }
      const isQuestion = group === "authorization.k8s.io" && kind === "LocalSubjectAccessReview";
      if (namespace === "" || operation === "DELETE" || isQuestion) return;
      const found = reader.find(namespaces, { name: namespace });
      if (found === undefined) throw notFound({ ...namespaces, name: namespace });
      if (operation !== "CREATE" || statusOf(found).phase !== "Terminating") return;
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      const { code, reason, message, details } = refusal(attributes, why);
      const cause = {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      };
      throw new ApiError({ code, reason, message, details: { ...details, causes: [cause] } });
    },
  };
}
