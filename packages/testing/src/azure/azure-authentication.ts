import { type Instant, parseHttpDate } from "farwatch";
import type { ServedRequest } from "../store/served-request.ts";
import type { AzureAsk } from "./azure-ask.ts";
import { AzureError, authenticationFailed, badRequest, permissionMismatch } from "./azure-error.ts";
import type { AzurePermission } from "./azure-options.ts";
import { checkSas } from "./azure-sas.ts";
import { isSignedBy, sharedKeyText } from "./azure-signature.ts";
import type { AzureAccount, AzureContainer } from "./azure-state.ts";

/** Beyond this a Shared Key signature's date is refused. */
const skewMs = 15 * 60_000;

export interface AzureToken {
  readonly principal: string;
  readonly expiresAtMs: number;
}

export interface AzureAuthenticationContext {
  readonly account: AzureAccount;
  readonly tokens: ReadonlyMap<string, AzureToken>;
  readonly now: Instant;
}

/** What somebody may. */
export interface AzureAuthorization {
  /** @throws AzureError for what is not allowed. */
  demand(container: AzureContainer | undefined): void;
}

const permissionOf: Readonly<Record<string, AzurePermission>> = {
  "Get Container Properties": "read",
  "List Blobs": "list",
  "Get Blob": "read",
  "Get Blob Properties": "read",
  "Put Blob": "write",
  "Delete Blob": "delete",
};

/** Who asks is looked at before what is there: a wrong key learns nothing. @throws AzureError */
export function authenticate(
  request: ServedRequest,
  ask: AzureAsk,
  context: AzureAuthenticationContext,
): AzureAuthorization {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [scheme = "", value = ""] = authorization.split(/ +/, 2);
    if (scheme.toLowerCase() === "sharedkey") return withSharedKey(request, ask, value, context);
    if (scheme.toLowerCase() === "bearer") return withToken(request, ask, value, context);
    throw badRequest(
      "InvalidAuthenticationInfo",
      "Authentication information is not given in the correct format. Check the value of Authorization header.",
    );
  }
  if (ask.query.has("sig")) {
    checkSas(request, ask, { keys: context.account.keys, now: context.now });
    return all;
  }
  return { demand: (container) => demandPublic(ask, container) };
}

const all: AzureAuthorization = { demand() {} };

function withSharedKey(
  request: ServedRequest,
  ask: AzureAsk,
  value: string,
  { account, now }: AzureAuthenticationContext,
): AzureAuthorization {
  const [name, signature] = value.split(":");
  if (name === undefined || signature === undefined) {
    throw badRequest(
      "InvalidAuthenticationInfo",
      "Authentication information is not given in the correct format. Check the value of Authorization header.",
    );
  }
  const date = request.headers["x-ms-date"] ?? request.headers.date;
  const at = date === undefined ? undefined : parseHttpDate(date);
  if (at === undefined) throw authenticationFailed("The Date header in the request is incorrect.");
  const text = sharedKeyText(request, ask);
  if (name !== account.name || !isSignedBy(account.keys, text, signature)) {
    throw authenticationFailed(
      `The MAC signature found in the HTTP request '${signature}' is not the same as any computed signature. Server used following string to sign: '${text}'.`,
    );
  }
  if (Math.abs(at.getTime() - now.getTime()) > skewMs) {
    throw authenticationFailed(`Request date header too old: '${date}'`);
  }
  return all;
}

function withToken(
  request: ServedRequest,
  { operation }: AzureAsk,
  value: string,
  { tokens, now }: AzureAuthenticationContext,
): AzureAuthorization {
  const token = tokens.get(value);
  if (
    token === undefined ||
    token.expiresAtMs <= now.getTime() ||
    (request.headers["x-ms-version"] ?? "") < "2017-11-09"
  ) {
    throw new AzureError({
      status: 401,
      code: "InvalidAuthenticationInfo",
      message:
        "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
      more: [
        [
          "AuthenticationErrorDetail",
          token === undefined
            ? "IDX10503: Signature validation failed."
            : "Lifetime validation failed. The token is expired.",
        ],
      ],
      headers: { "www-authenticate": challenge },
    });
  }
  return {
    demand(container): void {
      const permission = permissionOf[operation];
      const grants = container?.grants ?? {};
      const granted = Object.hasOwn(grants, token.principal) ? grants[token.principal] : undefined;
      // A role says nothing of a container that is not there, and then that is what is said.
      if (container === undefined && permission !== undefined) return;
      if (permission === undefined || !granted?.includes(permission)) throw permissionMismatch();
    },
  };
}

/** What is private, and what does not exist, look the same to who shows nothing. */
function demandPublic({ operation }: AzureAsk, container: AzureContainer | undefined): void {
  const ofBlob = operation === "Get Blob" || operation === "Get Blob Properties";
  const ofContainer = operation === "List Blobs" || operation === "Get Container Properties";
  if (container?.publicAccess === "container" && (ofBlob || ofContainer)) return;
  if (container?.publicAccess === "blob" && ofBlob) return;
  throw new AzureError({
    status: 401,
    code: "NoAuthenticationInformation",
    message:
      "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
    headers: { "www-authenticate": challenge },
  });
}

const challenge =
  "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com";
