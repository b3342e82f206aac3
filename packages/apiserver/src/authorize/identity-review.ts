import { badRequest } from "../failure/api-error.ts";
import { type Authenticator, refusalText } from "./authenticate.ts";
import { type Review, userInfo } from "./review.ts";

interface TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[] | null;
}

interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: unknown;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** SelfSubjectReview: who am I. Nothing of the body matters. */
export const selfSubjectReview: Review = ({ apiVersion, kind }, { user, now }) => ({
  apiVersion,
  kind,
  metadata: { creationTimestamp: now },
  status: { userInfo: userInfo(user) },
});

/**
 * TokenReview: whose token is this. What the body says in its status stays where the answer says nothing, as on the
 * real server.
 */
export function tokenReview(authenticator: Authenticator): Review {
  return async (body) => {
    const { token = "", audiences } = (body.spec ?? {}) as TokenReviewSpec;
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    const verdict = await authenticator.checkToken(token, audiences?.length ? audiences : undefined);
    const said = (body.status ?? {}) as TokenReviewStatus;
    const status: TokenReviewStatus =
      verdict.user === undefined
        ? { ...said, authenticated: false, error: refusalText(verdict.refusal) }
        : { ...said, authenticated: true, user: userInfo(verdict.user), audiences: verdict.audiences };
    const { authenticated, user = {}, audiences: found, error } = status;
    const { namespace: _none, ...metadata } = body.metadata;
    return {
      ...body,
      metadata,
      status: {
        ...(authenticated === true && { authenticated }),
        user,
        ...(found !== undefined && { audiences: found }),
        ...(error !== undefined && { error }),
      },
    };
  };
}
