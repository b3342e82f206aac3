import { age, aged, type BuiltInColumns, type ColumnsByKind, count, type Reading, unset } from "./column.ts";

const binding: BuiltInColumns = {
  names: ["Role", "Age", "Users*", "Groups*", "ServiceAccounts*"],
  cells(reading) {
    const { roleRef, subjects } = reading.object;
    const of = (kind: string): string =>
      (subjects ?? [])
        .filter((subject: { readonly kind: string }) => subject.kind === kind)
        .map(({ name, namespace }: { readonly name: string; readonly namespace?: string }) =>
          kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name,
        )
        .join(", ");
    return [`${roleRef.kind}/${roleRef.name}`, age(reading), of("User"), of("Group"), of("ServiceAccount")];
  },
};

const webhooks = aged(["Webhooks:integer"], (object) => [count(object.webhooks)]);

/** `NAMESPACE/NAME`, or a selector as Go prints the type. */
function paramReference(reference: Reading["object"] | undefined): string {
  const { name, namespace = "*", selector } = reference ?? {};
  if (name !== undefined) return `${namespace}/${name}`;
  if (selector === undefined) return unset;
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort()
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }: { readonly key: string; readonly operator: string; readonly values?: string[] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

/** Who may do what, and who is asked. */
export const accessColumns: ColumnsByKind = {
  "/ServiceAccount": aged([], () => []),
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": aged(
    ["Validations:integer", "ParamKind"],
    ({ spec: { validations, paramKind } = {} }) => [
      count(validations),
      paramKind === undefined ? unset : `${paramKind.apiVersion}/${paramKind.kind}`,
    ],
  ),
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": aged(
    ["PolicyName", "ParamRef"],
    ({ spec: { policyName, paramRef } = {} }) => [policyName ?? "", paramReference(paramRef)],
  ),
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "rbac.authorization.k8s.io/ClusterRoleBinding": binding,
  "rbac.authorization.k8s.io/RoleBinding": binding,
};
