import { Buffer } from "node:buffer";
import { type Instant, parseTime } from "../clock/instant.ts";
import type { JsonObject } from "../wire/structural-schema.ts";
import {
  type BodyEvent,
  type BodyFormat,
  type BodyReading,
  isJson,
  isUtf8,
  isUtf8Name,
  readContentType,
} from "./body-format.ts";
import { checkOf } from "./json-body.ts";
import { readJson } from "./json-text.ts";
import type { BodySchema } from "./schema-check.ts";

/** A CloudEvent (CloudEvents 1.0.2). Its identity is `source` and `id` together. */
export interface CloudEvent<D> {
  readonly id: string;
  readonly source: string;
  readonly specversion: "1.0";
  readonly type: string;
  readonly subject?: string | undefined;
  /** RFC 3339. */
  readonly time?: string | undefined;
  readonly dataschema?: string | undefined;
  readonly datacontenttype?: string | undefined;
  /** Attributes beyond the standard's, by name. */
  readonly extensions: ReadonlyMap<string, string | number | boolean>;
  /** JSON as a value; other text in UTF-8 as a string, other data as bytes; undefined for an event without. */
  readonly data: D;
}

type Attributes = ReadonlyMap<string, string | number | boolean>;

/** What an event is made of, before its attributes are looked at; or what is wrong with it. */
type Parts =
  | { readonly ok: true; readonly attributes: Attributes; readonly data: unknown }
  | { readonly ok: false; readonly reason: string };

const structured = "application/cloudevents+json";
const batch = "application/cloudevents-batch+json";
const ownAttributes = new Set([
  "id",
  "source",
  "specversion",
  "type",
  "subject",
  "time",
  "dataschema",
  "datacontenttype",
]);
const ownMembers = new Set(["data", "data_base64"]);
/** Control characters, noncharacters and lone surrogates (CloudEvents 1.0.2, type system, String). */
const noText = /[\p{Control}\p{Noncharacter_Code_Point}\p{Surrogate}]/u;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * CloudEvents 1.0 in the three modes of its HTTP binding: structured, batch, where every event of it counts or none
 * does, and binary. With a schema, as `jsonBody` takes it, the data of each event is checked. Two events of one source
 * and id, by one sender, are one.
 *
 * Behind a signature of the body alone (GitHub's, Stripe's) binary events are refused: their attributes are headers,
 * which anybody may have written.
 *
 * @throws CodedError `InvalidSchema` for a Standard Schema that has no JSON Schema.
 */
export function cloudEventsBody(): BodyFormat<CloudEvent<unknown>>;
export function cloudEventsBody<In, Out>(data: BodySchema<In, Out>): BodyFormat<CloudEvent<Out>>;
export function cloudEventsBody(data: JsonObject): BodyFormat<CloudEvent<unknown>>;
export function cloudEventsBody(schema?: BodySchema | JsonObject): BodyFormat<CloudEvent<unknown>> {
  const check = schema === undefined ? undefined : checkOf(schema);
  return {
    accepts(mediaType, headers) {
      if (!isUtf8(headers)) return false;
      // A type that cannot be read, or two of them, may be structured for another server.
      if (mediaType === "" && headers.has("content-type")) return false;
      // Formats that we do not read must not look like binary mode.
      return !mediaType.startsWith("application/cloudevents") || mediaType === structured || mediaType === batch;
    },
    expects: `${structured} or ${batch} in UTF-8, or binary CloudEvents`,
    async read({ headers }, bytes, { clock, covers }): Promise<BodyReading<CloudEvent<unknown>>> {
      const { mediaType } = readContentType(headers.get("content-type"));
      const isBinary = mediaType !== structured && mediaType !== batch;
      if (isBinary && covers === "body") {
        return { type: "malformed", reason: "the signature does not cover ce- headers, send structured CloudEvents" };
      }
      const all = isBinary ? [binaryParts(headers, bytes)] : jsonParts(mediaType, bytes);
      if (typeof all === "string") return { type: "malformed", reason: all };
      const events: BodyEvent<CloudEvent<unknown>>[] = [];
      for (const [index, parts] of all.entries()) {
        const malformed = (reason: string): BodyReading<never> => ({
          type: "malformed",
          reason: mediaType === batch ? `event ${index}: ${reason}` : reason,
        });
        if (!parts.ok) return malformed(parts.reason);
        const wrong = wrongAttribute(parts.attributes);
        if (wrong !== undefined) return malformed(wrong);
        const checked = (await check?.check(parts.data, { clock })) ?? { ok: true, value: parts.data };
        if (!checked.ok) return malformed(checked.reason.replace(/^body/, "data"));
        events.push(eventOf(parts.attributes, checked.value));
      }
      return { type: "events", events };
    },
  };
}

function refused(reason: string): Parts {
  return { ok: false, reason };
}

/** The parts of each event; or why there is none. */
function jsonParts(mediaType: string, bytes: Uint8Array): readonly Parts[] | string {
  const json = readJson(bytes);
  if (!json.ok) return json.reason;
  if (mediaType === structured) return [structuredParts(json.value)];
  return Array.isArray(json.value) ? json.value.map(structuredParts) : "a batch is an array of CloudEvents";
}

