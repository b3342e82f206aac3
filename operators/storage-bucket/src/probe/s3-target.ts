import { isIP } from "node:net";
import type { Destination, Unusable } from "../credential/bucket-secret.ts";
import { withoutBrackets } from "../endpoint/authority.ts";
import type { StorageBucketSpec } from "../resource/storage-bucket.ts";

export type S3Spec = NonNullable<StorageBucketSpec["s3"]>;

/** Where a bucket is asked, and how requests to it are signed. */
export interface S3Target extends Destination {
  /** Of the bucket itself. */
  readonly url: URL;
  /** Requests are signed for it. */
  readonly region: string;
}

/** What requests are signed for where nothing says otherwise. */
export const defaultRegion = "us-east-1";

/** A region's name, as it may come from a spec or from an answer. */
export function isRegion(text: string): boolean {
  return /^[a-z0-9-]{1,32}$/.test(text);
}

/** The bucket in this region. A custom endpoint stays what it is: there the region is used for signing alone. */
export function s3Target(spec: S3Spec, region: string): S3Target | Unusable {
  const url = URL.parse(endpointUrl(spec, region));
  if (url === null) return { problem: "the endpoint is no URL" };
  if (isVirtualHost(spec)) {
    // The URL would stay as it is, and name every bucket of the account.
    if (isIP(withoutBrackets(url.hostname)) !== 0)
      return { problem: "an endpoint that is an address cannot be asked by virtual host; set addressing to Path" };
    url.hostname = `${spec.bucket}.${url.hostname}`;
    if (!url.hostname.startsWith(`${spec.bucket}.`))
      return { problem: "the bucket's name is no host name; set addressing to Path" };
  } else {
    url.pathname = `/${spec.bucket}`;
  }
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  return { url, region, host: withoutBrackets(url.hostname), port, secure };
}

/** Which service a bucket is at: scheme, host and port. `region` is that of an earlier result, where the spec names none. */
export function endpointOrigin(spec: S3Spec, region: string | undefined): string {
  const endpoint = endpointUrl(spec, spec.region ?? region ?? defaultRegion);
  return URL.parse(endpoint)?.origin ?? endpoint;
}

function endpointUrl({ endpoint }: S3Spec, region: string): string {
  return endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** How messages name the service: as the spec does. */
export function endpointName({ endpoint }: S3Spec): string {
  if (endpoint === undefined) return "Amazon S3";
  return URL.parse(endpoint)?.host ?? "the endpoint";
}

function isVirtualHost({ addressing, endpoint, bucket }: S3Spec): boolean {
  if (addressing !== "Auto") return addressing === "VirtualHost";
  // A dot in the name does not fit the provider's wildcard certificate.
  return endpoint === undefined && !bucket.includes(".");
}
