import { parseTime } from "farwatch";
import type { ServedRequest } from "../store/served-request.ts";
import { accessDenied, invalidArgument, S3Error } from "./s3-error.ts";

export const algorithm = "AWS4-HMAC-SHA256";

/** What a request says of its own signature: in its headers, or in the query of a presigned URL. */
export interface S3Authorization {
  readonly presigned: boolean;
  readonly accessKeyId: string;
  /** `YYYYMMDD`, of the credential's scope. */
  readonly date: string;
  readonly region: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly longDate: string;
  readonly sessionToken: string | undefined;
  /** Undefined for a signature in headers. */
  readonly expiresInSeconds: number | undefined;
}

const weekSeconds = 604_800;

/**
 * Undefined for an anonymous request.
 *
 * @throws S3Error for an authorisation that is none.
 */
export function readAuthorization(request: ServedRequest, query: URLSearchParams): S3Authorization | undefined {
  const { authorization } = request.headers;
  const presigned = ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"].some((name) => query.has(name));
  if (presigned && authorization !== undefined) {
    throw invalidArgument(
      "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified",
      "Authorization",
      authorization,
    );
  }
  if (presigned) return fromQuery(query);
  return authorization === undefined ? undefined : fromHeader(request, authorization);
}

function fromHeader({ headers }: ServedRequest, authorization: string): S3Authorization {
  const longDate = headers["x-amz-date"] ?? headers.date ?? "";
  if (!isLongDate(longDate)) {
    throw accessDenied("AWS authentication requires a valid Date or x-amz-date header");
  }
  const [scheme = "", ...rest] = authorization.split(" ");
  if (scheme === "AWS") {
    throw new S3Error({
      status: 400,
      code: "InvalidRequest",
      message: `The authorization mechanism you have provided is not supported. Please use ${algorithm}.`,
    });
  }
  if (scheme !== algorithm) throw invalidArgument("Unsupported Authorization Type", "Authorization", authorization);
  const parts = new Map(
    rest
      .join("")
      .split(",")
      .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)] as const),
  );
  const [credential, signedHeaders, signature] = [
    parts.get("Credential"),
    parts.get("SignedHeaders"),
    parts.get("Signature"),
  ];
  if (credential === undefined || signedHeaders === undefined || signature === undefined) {
    throw headerMalformed(
      "the authorization header requires three components: Credential, SignedHeaders, and Signature.",
    );
  }
  const scope = scopeOf(credential);
  if (typeof scope === "string") throw headerMalformed(scope);
  return {
    presigned: false,
    ...scope,
    signedHeaders: signedHeaders.toLowerCase().split(";"),
    signature,
    longDate,
    sessionToken: headers["x-amz-security-token"],
    expiresInSeconds: undefined,
  };
}

function fromQuery(query: URLSearchParams): S3Authorization {
  const names = [
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    "X-Amz-Date",
    "X-Amz-Expires",
    "X-Amz-SignedHeaders",
    "X-Amz-Signature",
  ];
  const [named = "", credential = "", longDate = "", expires = "", signedHeaders = "", signature = ""] = names.map(
    (name) => query.get(name) ?? "",
  );
  if (names.some((name) => (query.get(name) ?? "") === "")) {
    throw queryMalformed(
      "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.",
    );
  }
  if (named !== algorithm) throw queryMalformed(`X-Amz-Algorithm only supports "${algorithm}"`);
  const scope = scopeOf(credential);
  if (typeof scope === "string") throw queryMalformed(`Error parsing the X-Amz-Credential parameter; ${scope}`);
  if (!isLongDate(longDate)) {
    throw queryMalformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  if (!/^-?\d+$/.test(expires)) throw queryMalformed("X-Amz-Expires should be a number");
  if (expires.startsWith("-")) throw queryMalformed("X-Amz-Expires must be non-negative");
  if (Number(expires) > weekSeconds) {
    throw queryMalformed(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${weekSeconds} seconds`,
    );
  }
  return {
    presigned: true,
    ...scope,
    signedHeaders: signedHeaders.toLowerCase().split(";"),
    signature,
    longDate,
    sessionToken: query.get("X-Amz-Security-Token") ?? undefined,
    expiresInSeconds: Number(expires),
  };
}

/** The parts of a credential; a text says what is wrong with it. */
function scopeOf(credential: string): Pick<S3Authorization, "accessKeyId" | "date" | "region"> | string {
  const [accessKeyId, date, region, service, terminal, ...more] = credential.split("/");
  if (
    accessKeyId === undefined ||
    date === undefined ||
    region === undefined ||
    more.length > 0 ||
    terminal === undefined
  ) {
    return 'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".';
  }
  if (!/^\d{8}$/.test(date))
    return `incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`;
  if (service !== "s3") return `incorrect service "${service}". This endpoint belongs to "s3".`;
  if (terminal !== "aws4_request") return `incorrect terminal "${terminal}". This endpoint uses "aws4_request".`;
  return { accessKeyId, date, region };
}

/** In the words for where the signature stands. */
export function malformed({ presigned }: S3Authorization, what: string, region?: string): S3Error {
  return presigned
    ? queryMalformed(`Error parsing the X-Amz-Credential parameter; ${what}`)
    : headerMalformed(what, region);
}

function headerMalformed(what: string, region?: string): S3Error {
  return new S3Error({
    status: 400,
    code: "AuthorizationHeaderMalformed",
    message: `The authorization header is malformed; ${what}`,
    more: [["Region", region]],
  });
}

function queryMalformed(message: string): S3Error {
  return new S3Error({ status: 400, code: "AuthorizationQueryParametersError", message });
}

function isLongDate(text: string): boolean {
  return epochMsOf(text) !== undefined;
}

/** Reads `YYYYMMDDTHHMMSSZ`. */
export function epochMsOf(longDate: string): number | undefined {
  const [, ...parts] = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(longDate) ?? [];
  if (parts.length === 0) return undefined;
  const [year, month, day, hour, minute, second] = parts;
  return parseTime(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)?.getTime();
}
