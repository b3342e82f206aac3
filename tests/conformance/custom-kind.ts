import { systemClock } from "farwatch";
import type { Answer, RequestOptions } from "./request.ts";

/** Everything has a default: a namespaced kind Widget in v1 with a status subresource that keeps every field. */
export interface CustomKindOptions {
  /** Default `Widget`; plural and singular follow from it. */
  readonly kind?: string;
  readonly scope?: "Namespaced" | "Cluster";
  /** Of the one version; default: an object that keeps unknown fields in spec and status. */
  readonly schema?: unknown;
  /** Default `{ status: {} }`. */
  readonly subresources?: unknown;
  readonly additionalPrinterColumns?: readonly unknown[];
  /** In place of the one version v1. */
  readonly versions?: readonly unknown[];
  /** Over spec.names. */
  readonly names?: Readonly<Record<string, unknown>>;
  /** Over spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface CustomKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** `<group>/<first version>` */
  readonly apiVersion: string;
  /** Of the collection in the case's namespace, or in the cluster, in the first version. */
  readonly path: string;
  /** The same in another version. */
  pathIn(version: string): string;
  /** Of its CRD. */
  readonly crdPath: string;
  /** An object of the kind, in the first version. */
  object(name: string, rest?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const openSchema = { type: "object", properties: { spec: anything, status: anything } };

type Ask = (method: string, path: string, options?: RequestOptions) => Promise<Answer>;

interface Creation extends CustomKindOptions {
  readonly slug: string;
  /** Sends a request that must succeed. */
  readonly prepare: Ask;
  readonly ask: Ask;
}

export async function createCustomKind({ slug, prepare, ask, ...options }: Creation): Promise<CustomKind> {
  const { kind = "Widget", scope = "Namespaced", schema = openSchema, subresources = { status: {} } } = options;
  const group = `${slug}.example.com`;
  const plural = `${kind.toLowerCase()}s`;
  const { additionalPrinterColumns } = options;
  const versions = options.versions ?? [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schema },
      subresources,
      ...(additionalPrinterColumns && { additionalPrinterColumns }),
    },
  ];
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, ...options.names };
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const crdPath = `${definitions}/${plural}.${group}`;
  await prepare("POST", definitions, {
    body: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope, names, versions, ...options.spec },
    },
  });
  const served = (versions as readonly { readonly name: string; readonly served: boolean }[]).filter((v) => v.served);
  const [first] = served;
  if (first === undefined) throw new Error(`Cannot wait for ${plural}.${group}: it serves no version`);
  const pathIn = (version: string): string =>
    `/apis/${group}/${version}${scope === "Namespaced" ? `/namespaces/${slug}` : ""}/${plural}`;
  const apiVersion = `${group}/${first.name}`;
  // With this version the answer comes from memory, so the server is ready for watches too.
  for (const { name } of served)
    await untilServed(() => ask("GET", `${pathIn(name)}?resourceVersion=0`), `${plural}.${group}`);
  return {
    group,
    kind,
    plural,
    apiVersion,
    path: pathIn(first.name),
    pathIn,
    crdPath,
    object: (name, rest = {}) => ({ apiVersion, kind, metadata: { name }, ...rest }),
  };
}

async function untilServed(list: () => Promise<Answer>, name: string): Promise<void> {
  using limit = systemClock.timeout("30s");
  for (;;) {
    const { status, body } = await list();
    if (status === 200) return;
    if (limit.aborted) throw new Error(`${name} is not served after 30 s: ${status} ${JSON.stringify(body)}`);
    await systemClock.sleep("50ms");
  }
}
