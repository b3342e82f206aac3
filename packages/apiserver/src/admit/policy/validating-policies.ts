import { ApiError, notFound } from "../../failure/api-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import type { BindingSpec, MatchResources } from "../built-in/admission-policy.ts";
import { specOf, statusOf } from "../built-in/object-kind.ts";
import { refusal } from "../plugin/admission-plugin.ts";
import { requestFields } from "../webhook/admission-review.ts";
import { type AdmissionView, createRequestMatcher, type Matching } from "../webhook/match-request.ts";
import { isExempt, viewIn, type WebhookOptions } from "../webhook/webhook-caller.ts";
import { paramKindOf, paramsOf } from "./policy-params.ts";
import { type Finding, policyProgram } from "./policy-program.ts";

const group = "admissionregistration.k8s.io";
const policies = { group, resource: "validatingadmissionpolicies" } as const;
const bindings = { group, resource: "validatingadmissionpolicybindings" } as const;
const namespaces = { group: "", resource: "namespaces" } as const;

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** What stands in the way of a request: of a binding, or of the policy itself. */
interface Denial extends Finding {
  readonly policy: string;
  readonly binding?: string;
}

/**
 * Asks the ValidatingAdmissionPolicies that are bound, in the order of their names.
 *
 * @throws ApiError with the first thing that one of them denies.
 */
export function createValidatingPolicies({
  reader,
  registry,
  codec,
}: Pick<WebhookOptions, "codec" | "reader" | "registry">): (attributes: AdmissionAttributes) => Promise<void> {
  const matcher = createRequestMatcher({ reader, registry });

  const namespaceFor = ({ namespace = "" }: AdmissionAttributes): unknown => {
    if (namespace === "") return null;
    const found = reader.find(namespaces, { name: namespace });
    if (found === undefined) throw notFound({ ...namespaces, name: namespace });
    const { managedFields: _fields, ownerReferences: _owners, ...metadata } = found.metadata;
    return { metadata, spec: specOf(found), status: statusOf(found) };
  };

  const deniedBy = async (policy: StoredObject, attributes: AdmissionAttributes): Promise<readonly Denial[]> => {
    const bound = reader.list(bindings).filter((one) => specOf<BindingSpec>(one).policyName === policy.metadata.name);
    if (bound.length === 0) return [];
    const { spec, findings } = policyProgram(policy);
    const served = matcher.match(matchingOf(spec.matchConstraints), attributes);
    if (served === undefined) return [];
    const name = policy.metadata.name;
    const misconfigured = (message: string, binding?: string): readonly Denial[] =>
      spec.failurePolicy === "Ignore"
        ? []
        : [{ policy: name, ...(binding === undefined ? {} : { binding }), message, reason: "Invalid" }];
    const paramKind = spec.paramKind === undefined ? undefined : paramKindOf(spec.paramKind, registry);
    if (paramKind !== undefined && "error" in paramKind) {
      return misconfigured(`failed to configure policy: ${paramKind.error}`);
    }
    const denials: Denial[] = [];
    let view: AdmissionView | undefined;
    for (const binding of bound) {
      const { matchResources, paramRef, validationActions = [] } = specOf<BindingSpec>(binding);
      if (matchResources !== undefined && !isBound(matchResources, attributes)) continue;
      const found =
        paramKind === undefined || paramRef === undefined
          ? [null]
          : paramsOf(paramKind, paramRef, { namespace: attributes.namespace ?? "", reader });
      if ("error" in found) {
        denials.push(...misconfigured(`failed to configure binding: ${found.error}`, binding.metadata.name));
        continue;
      }
      view ??= await viewIn(served, attributes, codec);
      for (const stored of found) {
        let params: DraftObject | StoredObject | null = stored;
        if (stored !== null && paramKind !== undefined) {
          params = await codec.convert(paramKind, stored, paramKind.version);
        }
        const input = {
          object: view.object ?? null,
          oldObject: view.old ?? null,
          request: requestFields(attributes, served),
          namespaceObject: namespaceFor(attributes),
          ...(paramKind === undefined ? {} : { params }),
        };
        for (const { message, reason } of findings(input)) {
          const of = `'${name}' with binding '${binding.metadata.name}'`;
          if (validationActions.includes("Warn")) {
            attributes.warn(`Validation failed for ValidatingAdmissionPolicy ${of}: ${message}`);
          }
          if (validationActions.includes("Deny")) {
            denials.push({ policy: name, binding: binding.metadata.name, message, reason });
          }
        }
      }
    }
    return denials;
  };

  /** A binding that names no rules takes all that the policy takes. */
  const isBound = (match: MatchResources, attributes: AdmissionAttributes): boolean => {
    const matching = matchingOf(match);
    const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], scope: "*" };
    const rules = matching.rules.length === 0 ? [everything] : matching.rules;
    return matcher.match({ ...matching, rules }, attributes) !== undefined;
  };

  return async (attributes) => {
    if (isExempt(attributes)) return;
    const denials: Denial[] = [];
    for (const policy of reader.list(policies)) denials.push(...(await deniedBy(policy, attributes)));
    const [first] = denials;
    if (first !== undefined) throw denialError(attributes, first);
  };
}

function matchingOf(match: MatchResources = {}): Matching {
  const { resourceRules = [], excludeResourceRules, matchPolicy, namespaceSelector, objectSelector } = match;
  return { rules: resourceRules, excludedRules: excludeResourceRules, matchPolicy, namespaceSelector, objectSelector };
}

function denialError(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const refused = refusal(attributes, text);
  return new ApiError({
    code: codes[reason] ?? 422,
    reason,
    message: refused.message,
    details: { ...refused.details, causes: [{ message: text }] },
  });
}
