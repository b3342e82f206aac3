import { type Instant, parseHttpDate } from "farwatch";
import type { ProbeReason } from "../resource/reason.ts";
import type { Finding } from "./probe-result.ts";
import { isWebPage, type S3Answer } from "./s3-answer.ts";

/** What was asked, and what came back. */
export interface S3Exchange {
  readonly bucket: string;
  /** The region that the spec names, if any. */
  readonly specRegion: string | undefined;
  /** The regions that requests were signed for, in order. */
  readonly regions: readonly string[];
  readonly signed: boolean;
  readonly head: S3Answer;
  /** The answer to the explaining GET, where there was one. */
  readonly list: S3Answer | undefined;
  readonly now: Instant;
}

/** Beyond this services refuse a signature for its time (AWS and its clones at 15 min). */
const skewMs = 5 * 60_000;

/** A Map, since the code is a stranger's word: an object would find `valueOf` in its prototype. */
const byCode: ReadonlyMap<string, ProbeReason> = new Map([
  ["NoSuchBucket", "BucketNotFound"],
  ["AccessDenied", "AccessDenied"],
  ["AllAccessDisabled", "AccessDenied"],
  ["AccountProblem", "AccessDenied"],
  ["UnauthorizedAccess", "AccessDenied"],
  ["InvalidAccessKeyId", "InvalidCredentials"],
  ["SignatureDoesNotMatch", "InvalidCredentials"],
  ["InvalidToken", "InvalidCredentials"],
  ["ExpiredToken", "InvalidCredentials"],
  ["TokenRefreshRequired", "InvalidCredentials"],
  ["InvalidSecurity", "InvalidCredentials"],
  ["NotSignedUp", "InvalidCredentials"],
  ["CredentialsNotSupported", "InvalidCredentials"],
  ["PermanentRedirect", "WrongRegion"],
  ["TemporaryRedirect", "WrongRegion"],
  ["Redirect", "WrongRegion"],
  ["AuthorizationHeaderMalformed", "WrongRegion"],
  ["IllegalLocationConstraintException", "WrongRegion"],
  ["RequestTimeTooSkewed", "ClockSkew"],
  ["RequestExpired", "ClockSkew"],
  ["SlowDown", "Throttled"],
  ["RequestLimitExceeded", "Throttled"],
  ["TooManyRequests", "Throttled"],
  ["BandwidthLimitExceeded", "Throttled"],
  ["ServiceUnavailable", "ServerError"],
  ["InternalError", "ServerError"],
]);

/** Refusals that a wrong clock explains as well. */
const refusals: ReadonlySet<ProbeReason> = new Set(["AccessDenied", "InvalidCredentials"]);

/** What the answers mean. */
export function classifyS3(exchange: S3Exchange): Finding {
  const reason = reasonOf(exchange);
  return { reason, message: messageOf(reason, exchange) };
}

/** The bucket's region as the service names it. */
export function regionOf({ head, list }: Pick<S3Exchange, "head" | "list">): string | undefined {
  return head.region ?? list?.region;
}

function reasonOf(exchange: S3Exchange): ProbeReason {
  const { head, list, regions, signed, now } = exchange;
  if (isWebPage(head) && head.status < 429) return "UnexpectedResponse";
  if (head.status === 200) return "Available";
  const region = regionOf(exchange);
  // Says all there is to say, whatever code comes with it.
  if (isElsewhere(head) && region !== undefined && region !== regions.at(-1)) return "WrongRegion";
  const code = list?.code === undefined ? undefined : byCode.get(list.code);
  const reason = code ?? byStatus(head, region);
  return refusals.has(reason) && signed && isSkewed(head, now) ? "ClockSkew" : reason;
}

function isElsewhere({ status }: S3Answer): boolean {
  return status === 301 || status === 307 || status === 400;
}

function byStatus({ status }: S3Answer, region: string | undefined): ProbeReason {
  switch (status) {
    case 301:
    case 307:
      // Other redirects are a web server's, say to https.
      return region === undefined ? "UnexpectedResponse" : "WrongRegion";
    case 401:
      return "InvalidCredentials";
    case 403:
      return "AccessDenied";
    case 404:
      return "BucketNotFound";
    case 429:
      return "Throttled";
    default:
      return status >= 500 ? "ServerError" : "UnexpectedResponse";
  }
}

function isSkewed({ headers }: S3Answer, now: Instant): boolean {
  const theirs = headers.date === undefined ? undefined : parseHttpDate(headers.date);
  return theirs !== undefined && Math.abs(theirs.getTime() - now.getTime()) > skewMs;
}

function messageOf(reason: ProbeReason, exchange: S3Exchange): string {
  const { bucket, signed, head, list } = exchange;
  switch (reason) {
    case "Available":
      return "the bucket answered the probe";
    case "BucketNotFound":
      return `bucket ${bucket} does not exist`;
    case "AccessDenied":
      if (list?.status === 200) return `HEAD on bucket ${bucket} is forbidden, though its objects may be listed`;
      return signed
        ? `access to bucket ${bucket} is denied; on AWS the probe needs s3:ListBucket`
        : `access to bucket ${bucket} is denied to anonymous requests`;
    case "InvalidCredentials":
      return "the service does not accept the credentials";
    case "WrongRegion":
      return wrongRegion(exchange);
    case "ClockSkew":
      return "the operator's clock and the service's are too far apart to accept signatures";
    case "Throttled":
      return "the service asks to slow down";
    case "ServerError":
      return "the service answers with a server error";
    default:
      if (isWebPage(head)) return "the endpoint answers with a web page: something other than S3 is there";
      if (head.status >= 300 && head.status < 400) return "the endpoint redirects the probe, which does not follow";
      return "the endpoint answers with an HTTP status that says nothing about the bucket";
  }
}

function wrongRegion(exchange: S3Exchange): string {
  const { bucket, specRegion, regions } = exchange;
  const region = regionOf(exchange);
  const where = region === undefined ? "in another region" : `in region ${region}`;
  return specRegion === undefined
    ? `bucket ${bucket} is ${where}, and requests signed for ${regions.join(" and ")} are turned away`
    : `bucket ${bucket} is ${where}, the spec says ${specRegion}`;
}
