import {
  type AnyResource,
  type ConnectedClient,
  CustomResourceDefinition,
  isCodedError,
  systemClock,
  type ToCrdOptions,
  toCrd,
} from "farwatch";

/** A kind that the server serves, until it is disposed of. */
export interface ServedKind extends AsyncDisposable {
  /** What the server has stored as its CRD. */
  readonly crd: CustomResourceDefinition;
}

/**
 * Creates the CRD and waits until the server answers for its kind, at most ten seconds; rejects with the signal's
 * reason.
 */
export async function serveKind(
  client: ConnectedClient,
  resources: AnyResource | readonly AnyResource[],
  { signal, ...options }: ToCrdOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<ServedKind> {
  return await serve(client, resources, { ...options, signal, pause: (until) => systemClock.sleep("50ms", until) });
}

/**
 * The same for kinds of any number, versions of one kind among them. `pause` waits for what the server does by itself.
 */
export async function serveKinds(
  client: ConnectedClient,
  resources: readonly AnyResource[],
  pause: () => Promise<void>,
): Promise<void> {
  const definitions = Map.groupBy(resources, ({ group, plural }) => `${plural}.${group}`);
  for (const versions of definitions.values()) await serve(client, versions, { pause });
}

interface ServeOptions extends ToCrdOptions {
  readonly signal?: AbortSignal | undefined;
  readonly pause: (until: AbortSignal) => Promise<void>;
}

async function serve(
  client: ConnectedClient,
  resources: AnyResource | readonly AnyResource[],
  { signal, pause, ...options }: ServeOptions,
): Promise<ServedKind> {
  const manifest = toCrd(resources, options);
  const { name } = manifest.metadata;
  const remove = async (): Promise<void> => {
    await client.delete(CustomResourceDefinition, { name });
  };
  await client.create(CustomResourceDefinition, manifest);
  try {
    using deadline = systemClock.timeout("10s", signal);
    for (;;) {
      const crd = await client.get(CustomResourceDefinition, { name }, { signal: deadline });
      const established = crd.status?.conditions?.some(
        ({ type, status }) => type === "Established" && status === "True",
      );
      if (established && (await answers(client, resources, deadline))) return { crd, [Symbol.asyncDispose]: remove };
      await pause(deadline);
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Established says that the names are taken; the paths appear a moment later. */
async function answers(
  client: ConnectedClient,
  resources: AnyResource | readonly AnyResource[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for (const resource of "group" in resources ? [resources] : resources) {
      const namespace = resource.scope === "Namespaced" ? "default" : undefined;
      await client.list(resource, { namespace, signal });
    }
    return true;
  } catch (error) {
    if (isCodedError(error, "NotFound")) return false;
    throw error;
  }
}
