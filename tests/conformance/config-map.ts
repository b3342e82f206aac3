/** The path of the ConfigMaps of a namespace. */
export function configMaps(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

/** The plainest object there is. */
export function configMap(
  name: string,
  { data, ...metadata }: { readonly data?: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...(data && { data }) };
}
