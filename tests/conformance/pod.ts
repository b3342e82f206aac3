type Fields = Readonly<Record<string, unknown>>;

/** A container that any pod may have. */
export function container(fields: Fields = {}): Fields {
  return { name: "c", image: "nginx", ...fields };
}

/** The spec of a pod with one container. */
export function podSpec(fields: Fields = {}): Fields {
  return { containers: [container()], ...fields };
}

export function pod(name: string, spec: Fields = podSpec()): Fields {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
}

/** The template of a workload whose selector is `app: a`. */
export function podTemplate(spec: Fields = {}, labels: Fields = { app: "a" }): Fields {
  return { metadata: { labels }, spec: podSpec(spec) };
}

export const selector: Fields = { matchLabels: { app: "a" } };
