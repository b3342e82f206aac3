import { badRequest, invalid } from "../failure/api-error.ts";
import { type FieldError, invalidValue } from "../failure/field-error.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { missingRolesText, type Rbac } from "./rbac.ts";
import { managedFieldsOf, type Review } from "./review.ts";
import { type ReviewedSelector, selectorErrors } from "./reviewed-selector.ts";
import type { AccessRequest, Authorizer, Decision, User } from "./user.ts";

interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: ReviewedSelector;
  readonly labelSelector?: ReviewedSelector;
}

interface NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

interface AccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

function specOf(body: DraftObject): AccessReviewSpec {
  return (body.spec ?? {}) as AccessReviewSpec;
}

function attributesErrors({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = "cannot be specified in combination with resourceAttributes";
    return [invalidValue("spec.nonResourceAttributes", internalForm(nonResourceAttributes), why)];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    return [invalidValue("spec.resourceAttributes", null, why)];
  }
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  return [
    ...selectorErrors(fieldSelector, "field", "spec.resourceAttributes.fieldSelector"),
    ...selectorErrors(labelSelector, "label", "spec.resourceAttributes.labelSelector"),
  ];
}

/** As the real server's own type, which has no JSON names, is printed. */
function internalForm({ path = "", verb = "" }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

function userErrors({ user = "", groups = [] }: AccessReviewSpec): readonly FieldError[] {
  return user === "" && groups.length === 0
    ? [invalidValue("spec.user", "", "at least one of user or group must be specified")]
    : [];
}

/** A question is not an object: all that its metadata may say is what the path says. */
function metaErrors({ metadata }: DraftObject, allowed: "namespace" | undefined): readonly FieldError[] {
  const said = Object.entries(metadata).some(
    ([field, value]) =>
      field !== "managedFields" && field !== "namespace" && field !== "creationTimestamp" && value !== "",
  );
  const why = allowed === undefined ? "must be empty" : "must be empty except for namespace";
  return said ? [invalidValue("metadata", metadata, why)] : [];
}

function refuse(errors: readonly FieldError[]): void {
  // The real server names no kind in these refusals.
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "", name: "" }, errors);
}

function accessOf({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec, user: User): AccessRequest {
  if (nonResourceAttributes !== undefined) {
    return { user, verb: nonResourceAttributes.verb ?? "", path: nonResourceAttributes.path ?? "" };
  }
  const { verb = "", namespace, group, version, resource, subresource, name } = resourceAttributes ?? {};
  return { user, verb, namespace, group, version, resource, subresource, name };
}

/** The question, whose spec it repeats, with its answer. */
function answered(body: DraftObject, { allowed, reason }: Decision, namespace?: string): DraftObject {
  return {
    ...body,
    metadata: { ...(namespace !== undefined && { namespace }), ...managedFieldsOf(body) },
    spec: specOf(body),
    status: { allowed, ...(reason !== "" && { reason }) },
  };
}

function subjectOf({ user = "", groups = [], uid, extra }: AccessReviewSpec): User {
  return { name: user, groups, uid, extra };
}

/** SelfSubjectAccessReview: may I do this. */
export function selfSubjectAccessReview(authorizer: Authorizer): Review {
  return (body, { user }) => {
    refuse([...attributesErrors(specOf(body)), ...metaErrors(body, undefined)]);
    return answered(body, authorizer.authorize(accessOf(specOf(body), user)));
  };
}

/** SubjectAccessReview: may they do this. */
export function subjectAccessReview(authorizer: Authorizer): Review {
  return (body) => {
    const spec = specOf(body);
    refuse([...attributesErrors(spec), ...userErrors(spec), ...metaErrors(body, undefined)]);
    return answered(body, authorizer.authorize(accessOf(spec, subjectOf(spec))));
  };
}

/** LocalSubjectAccessReview: may they do this in the namespace that the question is asked in. */
export function localSubjectAccessReview(authorizer: Authorizer): Review {
  return (body, { namespace = "" }) => {
    const spec = specOf(body);
    const { resourceAttributes, nonResourceAttributes } = spec;
    const place: FieldError[] = [];
    if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? "") !== namespace) {
      const value = resourceAttributes.namespace ?? "";
      place.push(invalidValue("spec.resourceAttributes.namespace", value, "must match metadata.namespace"));
    }
    if (nonResourceAttributes !== undefined) {
      const why = "disallowed on this kind of request";
      place.push(invalidValue("spec.nonResourceAttributes", internalForm(nonResourceAttributes), why));
    }
    refuse([...attributesErrors(spec), ...userErrors(spec), ...metaErrors(body, "namespace"), ...place]);
    return answered(body, authorizer.authorize(accessOf(spec, subjectOf(spec))), namespace);
  };
}

/**
 * SelfSubjectRulesReview: what may I do in this namespace. The answer leaves the question out, as the real server's
 * does.
 */
export function selfSubjectRulesReview(rbac: Rbac): Review {
  return ({ apiVersion, kind, spec }, { user }) => {
    const { namespace = "" } = (spec ?? {}) as { readonly namespace?: string };
    if (namespace === "") throw badRequest("no namespace on request");
    const { rules, missing } = rbac.rulesFor(user, namespace);
    const evaluationError = missingRolesText(missing);
    return {
      apiVersion,
      kind,
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
          resources.length === 0
            ? []
            : [{ verbs, apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames }) }],
        ),
        nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
          nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
        ),
        incomplete: false,
        ...(evaluationError !== undefined && { evaluationError }),
      },
    };
  };
}
