import { listKeys, readPageToken, writePageToken } from "../store/object-listing.ts";
import type { ServedRequest } from "../store/served-request.ts";
import { type XmlElement, xmlDocument } from "../store/xml.ts";
import type { AzureAsk } from "./azure-ask.ts";
import { type AzureError, badRequest } from "./azure-error.ts";
import type { AzureAccount, AzureBlob, AzureContainer } from "./azure-state.ts";

/** Where a list was asked for. */
export interface AzureListing {
  readonly request: ServedRequest;
  readonly ask: AzureAsk;
}

const mostResults = 5_000;

/** The document of List Blobs. @throws AzureError */
export function listBlobs(listing: AzureListing, container: AzureContainer): string {
  const { query } = listing.ask;
  const [prefix, delimiter, marker] = ["prefix", "delimiter", "marker"].map((name) => query.get(name) ?? "");
  const maxResults = maxResultsOf(query.get("maxresults"));
  const from = marker === undefined || marker === "" ? undefined : readPageToken(marker);
  if (marker !== "" && from === undefined) {
    throw badRequest("OutOfRangeInput", "One of the request inputs is out of range.");
  }
  const { keys, prefixes, next } = listKeys(container.blobs.keys(), {
    prefix,
    delimiter,
    after: from?.after,
    whole: from?.whole ?? false,
    limit: maxResults ?? mostResults,
  });
  // In the order of their names, prefixes and blobs among each other.
  const names = [...prefixes, ...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const blobs = names.map((name): XmlElement => {
    const blob = container.blobs.get(name);
    const isPrefix = blob === undefined || prefixes.includes(name);
    return isPrefix
      ? ["BlobPrefix", [["Name", name]]]
      : [
          "Blob",
          [
            ["Name", name],
            ["Properties", propertiesOf(blob)],
          ],
        ];
  });
  return xmlDocument(
    "EnumerationResults",
    [
      ["Prefix", prefix],
      ["Marker", marker],
      ["MaxResults", maxResults],
      ["Delimiter", delimiter === "" ? undefined : delimiter],
      ["Blobs", blobs],
      ["NextMarker", next === undefined ? "" : writePageToken(next)],
    ],
    { ServiceEndpoint: originOf(listing), ContainerName: container.name },
  );
}

function propertiesOf(blob: AzureBlob): readonly XmlElement[] {
  return [
    ["Creation-Time", blob.modifiedAt.toUTCString()],
    ["Last-Modified", blob.modifiedAt.toUTCString()],
    ["Etag", blob.etag.replaceAll('"', "")],
    ["Content-Length", blob.content.length],
    ["Content-Type", blob.contentType],
    ["Content-MD5", blob.md5],
    ["BlobType", "BlockBlob"],
    ["LeaseStatus", "unlocked"],
    ["LeaseState", "available"],
    ["ServerEncrypted", true],
  ];
}

/** The document of List Containers. */
export function listContainers(listing: AzureListing, account: AzureAccount): string {
  const inOrder = [...account.containers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const containers = inOrder.map(
    ({ name, modifiedAt, etag }): XmlElement => [
      "Container",
      [
        ["Name", name],
        [
          "Properties",
          [
            ["Last-Modified", modifiedAt.toUTCString()],
            ["Etag", etag],
            ["LeaseStatus", "unlocked"],
            ["LeaseState", "available"],
          ],
        ],
      ],
    ],
  );
  return xmlDocument(
    "EnumerationResults",
    [
      ["Containers", containers],
      ["NextMarker", ""],
    ],
    { ServiceEndpoint: originOf(listing) },
  );
}

function originOf({ request, ask }: AzureListing): string {
  const path = request.path === ask.resourcePath ? "" : `/${ask.account}`;
  return `${request.secure ? "https" : "http"}://${request.host}${path}/`;
}

function maxResultsOf(given: string | null): number | undefined {
  if (given === null) return undefined;
  const invalid = (code: string, message: string): AzureError =>
    badRequest(code, message, [
      ["QueryParameterName", "maxresults"],
      ["QueryParameterValue", given],
    ]);
  if (!/^-?\d+$/.test(given)) {
    throw invalid(
      "InvalidQueryParameterValue",
      "Value for one of the query parameters specified in the request URI is invalid.",
    );
  }
  if (Number(given) < 1) {
    throw invalid(
      "OutOfRangeQueryParameterValue",
      "One of the query parameters specified in the request URI is outside the permissible range.",
    );
  }
  return Math.min(Number(given), mostResults);
}
