import type { Instant } from "farwatch";
import type { ServedAnswer, ServedRequest } from "../store/served-request.ts";
import type { AzureAsk } from "./azure-ask.ts";
import type { AzureAuthorization } from "./azure-authentication.ts";
import { AzureError, badRequest, containerNotFound } from "./azure-error.ts";
import { listBlobs, listContainers } from "./azure-listing.ts";
import {
  type AzureAccount,
  type AzureBlob,
  type AzureContainer,
  createBlob,
  createContainer,
  nameProblem,
} from "./azure-state.ts";

export interface AzureCall {
  readonly request: ServedRequest;
  readonly ask: AzureAsk;
  readonly account: AzureAccount;
  readonly authorization: AzureAuthorization;
  readonly now: Instant;
}

const xml = { "content-type": "application/xml" };
const notLeased = { "x-ms-lease-status": "unlocked", "x-ms-lease-state": "available" };

/** Does what was asked, if the sender may. @throws AzureError */
export function performAzure(call: AzureCall): ServedAnswer {
  const { ask, account, authorization } = call;
  if (ask.operation === "List Containers") {
    authorization.demand(undefined);
    return { status: 200, headers: xml, body: listContainers(call, account) };
  }
  if (ask.bucket === undefined) throw unknownOperation(ask);
  checkName(ask.bucket);
  const container = account.containers.get(ask.bucket);
  authorization.demand(container);
  if (ask.operation === "Create Container") return create(call, ask.bucket);
  if (container === undefined) throw containerNotFound();
  return ask.key === undefined ? onContainer(call, container) : onBlob(call, container, ask.key);
}

function onContainer(call: AzureCall, container: AzureContainer): ServedAnswer {
  switch (call.ask.operation) {
    case "Get Container Properties":
      return {
        status: 200,
        headers: {
          ...stamps(container),
          ...notLeased,
          ...(container.publicAccess === undefined ? {} : { "x-ms-blob-public-access": container.publicAccess }),
          "x-ms-has-immutability-policy": "false",
          "x-ms-has-legal-hold": "false",
        },
      };
    case "List Blobs":
      return { status: 200, headers: xml, body: listBlobs(call, container) };
    case "Delete Container":
      call.account.containers.delete(container.name);
      return { status: 202 };
    default:
      throw unknownOperation(call.ask);
  }
}

function onBlob({ ask, request, now }: AzureCall, container: AzureContainer, key: string): ServedAnswer {
  const blob = container.blobs.get(key);
  switch (ask.operation) {
    case "Get Blob":
    case "Get Blob Properties":
      if (blob === undefined) throw blobNotFound();
      return { status: 200, headers: blobHeaders(blob), body: blob.content };
    case "Put Blob":
      return put(request, { container, key, blob, now });
    case "Delete Blob":
      if (!container.blobs.delete(key)) throw blobNotFound();
      return { status: 202, headers: { "x-ms-delete-type-permanent": "true" } };
    default:
      throw unknownOperation(ask);
  }
}

function put(
  { headers, body }: ServedRequest,
  at: {
    readonly container: AzureContainer;
    readonly key: string;
    readonly blob: AzureBlob | undefined;
    readonly now: Instant;
  },
): ServedAnswer {
  const type = headers["x-ms-blob-type"];
  if (type === undefined) {
    throw badRequest("MissingRequiredHeader", "An HTTP header that's mandatory for this request is not specified.", [
      ["HeaderName", "x-ms-blob-type"],
    ]);
  }
  if (type !== "BlockBlob") throw notImplemented(`blobs of type ${type}`);
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith("x-ms-meta-"));
  const contentType = headers["x-ms-blob-content-type"] ?? headers["content-type"];
  const blob = createBlob({ content: body, contentType, metadata: Object.fromEntries(metadata) }, at.now);
  const given = headers["content-md5"];
  if (given !== undefined && given !== blob.md5) {
    throw badRequest(
      "Md5Mismatch",
      "The MD5 value specified in the request did not match with the MD5 value calculated by the server.",
      [
        ["UserSpecifiedMd5", given],
        ["ServerCalculatedMd5", blob.md5],
      ],
    );
  }
  if (headers["if-none-match"] === "*" && at.blob !== undefined) {
    throw new AzureError({ status: 409, code: "BlobAlreadyExists", message: "The specified blob already exists." });
  }
  const mustMatch = headers["if-match"];
  if (mustMatch !== undefined && mustMatch !== "*" && mustMatch !== at.blob?.etag) {
    throw new AzureError({
      status: 412,
      code: "ConditionNotMet",
      message: "The condition specified using HTTP conditional header(s) is not met.",
    });
  }
  at.container.blobs.set(at.key, blob);
  return {
    status: 201,
    headers: {
      ...stamps(blob),
      "content-md5": blob.md5,
      "content-length": "0",
      "x-ms-request-server-encrypted": "true",
    },
  };
}

function create({ account, request, now }: AzureCall, name: string): ServedAnswer {
  if (account.containers.has(name)) {
    throw new AzureError({
      status: 409,
      code: "ContainerAlreadyExists",
      message: "The specified container already exists.",
    });
  }
  const access = request.headers["x-ms-blob-public-access"];
  const container = createContainer(
    name,
    access === "blob" || access === "container" ? { publicAccess: access } : {},
    now,
  );
  account.containers.set(name, container);
  return { status: 201, headers: { ...stamps(container), "content-length": "0" } };
}

function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem === "OutOfRangeInput") {
    throw badRequest(problem, "The specified resource name length is not within the permissible limits.");
  }
  if (problem !== undefined) throw badRequest(problem, "The specified resource name contains invalid characters.");
}

function blobHeaders(blob: AzureBlob): Readonly<Record<string, string>> {
  return {
    ...blob.metadata,
    ...stamps(blob),
    ...notLeased,
    "accept-ranges": "bytes",
    "content-length": String(blob.content.length),
    "content-type": blob.contentType,
    "content-md5": blob.md5,
    "x-ms-blob-type": "BlockBlob",
    "x-ms-creation-time": blob.modifiedAt.toUTCString(),
    "x-ms-server-encrypted": "true",
  };
}

function stamps({
  etag,
  modifiedAt,
}: {
  readonly etag: string;
  readonly modifiedAt: Instant;
}): Readonly<Record<string, string>> {
  return { etag, "last-modified": modifiedAt.toUTCString() };
}

function blobNotFound(): AzureError {
  return new AzureError({ status: 404, code: "BlobNotFound", message: "The specified blob does not exist." });
}

function unknownOperation({ operation, bucket, key }: AzureAsk): AzureError {
  if (bucket !== undefined && key === undefined && !operation.includes("=")) {
    return badRequest("InvalidUri", "The requested URI does not represent any resource on the server.");
  }
  return notImplemented(operation);
}

/** For what Azure does and this store does not: never a wrong success. */
function notImplemented(what: string): AzureError {
  return new AzureError({ status: 501, code: "NotImplemented", message: `This test store does not implement ${what}` });
}
