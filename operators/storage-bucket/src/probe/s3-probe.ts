import { type Clock, type ConnectPolicy, chooseProxy, isCodedError, type Transport } from "farwatch";
import type { BucketSecret } from "../credential/bucket-secret.ts";
import { classifyFailure } from "./failed-request.ts";
import type { Finding, ProbeResult } from "./probe-result.ts";
import { detailOf, needsExplanation, readS3Answer, type S3Answer } from "./s3-answer.ts";
import { classifyS3, regionOf } from "./s3-finding.ts";
import { s3Request } from "./s3-signature.ts";
import { defaultRegion, endpointName, type S3Spec, type S3Target, s3Target } from "./s3-target.ts";

/** Long enough for the requests of one probe; the next one resolves, connects and shakes hands anew, since that may fail too. */
const keepAlive = "2s";

export interface S3ProbeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface S3ProbeRequest {
  readonly spec: S3Spec;
  /** Undefined: anonymous. */
  readonly secret: BucketSecret | undefined;
  /** PEM of the certificate authorities to trust instead of the system's. */
  readonly ca: string | undefined;
  readonly connectPolicy: ConnectPolicy;
  /** One deadline for everything: name resolution, waiting for a connection, every request. */
  readonly timeoutMs: number;
  /** Tried first where the spec names none: the `region` of an earlier result. */
  readonly region?: string | undefined;
}

/** Asks a bucket how it is. Rejects only with the signal's reason or for a fault of ours; whatever goes wrong outside is a result. */
export type S3Probe = (request: S3ProbeRequest, signal: AbortSignal) => Promise<ProbeResult>;

/** A finding with what led to it. */
interface Found extends Finding {
  readonly head?: S3Answer;
  readonly list?: S3Answer | undefined;
  readonly region?: string;
}

/** Keeps nothing from one probe to the next. */
export function createS3Probe({ transport, clock, env }: S3ProbeOptions): S3Probe {
  return async (request, signal) => {
    const { spec, secret } = request;
    const startMs = clock.elapsed();
    let proxied = false;
    using deadline = clock.timeout(request.timeoutMs, signal);

    const ask = async (target: S3Target, method: "HEAD" | "GET"): Promise<S3Answer> => {
      const query = method === "GET" ? { "list-type": "2", "max-keys": "1" } : {};
      const now = clock.now();
      const { url, headers } = await s3Request(target, { method, query, credentials: secret?.credentials, now });
      const proxy = chooseProxy(url, env);
      proxied = proxy !== undefined;
      const response = await transport.request({
        method,
        url,
        headers,
        signal: deadline,
        tls: request.ca === undefined ? undefined : { ca: request.ca },
        proxy,
        connectPolicy: request.connectPolicy,
        protocol: "http/1.1",
        keepAlive,
      });
      return readS3Answer(response);
    };

    /** HEAD has no body. Where its status may mean several things one GET tells which; if that fails, the status stands. */
    const explain = async (target: S3Target): Promise<S3Answer | undefined> => {
      try {
        return await ask(target, "GET");
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.aborted || isCodedError(error, "ConnectionFailed") || isCodedError(error, "ProtocolError"))
          return undefined;
        throw error;
      }
    };

    const askIn = async (region: string, before: readonly string[]): Promise<Found> => {
      const target = s3Target(spec, region);
      if ("problem" in target) return { reason: "InvalidSpec", message: target.problem };
      if (secret !== undefined && !secret.allows(target)) {
        return {
          reason: "EndpointNotAllowed",
          message: `the Secret does not allow its credentials to be sent to ${target.host}:${target.port}; add it to the key allowedEndpoints`,
        };
      }
      const head = await ask(target, "HEAD");
      const exchange = {
        bucket: spec.bucket,
        specRegion: spec.region,
        regions: [...before, region],
        signed: secret !== undefined,
        head,
      };
      const first = classifyS3({ ...exchange, list: undefined, now: clock.now() });
      const isClear = first.reason === "WrongRegion" || !needsExplanation(head);
      const list = isClear ? undefined : await explain(target);
      const finding = list === undefined ? first : classifyS3({ ...exchange, list, now: clock.now() });
      const actual = regionOf({ head, list });
      const canMove = spec.region === undefined && before.length === 0 && finding.reason !== "Available";
      if (canMove && actual !== undefined && actual !== region) return askIn(actual, exchange.regions);
      return { ...finding, head, list, ...(finding.reason === "WrongRegion" ? {} : { region }) };
    };

    const finish = ({ reason, message, head, list, region }: Found): ProbeResult => ({
      reason,
      message,
      durationMs: Math.round(clock.elapsed() - startMs),
      httpStatus: head?.status,
      timings: head?.timings,
      certificate: head?.certificate,
      region,
      detail: head === undefined ? undefined : { ...detailOf(head), ...(list === undefined ? {} : detailOf(list)) },
    });

    try {
      return finish(await askIn(spec.region ?? request.region ?? defaultRegion, []));
    } catch (error) {
      signal.throwIfAborted();
      const endpoint = endpointName(spec);
      if (deadline.aborted) {
        return finish({ reason: "Timeout", message: `${endpoint} did not answer within ${request.timeoutMs} ms` });
      }
      const finding = classifyFailure(error, { endpoint, proxied });
      if (finding === undefined) throw error;
      return finish(finding);
    }
  };
}
