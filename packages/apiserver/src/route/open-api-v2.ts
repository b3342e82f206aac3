import type { ServerResponse } from "./server-request.ts";

/** As kubectl has asked for the protobuf form over the years; it takes no other. */
const protobufTypes = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
];

/**
 * An OpenAPI v2 document that describes no kind. kubectl reads it for what it does not find in OpenAPI v3 (a List, a
 * kind without a definition), finds it here neither, and goes on without a check on its own side; without a document it
 * would end.
 */
export function openApiV2(version: string, accept: string | undefined): ServerResponse {
  const wanted = (accept ?? "").split(",").map((clause) => clause.split(";")[0]?.trim() ?? "");
  const info = { title: "Kubernetes", version };
  const mediaType = wanted.find((type) => protobufTypes.includes(type));
  if (mediaType === undefined) {
    const body = JSON.stringify({ swagger: "2.0", info, paths: {} });
    return { status: 200, headers: { "content-type": "application/json" }, body };
  }
  // The numbers of the fields of OpenAPIv2.proto: swagger, info (title, version) and paths.
  const parts = [field(1, text("2.0")), field(2, field(1, text(info.title)), field(2, text(info.version))), field(8)];
  return { status: 200, headers: { "content-type": "application/octet-stream" }, body: Buffer.concat(parts) };
}

function text(value: string): Uint8Array {
  return Buffer.from(value, "utf8");
}

/** A length-delimited field of at most 127 bytes. */
function field(number: number, ...content: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
