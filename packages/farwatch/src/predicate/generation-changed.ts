import type { SourceEvent } from "../event/source-event.ts";
import type { KubeObject } from "../wire/object.ts";

/**
 * Drops an update that left `metadata.generation` as it was: for kinds with a status subresource the server raises it
 * with every change but those of metadata and status. An update of a kind without generation (ConfigMap, Secret)
 * passes, and so does every event that is no update. Changes of labels, annotations and finalizers are dropped too: see
 * `specChanged`, or `anyOf(generationChanged, labelsChanged)`.
 */
export function generationChanged(event: SourceEvent<KubeObject>): boolean {
  if (event.type !== "update") return true;
  const { generation } = event.object.metadata;
  return generation === undefined || generation !== event.oldObject.metadata.generation;
}
