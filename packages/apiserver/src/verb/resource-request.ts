import type { User } from "../authorize/user.ts";
import type { Subject } from "../failure/api-error.ts";
import type { KindVerb } from "../registry/kind.ts";
import type { ServedKind } from "../registry/registry.ts";

/** The body of a request, read to its end, with its parsed form. */
export interface RequestBody {
  /** JSON as it came, or as it was read from YAML or protobuf. */
  readonly value: unknown;
  /** The text of a JSON or YAML body: duplicate keys can be seen only there. */
  readonly text?: string | undefined;
  /** Keys that a YAML body has twice, as the real server's reader tells of them. */
  readonly duplicates?: readonly string[] | undefined;
  /** Why it could not be parsed; there is no value then. */
  readonly problem?: string | undefined;
}

/** A request for a resource, authenticated and authorized. */
export interface ResourceRequest {
  readonly verb: KindVerb;
  readonly served: ServedKind;
  /** Absent for cluster-scoped kinds, and for requests across namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly userAgent: string;
  /** Media type of the body, without parameters; of a patch it says which. */
  readonly contentType: string;
  readonly body: RequestBody | undefined;
  readonly signal: AbortSignal;
  /** Collects what goes into Warning headers. */
  readonly warn: (text: string) => void;
}

/** Whom refusals name. */
export function subjectOf({ served: { kind }, name }: Pick<ResourceRequest, "name" | "served">): Subject {
  return { group: kind.group, resource: kind.plural, name };
}
