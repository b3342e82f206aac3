import { badRequest } from "../failure/api-error.ts";
import { tableType, typeNameOf } from "../registry/type-table.ts";
import { ProtobufError, readMessage, wireMessage } from "./protobuf-message.ts";

/** A kind in one version. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `k8s\0`, before every message. */
const magic: readonly number[] = [0x6b, 0x38, 0x73, 0];
const shownBytes = 30;

/**
 * Reads a body of `application/vnd.kubernetes.protobuf` as the JSON that the same client would have sent, of any type
 * that the table of built-in types has, the options of meta/v1 included. Fields that are not in the message are absent;
 * what Go does with zero values is left to `decodeBuiltIn`, as for JSON.
 *
 * Where the message does not say what it is, it is what is expected. This file loads the library: import it when the
 * first such body comes.
 *
 * @throws ApiError 400 for bytes that are no such message, or a message of an unknown kind.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: ExpectedKind): Record<string, unknown> {
  const refuse = (why: string): Error => badRequest(`${unrecognized(expected)}: ${why} (${summary(bytes)})`);
  if (bytes.length === 0) throw refuse("empty data");
  if (magic.some((byte, index) => bytes[index] !== byte)) {
    throw refuse(`provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`);
  }
  if (bytes.length === magic.length) throw refuse("empty body");
  let envelope: Envelope;
  try {
    envelope = readUnknown(bytes.subarray(magic.length));
  } catch (error) {
    throw error instanceof ProtobufError ? refuse(error.message) : error;
  }
  const what = kindOf(envelope, expected);
  const name = typeNameOf(what);
  const unreadable = (why: string): Error =>
    badRequest(
      `${what.kind} in version ${JSON.stringify(what.version)} cannot be handled as a ${expected?.kind ?? what.kind}: ${why}`,
    );
  if (name === undefined) {
    const groupVersion = what.group === "" ? what.version : `${what.group}/${what.version}`;
    throw unreadable(
      `no kind "${what.kind}" is registered for version "${groupVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    const fields = readMessage(tableType(name), envelope.raw);
    return {
      kind: what.kind,
      apiVersion: what.group === "" ? what.version : `${what.group}/${what.version}`,
      ...fields,
    };
  } catch (error) {
    throw error instanceof ProtobufError ? unreadable(error.message) : error;
  }
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** k8s.io.apimachinery.pkg.runtime.Unknown and its TypeMeta, with their parts as bytes. */
const unknownType = wireMessage("runtime.Unknown", ["typeMeta", "bytes"], ["raw", "bytes"]);
const typeMetaType = wireMessage("runtime.TypeMeta", ["apiVersion", "string"], ["kind", "string"]);

function readUnknown(bytes: Uint8Array): Envelope {
  const bytesOf = (value: unknown): Uint8Array => Buffer.from(typeof value === "string" ? value : "", "base64");
  const { typeMeta, raw } = readMessage(unknownType, bytes);
  const { apiVersion, kind } = readMessage(typeMetaType, bytesOf(typeMeta));
  return { apiVersion: String(apiVersion ?? ""), kind: String(kind ?? ""), raw: bytesOf(raw) };
}

function kindOf({ apiVersion, kind }: Envelope, expected: ExpectedKind | undefined): ExpectedKind {
  const slash = apiVersion.indexOf("/");
  return {
    group: apiVersion === "" ? (expected?.group ?? "") : apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion === "" ? (expected?.version ?? "") : apiVersion.slice(slash + 1),
    kind: kind === "" ? (expected?.kind ?? "") : kind,
  };
}

function unrecognized(expected: ExpectedKind | undefined): string {
  const must = expected === undefined ? "" : ` (must be of type ${expected.kind})`;
  return `the object provided is unrecognized${must}`;
}

/** The first bytes, as the real server shows them. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = Buffer.from(bytes.subarray(0, shownBytes));
  const text = bytes[0] === 0x7b ? shown.toString("utf8") : shown.toString("hex");
  return bytes.length > shownBytes ? `${text} ...` : text;
}
