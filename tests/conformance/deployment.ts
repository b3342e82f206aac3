import { podTemplate, selector } from "./pod.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The path of the Deployments of a namespace. */
export function deployments(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`;
}

/** A Deployment of one container. */
export function deployment(name: string, spec: Fields = {}): Fields {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { selector, template: podTemplate(), ...spec },
  };
}
