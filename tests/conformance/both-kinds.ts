import { configMap, configMaps } from "./config-map.ts";
import type { Conversation } from "./conversation.ts";

type Fields = Readonly<Record<string, unknown>>;

interface KindInCase {
  /** Of the collection in the case's namespace. */
  readonly path: string;
  /** One with this metadata, and nothing else. */
  object(metadata: { readonly name: string } & Fields): Fields;
}

/** A custom kind, and ConfigMap: what a server does with a kind that is defined in it, and with one that is compiled in. */
export async function bothKinds({ crd, namespace }: Conversation): Promise<readonly KindInCase[]> {
  const kind = await crd();
  return [
    { path: kind.path, object: (metadata) => kind.object(metadata.name, { metadata }) },
    { path: configMaps(namespace), object: ({ name, ...metadata }) => configMap(name, metadata) },
  ];
}
