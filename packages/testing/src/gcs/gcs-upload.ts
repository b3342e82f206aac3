import type { ServedRequest } from "../store/served-request.ts";
import { GcsError, invalid } from "./gcs-error.ts";
import type { GcsContent } from "./gcs-state.ts";

export interface GcsUpload extends GcsContent {
  readonly name: string;
}

/**
 * Reads the object of an upload in one request: `uploadType=media`, or `multipart` with its metadata before it. @throws
 * GcsError
 */
export function readUpload({ headers, body }: ServedRequest, query: URLSearchParams): GcsUpload {
  const type = query.get("uploadType") ?? "media";
  const contentType = headers["content-type"];
  if (type === "media") return { name: named(query.get("name")), content: body, contentType };
  if (type !== "multipart") {
    throw new GcsError({
      status: 501,
      reason: "notImplemented",
      message: `This test store does not implement uploads of type ${type}`,
    });
  }
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? "") ?? [];
  const [metadata, media] = partsOf(body, quoted ?? bare ?? "");
  if (metadata === undefined || media === undefined) throw invalid("Multipart body must have two parts.");
  const resource = readResource(metadata.content);
  return {
    name: named(query.get("name") ?? resource.name),
    content: media.content,
    contentType: textOf(resource.contentType) ?? media.contentType,
    metadata: textsOf(resource.metadata),
  };
}

interface Part {
  readonly contentType: string | undefined;
  readonly content: Buffer;
}

function partsOf(body: Buffer, boundary: string): readonly Part[] {
  // latin1 keeps a character a byte.
  const [, ...sections] = body.toString("latin1").split(`--${boundary}`);
  return sections
    .filter((section) => !section.startsWith("--"))
    .map((section) => {
      const start = section.indexOf("\r\n\r\n");
      const [head, content] = [section.slice(0, start), section.slice(start + 4).replace(/\r\n$/, "")];
      return {
        contentType: /^content-type: *(.+)$/im.exec(head)?.[1]?.trim(),
        content: Buffer.from(content, "latin1"),
      };
    });
}

/** The JSON object that a body, or a part of one, must be. @throws GcsError `parseError` */
export function readResource(content: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(content.toString("utf8"));
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // As below.
  }
  throw new GcsError({ status: 400, reason: "parseError", message: "Parse Error" });
}

function named(name: unknown): string {
  if (typeof name === "string" && name !== "") return name;
  throw new GcsError({ status: 400, reason: "required", message: "Required" });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined;
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length > 0 && entries.every(([, text]) => typeof text === "string")) return Object.fromEntries(entries);
  throw invalid("Invalid value for: metadata");
}
