/** Who asks, as authentication found it. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What is asked for; either a resource or, with `path`, a URL that is none. */
export interface AccessRequest {
  readonly user: User;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `bind`, `escalate`,
   * `impersonate` …; of a path the HTTP method in lower case.
   */
  readonly verb: string;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

export interface Decision {
  readonly allowed: boolean;
  /**
   * Why, as the real server says it: empty, or
   * `RBAC: allowed by ClusterRoleBinding "…" of ClusterRole "…" to User "…"`.
   */
  readonly reason: string;
}

export interface Authorizer {
  authorize(request: AccessRequest): Decision;
}
