import { systemClock } from "farwatch";
import { type HttpAnswer, httpCall } from "../process/http-call.ts";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** Path style: `/bucket/key`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface S3Endpoint {
  /** Base URL. */
  readonly url: string;
  readonly region: string;
  /** PEM, for https. */
  readonly ca?: string | undefined;
}

/** Sends one request signed with SigV4 for service `s3`, and answers whatever status comes back. */
export async function s3Request(
  endpoint: S3Endpoint,
  credentials: S3Credentials,
  request: S3Request,
): Promise<HttpAnswer> {
  // Loaded when first used: only suites with an S3 server need them.
  const [{ SignatureV4 }, { Sha256 }, { HttpRequest }] = await Promise.all([
    import("@smithy/signature-v4"),
    import("@aws-crypto/sha256-js"),
    import("@smithy/protocol-http"),
  ]);
  const { hostname, host, port, protocol } = new URL(endpoint.url);
  const { method, path, query = {}, body } = request;
  const signer = new SignatureV4({
    service: "s3",
    region: endpoint.region,
    credentials,
    sha256: Sha256,
    uriEscapePath: false,
  });
  const signed = await signer.sign(
    new HttpRequest({
      method,
      protocol,
      hostname,
      port: Number(port),
      path,
      query: { ...query },
      headers: { host },
      ...(body === undefined ? {} : { body }),
    }),
    { signingDate: systemClock.now() },
  );
  const search = new URLSearchParams(query).toString();
  return httpCall(`${endpoint.url}${path}${search === "" ? "" : `?${search}`}`, {
    method,
    headers: signed.headers,
    ...(body === undefined ? {} : { body }),
    ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }),
  });
}
