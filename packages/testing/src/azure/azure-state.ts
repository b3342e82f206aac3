import { createHash } from "node:crypto";
import type { Instant } from "farwatch";
import type { AzureAccountOptions, AzureContainerOptions, AzurePermission } from "./azure-options.ts";

export interface AzureBlob {
  readonly content: Buffer;
  readonly contentType: string;
  /** Base64. */
  readonly md5: string;
  /** Quoted. */
  readonly etag: string;
  readonly modifiedAt: Instant;
  /** `x-ms-meta-…` headers. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface AzureContainer {
  readonly name: string;
  readonly publicAccess: AzureContainerOptions["publicAccess"];
  readonly grants: Readonly<Record<string, readonly AzurePermission[]>>;
  readonly etag: string;
  readonly modifiedAt: Instant;
  readonly blobs: Map<string, AzureBlob>;
}

export interface AzureAccount {
  readonly name: string;
  readonly keys: readonly string[];
  readonly containers: Map<string, AzureContainer>;
}

/** Why Azure does not take the name of a container; undefined: it does. */
export function nameProblem(name: string): "OutOfRangeInput" | "InvalidResourceName" | undefined {
  if (["$root", "$web", "$logs"].includes(name)) return undefined;
  if (name.length < 3 || name.length > 63) return "OutOfRangeInput";
  return /^[a-z0-9](?:-?[a-z0-9])+$/.test(name) ? undefined : "InvalidResourceName";
}

export function createAccount(name: string, { keys, containers }: AzureAccountOptions, now: Instant): AzureAccount {
  const entries = Object.entries(containers).map(
    ([container, options]) => [container, createContainer(container, options, now)] as const,
  );
  return { name, keys, containers: new Map(entries) };
}

export function createContainer(name: string, options: AzureContainerOptions, now: Instant): AzureContainer {
  const { publicAccess, grants = {}, blobs = {} } = options;
  const contents = Object.entries(blobs).map(([key, content]) => [key, createBlob({ content }, now)] as const);
  return { name, publicAccess, grants, etag: etagOf(name, now), modifiedAt: now, blobs: new Map(contents) };
}

export interface AzureContent {
  readonly content: string | Uint8Array;
  readonly contentType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
}

export function createBlob({ content, contentType, metadata = {} }: AzureContent, now: Instant): AzureBlob {
  const bytes = Buffer.from(content);
  const md5 = createHash("md5").update(bytes).digest("base64");
  return {
    content: bytes,
    contentType: contentType ?? "application/octet-stream",
    md5,
    etag: etagOf(md5, now),
    modifiedAt: now,
    metadata,
  };
}

function etagOf(what: string, now: Instant): string {
  const digest = createHash("sha256").update(`${what} ${now.getTime()}`).digest("hex");
  return `"0x8D${digest.slice(0, 13).toUpperCase()}"`;
}
