import type { Clock } from "farwatch";
import { ApiError, unsupportedMediaType } from "../failure/api-error.ts";
import { JsonProblem, readJson } from "../failure/read-json.ts";
import type { RequestBody } from "../verb/resource-request.ts";
import type { ExpectedKind } from "./protobuf.ts";
import { readYaml } from "./read-yaml.ts";

/** Media type and parameters aside. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** No larger body is read, as on the real server. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

const protobuf = "application/vnd.kubernetes.protobuf";
const readable = ["application/json", "application/yaml", protobuf];

const json: ReadonlySet<string> = new Set([
  "",
  "application/json",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
]);
const yaml: ReadonlySet<string> = new Set(["application/yaml", "application/apply-patch+yaml"]);
const patches: ReadonlySet<string> = new Set([...json, ...yaml].filter((type) => type.includes("patch")));

export interface BodyOptions {
  readonly clock: Clock;
  readonly expected: ExpectedKind;
  /** Whether the body is a patch: patches are read as such alone. */
  readonly patching: boolean;
}

/**
 * Reads a body of JSON, YAML or protobuf. Absent and empty bodies are undefined.
 *
 * @throws ApiError 415 for another media type, 400 for what cannot be read, 413 for too much.
 */
export async function readBody(
  bytes: Uint8Array | undefined,
  mediaType: string,
  { clock, expected, patching }: BodyOptions,
): Promise<RequestBody | undefined> {
  if (bytes === undefined || bytes.length === 0) return mediaType === "application/yaml" ? { value: null } : undefined;
  if (
    !(json.has(mediaType) || yaml.has(mediaType) || mediaType === protobuf) ||
    (patches.has(mediaType) && !patching)
  ) {
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${readable.join(", ")}`,
    );
  }
  if (bytes.length > maxBodyBytes) {
    throw new ApiError({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: `Request entity too large: limit is ${maxBodyBytes}`,
    });
  }
  if (mediaType === protobuf) {
    const { decodeProtobuf } = await clock.outside(import("./protobuf.ts"));
    return { value: decodeProtobuf(bytes, expected) };
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return yaml.has(mediaType) ? readYaml(text, clock) : readJsonBody(text);
}

function readJsonBody(text: string): RequestBody {
  try {
    return { value: readJson(text), text };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { value: undefined, text, problem: `couldn't get version/kind; json parse error: ${error.message}` };
  }
}
