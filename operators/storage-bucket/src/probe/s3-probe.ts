import { type Clock, type ConnectPolicy, chooseProxy, type Transport, type TransportResponse } from "farwatch";
import type { BucketSecret } from "../credential/bucket-secret.ts";
import { classifyFailure } from "./failed-request.ts";
import type { ProbeResult } from "./probe-result.ts";
import { classifyS3, type Finding, needsExplanation, regionOf, type S3Answer } from "./s3-answer.ts";
import { s3Request } from "./s3-signature.ts";
import { type S3Spec, type S3Target, s3Target } from "./s3-target.ts";

/** Bodies are read for their error code alone. */
const bodyBytes = 64 * 1_024;

export interface S3ProbeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** For HTTPS_PROXY and NO_PROXY. */
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
}

/** Asks a bucket how it is. Rejects only with the signal's reason; whatever goes wrong outside is a result. */
export type S3Probe = (request: S3ProbeRequest, signal: AbortSignal) => Promise<ProbeResult>;

export function createS3Probe({ transport, clock, env }: S3ProbeOptions): S3Probe {
  /** Regions that buckets without one in their spec turned out to be in, by origin and bucket. */
  const discovered = new Map<string, string>();

  const ask = async (
    target: S3Target,
    request: S3ProbeRequest,
    method: "HEAD" | "GET",
    signal: AbortSignal,
  ): Promise<S3Answer> => {
    const query = method === "GET" ? { "list-type": "2", "max-keys": "1" } : {};
    const { url, headers } = await s3Request(target, {
      method,
      query,
      credentials: request.secret?.credentials,
      now: clock.now(),
    });
    const response = await transport.request({
      method,
      url,
      headers,
      signal,
      tls: request.ca === undefined ? undefined : { ca: request.ca },
      proxy: chooseProxy(url, env),
      connectPolicy: request.connectPolicy,
      protocol: "http/1.1",
    });
    return toAnswer(response, method === "GET");
  };

  const find = async (
    request: S3ProbeRequest,
    signal: AbortSignal,
  ): Promise<Finding & { readonly answer?: S3Answer }> => {
    const { spec, secret } = request;
    const key = `${spec.endpoint ?? ""} ${spec.bucket}`;
    let target = s3Target(spec, spec.region ?? discovered.get(key));
    if (secret !== undefined && !secret.allows(target.host, target.port)) {
      return {
        reason: "EndpointNotAllowed",
        message: `the Secret does not allow its credentials to be sent to ${target.host}:${target.port}; add it to the key allowedEndpoints`,
      };
    }
    let head = await ask(target, request, "HEAD", signal);
    const region = regionOf(head);
    if (spec.region === undefined && head.status !== 200 && region !== undefined && region !== target.region) {
      discovered.set(key, region);
      target = s3Target(spec, region);
      head = await ask(target, request, "HEAD", signal);
    }
    const list = needsExplanation(head) ? await ask(target, request, "GET", signal) : undefined;
    const asked = {
      bucket: spec.bucket,
      specRegion: spec.region ?? discovered.get(key),
      signed: secret !== undefined,
      now: clock.now(),
    };
    return { ...classifyS3(head, list, asked), answer: list ?? head };
  };

  return async (request, signal) => {
    const startMs = clock.elapsed();
    const endpoint = endpointName(request.spec);
    using deadline = clock.timeout(request.timeoutMs, signal);
    const finish = (finding: Finding, answer?: S3Answer): ProbeResult => ({
      reason: finding.reason,
      message: finding.message,
      httpStatus: answer?.status,
      durationMs: Math.round(clock.elapsed() - startMs),
      detail: answer === undefined ? undefined : detailOf(answer),
    });
    try {
      const { answer, ...finding } = await find(request, deadline);
      return finish(finding, answer);
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted)
        return finish({ reason: "Timeout", message: `${endpoint} did not answer within ${request.timeoutMs} ms` });
      const finding = classifyFailure(error, endpoint);
      if (finding === undefined) throw error;
      return finish(finding);
    }
  };
}

/** How messages name the service: the host as the spec gives it. */
function endpointName(spec: S3Spec): string {
  return spec.endpoint === undefined ? "Amazon S3" : new URL(spec.endpoint).host;
}

async function toAnswer(response: TransportResponse, withBody: boolean): Promise<S3Answer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bodyBytes) break;
    chunks.push(chunk);
  }
  const text = withBody ? Buffer.concat(chunks).toString("utf8") : "";
  return {
    status: response.status,
    headers: response.headers,
    code: element(text, "Code"),
    documentRegion: element(text, "Region"),
  };
}

/** The text of a simple element of an S3 error document. An XML parser would read entities and more: a larger target than two words are worth. */
function element(document: string, name: string): string | undefined {
  return new RegExp(`<${name}>([A-Za-z0-9-]{1,64})</${name}>`).exec(document)?.[1];
}

function detailOf(answer: S3Answer): Record<string, string> {
  const detail: Record<string, string> = {};
  const id = answer.headers["x-amz-request-id"];
  if (id !== undefined) detail.requestId = id.slice(0, 128);
  if (answer.code !== undefined) detail.code = answer.code;
  return detail;
}
