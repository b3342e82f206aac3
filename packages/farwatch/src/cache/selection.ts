import { collectionPath } from "../client/api-path.ts";
import type { LabelSelector } from "../client/client.ts";
import { type AnyResource, groupResource } from "../resource/resource.ts";
import { labelSelectorText } from "../wire/label-selector.ts";

/** Which objects of a resource an informer holds, and how the server is asked for them. */
export interface Selection {
  readonly resource: AnyResource;
  readonly namespace: string | undefined;
  readonly labels: string | undefined;
  readonly fields: string | undefined;
  readonly metadataOnly: boolean;
  /** Path of the collection. */
  readonly path: string;
  /** `storagebuckets.storage.farwatch.dev in namespace a`, for texts. */
  readonly name: string;
  /** The selectors as query parameters. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly accept: { readonly list: string; readonly watch: string } | undefined;
  /** What tells two selections of one resource apart; empty when all objects are selected. */
  readonly text: string;
}

/**
 * @throws CodedError `InvalidOption` for a namespace that cannot be one, `InvalidSelector` for a map of labels that
 * cannot be any.
 */
export function selectionOf(
  resource: AnyResource,
  options: {
    readonly namespace?: string | undefined;
    readonly labels?: LabelSelector | undefined;
    readonly fields?: string | undefined;
    readonly metadataOnly?: boolean | undefined;
  },
): Selection {
  const { namespace, fields, metadataOnly = false } = options;
  const labels = options.labels === undefined ? undefined : normalLabels(options.labels);
  const parts = [
    namespace === undefined ? "" : `namespace=${namespace}`,
    labels === undefined ? "" : `labels=${labels}`,
    fields === undefined ? "" : `fields=${fields}`,
    metadataOnly ? "metadataOnly" : "",
  ];
  return {
    resource,
    namespace,
    labels,
    fields,
    metadataOnly,
    path: collectionPath(resource, namespace),
    name: namespace === undefined ? groupResource(resource) : `${groupResource(resource)} in namespace ${namespace}`,
    query: { labelSelector: labels, fieldSelector: fields },
    accept: metadataOnly
      ? { list: acceptMetadata("PartialObjectMetadataList"), watch: acceptMetadata("PartialObjectMetadata") }
      : undefined,
    text: parts.filter((part) => part !== "").join(";"),
  };
}

/** A map names the same objects in whatever order it was written. */
function normalLabels(labels: LabelSelector): string {
  return typeof labels === "string"
    ? labels
    : labelSelectorText(Object.fromEntries(Object.entries(labels).sort(byName)));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** A server that does not know the form answers with whole objects, which are cut down on arrival. */
function acceptMetadata(as: string): string {
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}
