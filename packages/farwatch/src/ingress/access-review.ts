import type { Client } from "../client/client.ts";
import { type BuiltinResource, defineBuiltin } from "../resource/define-builtin.ts";
import type { KubeObject } from "../wire/object.ts";

/** Who a token is for, as TokenReview says it and SubjectAccessReview takes it. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

interface TokenReview extends KubeObject {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: Partial<ReviewedUser>;
    readonly audiences?: readonly string[];
  };
}

interface SubjectAccessReview extends KubeObject {
  readonly status?: { readonly allowed?: boolean };
}

/** Reviews are questions: they are created, have no name, and are kept nowhere. */
interface Question<S> {
  readonly metadata: Readonly<Record<string, never>>;
  readonly spec: S;
}

const TokenReview: BuiltinResource<
  TokenReview,
  Question<{ readonly token: string; readonly audiences: readonly string[] }>
> = defineBuiltin({ group: "authentication.k8s.io", version: "v1", kind: "TokenReview", scope: "Cluster" });

const SubjectAccessReview: BuiltinResource<
  SubjectAccessReview,
  Question<{
    readonly user: string;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: ReviewedUser["extra"];
    readonly nonResourceAttributes: { readonly path: string; readonly verb: string };
  }>
> = defineBuiltin({ group: "authorization.k8s.io", version: "v1", kind: "SubjectAccessReview", scope: "Cluster" });

/**
 * Whose token it is, if it was made for the audience; undefined when the API server says that it is nobody's. An
 * authenticator that knows nothing of audiences leaves `status.audiences` empty and accepts any token of the API server
 * itself: that is none for us.
 *
 * @throws StatusError, CodedError when the question could not be asked.
 */
export async function reviewToken(
  client: Client,
  { token, audience, signal }: { readonly token: string; readonly audience: string; readonly signal: AbortSignal },
): Promise<ReviewedUser | undefined> {
  const question = { metadata: {}, spec: { token, audiences: [audience] } };
  const { status = {} } = await client.create(TokenReview, question, { signal });
  const { authenticated = false, user = {}, audiences = [] } = status;
  const { username = "", uid, groups, extra } = user;
  if (!authenticated || username === "" || !audiences.includes(audience)) return undefined;
  return { username, uid, groups, extra };
}

/** Whether RBAC lets the user POST to a path that is no resource: rules with `nonResourceURLs` in ClusterRoles. */
export async function mayPost(
  client: Client,
  { user, path, signal }: { readonly user: ReviewedUser; readonly path: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const { username, ...rest } = user;
  const spec = { user: username, ...rest, nonResourceAttributes: { path, verb: "post" } };
  const { status } = await client.create(SubjectAccessReview, { metadata: {}, spec }, { signal });
  return status?.allowed === true;
}
