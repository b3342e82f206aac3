import { type Instant, parseHttpDate } from "farwatch";
import type { ProbeReason } from "../resource/reason.ts";
import { regionPattern } from "./s3-target.ts";

/** One answer of the service, as far as it explains anything. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `Code` and `Region` of the error document, when there was one. */
  readonly code?: string | undefined;
  readonly documentRegion?: string | undefined;
}

export interface S3Asked {
  readonly bucket: string;
  /** The region that the spec names, if any. */
  readonly specRegion: string | undefined;
  readonly signed: boolean;
  readonly now: Instant;
}

/** A finding without its duration. */
export interface Finding {
  readonly reason: ProbeReason;
  readonly message: string;
}

/** Beyond this the services refuse a signature for its time (AWS and its clones: 15 min; other clocks are off before that). */
const skewMs = 5 * 60_000;

const byCode: Readonly<Record<string, ProbeReason>> = {
  NoSuchBucket: "BucketNotFound",
  AccessDenied: "AccessDenied",
  AllAccessDisabled: "AccessDenied",
  AccountProblem: "AccessDenied",
  UnauthorizedAccess: "AccessDenied",
  InvalidAccessKeyId: "InvalidCredentials",
  SignatureDoesNotMatch: "InvalidCredentials",
  InvalidToken: "InvalidCredentials",
  ExpiredToken: "InvalidCredentials",
  TokenRefreshRequired: "InvalidCredentials",
  InvalidSecurity: "InvalidCredentials",
  NotSignedUp: "InvalidCredentials",
  CredentialsNotSupported: "InvalidCredentials",
  PermanentRedirect: "WrongRegion",
  TemporaryRedirect: "WrongRegion",
  Redirect: "WrongRegion",
  AuthorizationHeaderMalformed: "WrongRegion",
  IllegalLocationConstraintException: "WrongRegion",
  RequestTimeTooSkewed: "ClockSkew",
  RequestExpired: "ClockSkew",
  SlowDown: "Throttled",
  ServiceUnavailable: "ServerError",
  RequestLimitExceeded: "Throttled",
  TooManyRequests: "Throttled",
  BandwidthLimitExceeded: "Throttled",
  InternalError: "ServerError",
};

/** Refusals that a wrong clock explains as well. */
const authentication: ReadonlySet<ProbeReason> = new Set(["AccessDenied", "InvalidCredentials"]);

/** The bucket's region as the service names it, or undefined. */
export function regionOf(answer: S3Answer): string | undefined {
  const named = answer.headers["x-amz-bucket-region"] ?? answer.documentRegion;
  return named !== undefined && regionPattern.test(named) ? named : undefined;
}

/** True for answers to HEAD that a body would explain; HEAD has none, so one GET is worth it. */
export function needsExplanation({ status }: S3Answer): boolean {
  return status === 301 || status === 307 || status === 400 || status === 403 || status === 503;
}

/** What an answer to HEAD means, with the answer to the explaining GET where there was one. */
export function classifyS3(head: S3Answer, list: S3Answer | undefined, asked: S3Asked): Finding {
  const reason = reasonOf(head, list, asked);
  return { reason, message: messageOf(reason, head, list, asked) };
}

function reasonOf(head: S3Answer, list: S3Answer | undefined, asked: S3Asked): ProbeReason {
  const { status } = head;
  if (status === 200) return "Available";
  const code = list?.code;
  const coded = code === undefined ? undefined : byCode[code];
  const region = regionOf(head) ?? (list === undefined ? undefined : regionOf(list));
  const plain = coded ?? byStatus(status);
  if (authentication.has(plain) && asked.signed && isSkewed(head, asked.now)) return "ClockSkew";
  // A 301 or 400 that names another region than the one that was asked says all there is to say.
  if ((status === 301 || status === 307 || status === 400) && region !== undefined && region !== asked.specRegion)
    return "WrongRegion";
  return plain;
}

function byStatus(status: number): ProbeReason {
  switch (status) {
    case 301:
    case 307:
      return "WrongRegion";
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

function isSkewed(answer: S3Answer, now: Instant): boolean {
  const theirs = answer.headers.date === undefined ? undefined : parseHttpDate(answer.headers.date);
  return theirs !== undefined && Math.abs(theirs.getTime() - now.getTime()) > skewMs;
}

function messageOf(reason: ProbeReason, head: S3Answer, list: S3Answer | undefined, asked: S3Asked): string {
  const { bucket, specRegion, signed } = asked;
  switch (reason) {
    case "Available":
      return "the bucket answered the probe";
    case "BucketNotFound":
      return `bucket ${bucket} does not exist`;
    case "AccessDenied":
      return list?.status === 200
        ? `HEAD on bucket ${bucket} is forbidden, though its objects may be listed`
        : `access to bucket ${bucket} is denied${signed ? "; on AWS the probe needs s3:ListBucket" : " to anonymous requests"}`;
    case "InvalidCredentials":
      return "the service does not accept the credentials";
    case "WrongRegion": {
      const region = regionOf(head) ?? (list === undefined ? undefined : regionOf(list));
      const where = region === undefined ? "in another region" : `in region ${region}`;
      return specRegion === undefined
        ? `bucket ${bucket} is ${where}`
        : `bucket ${bucket} is ${where}, the spec says ${specRegion}`;
    }
    case "ClockSkew":
      return "the operator's clock and the service's are too far apart to accept signatures";
    case "Throttled":
      return "the service asks to slow down";
    case "ServerError":
      return `the service failed with HTTP ${head.status}`;
    default:
      return `the service answered HTTP ${head.status}, which says nothing about the bucket`;
  }
}
