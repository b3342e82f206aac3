import { CodedError } from "../error/coded-error.ts";
import type { Resource } from "../resource/resource.ts";
import type { KubeObject, ObjectMeta } from "../wire/object.ts";
import type { InformerOptions } from "./cache.ts";
import { freezeAll } from "./frozen.ts";
import type { Selection } from "./selection.ts";

/**
 * What is made of each object that the server sends before it is stored or told of, its last state too: apiVersion and
 * kind where a list leaves them out, no managedFields, metadata alone where no more was asked for, and then the user's
 * transform.
 */
export function admission<O extends KubeObject>(options: {
  readonly resource: Resource<O>;
  readonly selection: Selection;
  readonly transform: InformerOptions<O>["transform"];
}): (object: O) => O {
  const { resource, selection, transform } = options;
  const { apiVersion, kind } = resource;
  return (sent) => {
    const metadata = sent.metadata.managedFields === undefined ? sent.metadata : withoutManagedFields(sent.metadata);
    // Whoever asks for metadata alone has said so with the type of the resource.
    let object = selection.metadataOnly ? ({ apiVersion, kind, metadata } as O) : sent;
    if (object.metadata !== metadata || object.apiVersion !== apiVersion || object.kind !== kind) {
      object = { ...object, apiVersion, kind, metadata };
    }
    return transform === undefined ? object : transformed(object, transform, selection);
  };
}

function withoutManagedFields({ managedFields: _, ...rest }: ObjectMeta): ObjectMeta {
  return rest;
}

function transformed<O extends KubeObject>(object: O, transform: (object: O) => O, selection: Selection): O {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const result = transform(object);
  const now: Partial<ObjectMeta> = result?.metadata ?? {};
  if (now.namespace === namespace && now.name === name && now.uid === uid && now.resourceVersion === resourceVersion) {
    return freezeAll(result);
  }
  throw new CodedError(
    "InvalidOption",
    `Cannot cache ${selection.name}: the transform changed namespace, name, uid or resourceVersion of ${name}, which must stay`,
  );
}
