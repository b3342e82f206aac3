import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from "./access-review.ts";
import type { Authenticator } from "./authenticate.ts";
import { selfSubjectReview, tokenReview } from "./identity-review.ts";
import type { Rbac } from "./rbac.ts";
import type { Review } from "./review.ts";

/** The questions that are asked by a create, by `GROUP/PLURAL`. */
export function createReviews(ports: {
  readonly rbac: Rbac;
  readonly authenticator: Authenticator;
}): ReadonlyMap<string, Review> {
  const { rbac, authenticator } = ports;
  return new Map([
    ["authentication.k8s.io/selfsubjectreviews", selfSubjectReview],
    ["authentication.k8s.io/tokenreviews", tokenReview(authenticator)],
    ["authorization.k8s.io/localsubjectaccessreviews", localSubjectAccessReview(rbac)],
    ["authorization.k8s.io/selfsubjectaccessreviews", selfSubjectAccessReview(rbac)],
    ["authorization.k8s.io/selfsubjectrulesreviews", selfSubjectRulesReview(rbac)],
    ["authorization.k8s.io/subjectaccessreviews", subjectAccessReview(rbac)],
  ]);
}
