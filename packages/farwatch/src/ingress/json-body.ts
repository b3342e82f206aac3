import type { JsonObject } from "../wire/structural-schema.ts";
import { type BodyFormat, isJson, isUtf8 } from "./body-format.ts";
import { readJson } from "./json-text.ts";
import { type BodySchema, jsonSchemaCheck, type SchemaCheck, standardSchemaCheck } from "./schema-check.ts";

/**
 * A body of JSON in UTF-8, at most 64 deep and of at most 10,000 members, which is one event. With a schema it is
 * checked: a Standard Schema as defineResource takes it, whose output is then the event's body, or a JSON Schema
 * (2020-12, or draft-07 where `$schema` says so; `format` is not asserted). Patterns match strings of at most 1 KiB.
 *
 * @throws CodedError `InvalidSchema` for a Standard Schema that has no JSON Schema.
 */
export function jsonBody(): BodyFormat<unknown>;
export function jsonBody<In, Out>(schema: BodySchema<In, Out>): BodyFormat<Out>;
export function jsonBody(schema: JsonObject): BodyFormat<unknown>;
export function jsonBody(schema?: BodySchema | JsonObject): BodyFormat<unknown> {
  const check = schema === undefined ? undefined : checkOf(schema);
  return {
    accepts: (mediaType, headers) => isJson(mediaType) && isUtf8(headers),
    expects: "application/json in UTF-8",
    async read(_request, bytes, ctx) {
      const json = readJson(bytes);
      if (!json.ok) return { type: "malformed", reason: json.reason };
      if (check === undefined) return { type: "events", events: [{ body: json.value }] };
      const checked = await check.check(json.value, ctx);
      if (!checked.ok) return { type: "malformed", reason: checked.reason };
      return { type: "events", events: [{ body: checked.value }] };
    },
  };
}

export function checkOf(schema: BodySchema | JsonObject): SchemaCheck<unknown> {
  return "~standard" in schema ? standardSchemaCheck(schema as BodySchema) : jsonSchemaCheck(schema);
}
