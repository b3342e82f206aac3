import type { Duration, Status, TransportRequest } from "farwatch";
import type { FaultMatcher } from "./fault-matcher.ts";
import type { FaultRule } from "./fault-schedule.ts";
import { type KubeMatcher, kubeRequests, parseKubeRequest } from "./kube-request.ts";
import type { StandInAnswer, TransportFault } from "./transport-fault.ts";

/** Which requests of an API server's client a fault is for, and how often it strikes. */
export interface KubeFaultOptions extends KubeMatcher {
  readonly times?: number;
  readonly probability?: number;
}

/** Of a stream: when it strikes, from the answer's headers; default: at once. */
export interface StreamFaultOptions extends Omit<KubeFaultOptions, "verb"> {
  readonly after?: Duration;
}

type KubeFault = FaultRule<TransportFault, FaultMatcher>;

const writes = ["create", "update", "patch", "delete", "deletecollection"] as const;

function rule(
  fault: TransportFault,
  { times, probability, ...matcher }: KubeFaultOptions,
  verb?: KubeMatcher["verb"],
): KubeFault {
  return {
    ...fault,
    matcher: kubeRequests({ ...(verb === undefined ? {} : { verb }), ...matcher }),
    ...(times === undefined ? {} : { times }),
    ...(probability === undefined ? {} : { probability }),
  };
}

function onWatch(
  kind: "closed" | "cut" | "stalled" | "truncated",
  { after, ...options }: StreamFaultOptions,
): KubeFault {
  return rule(after === undefined ? { kind } : { kind, after }, options, "watch");
}

function failure(code: number, what: Partial<Status>): Status & { readonly metadata: object } {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...what, code };
}

function refusal(code: number, describe: (request: TransportRequest) => Partial<Status>): StandInAnswer {
  const body = (request: TransportRequest): Status => failure(code, describe(request));
  return { kind: "status", status: code, headers: { "content-type": "application/json" }, body };
}

function subjectOf(request: TransportRequest): {
  readonly text: string;
  readonly details: NonNullable<Status["details"]>;
} {
  const { group = "", resource = "", name = "" } = parseKubeRequest(request) ?? {};
  return {
    text: `${group === "" ? resource : `${resource}.${group}`} "${name}"`,
    details: { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
  };
}

const expired: Partial<Status> = {
  reason: "Expired",
  message: "The resourceVersion for the provided watch is too old.",
};

/**
 * Faults of the way to a Kubernetes API server, to be added to `faults` of `withFaults`. What stands in for an answer
 * has status, reason and message of the real server (kube-apiserver 1.35).
 *
 * @example
 * ```ts
 * transport.faults.add(transportFaults.conflict({ resource: "leases", times: 2 }));
 * ```
 */
export const transportFaults = {
  /** 409 to a write of an object, without it: somebody else was faster. Default verbs: update and patch. */
  conflict: (options: KubeFaultOptions = {}): KubeFault =>
    rule(
      refusal(409, (request) => {
        const { text, details } = subjectOf(request);
        return {
          reason: "Conflict",
          message: `Operation cannot be fulfilled on ${text}: the object has been modified; please apply your changes to the latest version and try again`,
          details,
        };
      }),
      options,
      ["update", "patch"],
    ),
  /** A watch ends as it does when its time is up. */
  watchClosed: (options: StreamFaultOptions = {}): KubeFault => onWatch("closed", options),
  /** The connection of a watch is reset. */
  watchCut: (options: StreamFaultOptions = {}): KubeFault => onWatch("cut", options),
  /** A watch stays open, and nothing comes any more: not even that it is over. */
  watchSilent: (options: StreamFaultOptions = {}): KubeFault => onWatch("stalled", options),
  /** A watch ends in the middle of a line, as if it were complete. */
  truncatedLine: (options: StreamFaultOptions = {}): KubeFault => onWatch("truncated", options),
  /** 410 to a list or watch. */
  expired: (options: KubeFaultOptions = {}): KubeFault =>
    rule(
      refusal(410, () => expired),
      options,
      ["list", "watch"],
    ),
  /** 200 to a watch, and then 410 in its one event. */
  watchExpired: (options: Omit<KubeFaultOptions, "verb"> = {}): KubeFault =>
    rule(
      {
        kind: "status",
        status: 200,
        headers: { "content-type": "application/json" },
        body: `${JSON.stringify({ type: "ERROR", object: failure(410, expired) })}\n`,
      },
      options,
      "watch",
    ),
  /** 504 to a read: this server has not seen the version that was asked for yet. Default verbs: get and list. */
  versionTooLarge: (options: KubeFaultOptions = {}): KubeFault =>
    rule(
      {
        ...refusal(504, (request) => {
          const asked = new URL(request.url).searchParams.get("resourceVersion") ?? "0";
          return {
            reason: "Timeout",
            message: `Timeout: Too large resource version: ${asked}, current: 1`,
            details: {
              causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
              retryAfterSeconds: 1,
            },
          };
        }),
        retryAfter: 1,
      },
      options,
      ["get", "list"],
    ),
  /** 429 as priority and fairness answers it: plain text, and seconds to wait (1). */
  tooManyRequests: ({
    retryAfter = 1,
    ...options
  }: KubeFaultOptions & { readonly retryAfter?: number } = {}): KubeFault =>
    rule(
      {
        kind: "status",
        status: 429,
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: "Too many requests, please try again later.\n",
        retryAfter,
      },
      options,
    ),
  /** 500 as for an etcd that does not answer. */
  internalError: (options: KubeFaultOptions = {}): KubeFault =>
    rule(
      refusal(500, () => ({ message: "etcdserver: request timed out" })),
      options,
    ),
  /** Answers come late; with `on: "request"` it is the requests that arrive late. */
  slow: ({
    by,
    on,
    ...options
  }: KubeFaultOptions & { readonly by: Duration; readonly on?: "request" | "answer" }): KubeFault =>
    rule(on === undefined ? { kind: "slow", by } : { kind: "slow", by, on }, options),
  /** No answer at all; the connection stays open. */
  silent: (options: KubeFaultOptions = {}): KubeFault => rule({ kind: "silent" }, options),
  /** The server has carried a write out, and its answer is lost. Default verbs: all that write. */
  lostResponse: (options: KubeFaultOptions = {}): KubeFault => rule({ kind: "lostResponse" }, options, writes),
  /** The connection is reset before the server has seen the request. */
  reset: (options: KubeFaultOptions = {}): KubeFault => rule({ kind: "reset" }, options),
  /** The server's port is closed. */
  refused: (options: KubeFaultOptions = {}): KubeFault => rule({ kind: "refused" }, options),
} as const;
