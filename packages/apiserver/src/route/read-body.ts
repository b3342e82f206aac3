import type { Clock } from "farwatch";
import { ApiError, unsupportedMediaType } from "../failure/api-error.ts";
import { goJsonError } from "../failure/go-json-error.ts";
import type { RequestBody } from "../verb/resource-request.ts";
import type { ExpectedKind } from "./protobuf.ts";

/** Media type and parameters aside. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** No larger body is read, as on the real server. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

const protobuf = "application/vnd.kubernetes.protobuf";
const readable = ["application/json", "application/yaml", protobuf];

/**
 * Reads a body of JSON, YAML or protobuf. Absent and empty bodies are undefined.
 *
 * @throws ApiError 415 for another media type, 400 for what cannot be read, 413 for too much.
 */
export async function readBody(
  bytes: Uint8Array | undefined,
  mediaType: string,
  { clock, expected }: { readonly clock: Clock; readonly expected: ExpectedKind },
): Promise<RequestBody | undefined> {
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (bytes.length > maxBodyBytes) {
    throw new ApiError({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: `Request entity too large: limit is ${maxBodyBytes}`,
    });
  }
  switch (mediaType) {
    case "":
    case "application/json":
    case "application/json-patch+json":
    case "application/merge-patch+json":
    case "application/strategic-merge-patch+json":
      return readJson(Buffer.from(bytes).toString("utf8"));
    case "application/yaml":
    case "application/apply-patch+yaml":
      return readYaml(Buffer.from(bytes).toString("utf8"), clock);
    case protobuf: {
      const { decodeProtobuf } = await clock.outside(import("./protobuf.ts"));
      return { value: decodeProtobuf(bytes, expected) };
    }
    default:
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${readable.join(", ")}`,
      );
  }
}

function readJson(text: string): RequestBody {
  try {
    return { value: JSON.parse(text), text };
  } catch {
    return { value: undefined, text, problem: `couldn't get version/kind; json parse error: ${goJsonError(text)}` };
  }
}

async function readYaml(text: string, clock: Clock): Promise<RequestBody> {
  if (text.trimStart().startsWith("{")) {
    try {
      return { value: JSON.parse(text), text };
    } catch {
      // Not JSON: flow style of YAML.
    }
  }
  const { load, Schema, YAMLException, ...tags } = await clock.outside(import("js-yaml"));
  // YAML 1.1 as Go reads it, in which times are texts.
  const schema = new Schema([
    tags.strTag,
    tags.seqTag,
    tags.mapTag,
    tags.nullYaml11Tag,
    tags.boolYaml11Tag,
    tags.intYaml11Tag,
    tags.floatYaml11Tag,
    tags.mergeTag,
  ]);
  try {
    return { value: load(text, { schema }) ?? null, text };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { value: undefined, text, problem: `yaml: ${goYamlReasons[error.reason] ?? error.reason}` };
  }
}

/** What the real server's reader says where ours says something else. */
const goYamlReasons: Readonly<Record<string, string>> = {
  "bad indentation of a mapping entry": "mapping values are not allowed in this context",
};
