import type { DraftMeta, DraftObject } from "../registry/api-object.ts";
import type { User } from "./user.ts";

/** Who asks a review, and where. */
export interface ReviewRequest {
  readonly user: User;
  /** Of the path; absent at the cluster scope. */
  readonly namespace: string | undefined;
  /** RFC 3339 with whole seconds. */
  readonly now: string;
}

/**
 * Answers a question that is asked by creating an object: the object with its answer, fields in the order of the real
 * server's. The body is decoded, its namespace agrees with the path's, and it is left as it is.
 *
 * @throws ApiError 400 or 422 for a question that cannot be answered.
 */
export type Review = (body: DraftObject, request: ReviewRequest) => DraftObject | Promise<DraftObject>;

/** authentication.k8s.io/v1 UserInfo. */
export function userInfo({ name, uid, groups, extra }: User): Readonly<Record<string, unknown>> {
  const extras = Object.entries(extra ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === undefined || uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extras.length === 0 ? {} : { extra: Object.fromEntries(extras) }),
  };
}

/** What the answer keeps of the question's metadata: who asked it. */
export function managedFieldsOf({ metadata }: DraftObject): Pick<DraftMeta, "managedFields"> {
  const { managedFields } = metadata;
  return managedFields === undefined ? {} : { managedFields };
}