/** JSON event format, 2 and 3. */
function structuredParts(value: unknown): Parts {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refused("a CloudEvent is a JSON object");
  }
  const attributes = new Map<string, string | number | boolean>();
  const members = new Map<string, unknown>(Object.entries(value));
  for (const [name, member] of members) {
    // null says that there is no such attribute.
    if (ownMembers.has(name) || member === null) continue;
    if (typeof member !== "string" && typeof member !== "boolean" && !isInteger(member)) {
      return refused(`${shown(name)} is neither a string, a boolean nor an integer of 32 bits`);
    }
    attributes.set(name, member);
  }
  const base64 = members.get("data_base64") ?? undefined;
  if (base64 === undefined) return { ok: true, attributes, data: members.get("data") };
  if (members.has("data")) return refused("data and data_base64 exclude each other");
  if (typeof base64 !== "string" || !isBase64(base64)) return refused("data_base64 is no base64");
  return withBody(attributes, Buffer.from(base64, "base64"));
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 31 - 1;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** HTTP binding, 3.1: attributes are headers, the body is the data. */
function binaryParts(headers: ReadonlyMap<string, string>, bytes: Uint8Array): Parts {
  const attributes = new Map<string, string | number | boolean>();
  for (const [header, text] of headers) {
    if (!header.startsWith("ce-")) continue;
    const name = header.slice(3);
    // Content-Type says it; two that differ would leave open what the data is.
    if (name === "datacontenttype") return refused("ce-datacontenttype must not be there, Content-Type says it");
    const value = headerValue(text);
    if (value === undefined) return refused(`${shown(header)} is not percent-encoded`);
    attributes.set(name, value);
  }
  const type = headers.get("content-type");
  if (type !== undefined) attributes.set("datacontenttype", type);
  return withBody(attributes, bytes);
}

/** HTTP binding, 3.1.3.2: perhaps in double quotes, then percent-encoded UTF-8. */
function headerValue(text: string): string | undefined {
  const bare = /^".*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text;
  try {
    return decodeURIComponent(bare);
  } catch {
    return undefined;
  }
}

function withBody(attributes: Attributes, bytes: Uint8Array): Parts {
  if (bytes.length === 0) return { ok: true, attributes, data: undefined };
  const { mediaType, charset } = readContentType(String(attributes.get("datacontenttype") ?? "application/json"));
  if (isJson(mediaType)) {
    const json = readJson(bytes);
    return json.ok ? { ok: true, attributes, data: json.value } : refused(`data: ${json.reason}`);
  }
  if (!mediaType.startsWith("text/") || !isUtf8Name(charset)) return { ok: true, attributes, data: bytes };
  try {
    return { ok: true, attributes, data: decoder.decode(bytes) };
  } catch {
    return refused("data: it is no UTF-8");
  }
}

/** Says what is wrong with the first attribute that is (CloudEvents 1.0.2, 3.1). */
function wrongAttribute(attributes: Attributes): string | undefined {
  for (const name of ["specversion", "id", "source", "type"]) {
    const value = attributes.get(name);
    if (value === undefined) return `${name} is missing`;
    if (value === "") return `${name} is empty`;
  }
  for (const [name, value] of attributes) {
    if (!/^[a-z0-9]+$/.test(name)) return `${shown(name)} is no name of an attribute: lower-case letters and digits`;
    if (typeof value === "string" && noText.test(value)) return `${name} has a character that text may not have`;
    if (!ownAttributes.has(name)) continue;
    if (typeof value !== "string") return `${name} is no string`;
    if (value === "") return `${name} is empty`;
  }
  if (attributes.get("specversion") !== "1.0") return "specversion is not 1.0";
  const time = attributes.get("time");
  if (time !== undefined && readTime(String(time)) === undefined) return "time is no RFC 3339 time";
  return undefined;
}

/** RFC 3339 allows lower case for its two letters. */
function readTime(text: string): Instant | undefined {
  return parseTime(text.toUpperCase());
}

function eventOf(attributes: Attributes, data: unknown): BodyEvent<CloudEvent<unknown>> {
  const text = (name: string): string | undefined => {
    const value = attributes.get(name);
    return value === undefined ? undefined : String(value);
  };
  const [id = "", source = "", time] = [text("id"), text("source"), text("time")];
  const body: CloudEvent<unknown> = {
    id,
    source,
    specversion: "1.0",
    type: text("type") ?? "",
    subject: text("subject"),
    time,
    dataschema: text("dataschema"),
    datacontenttype: text("datacontenttype"),
    extensions: new Map([...attributes].filter(([name]) => !ownAttributes.has(name))),
    data,
  };
  // As JSON: no source and id run into each other.
  return { body, id: JSON.stringify([source, id]), occurredAt: time === undefined ? undefined : readTime(time) };
}

/** A sender chooses names: short, and without what a terminal obeys. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
