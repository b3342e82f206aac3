import type { AnySchemaObject, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { printable } from "../observe/plain-text.ts";
import { jsonSchemaOf, type Schema } from "../resource/json-schema.ts";
import type { JsonObject } from "../wire/structural-schema.ts";

/**
 * A schema of a library that speaks Standard Schema and Standard JSON Schema, as defineResource takes it: zod from 4.2,
 * arktype, valibot.
 */
export interface BodySchema<In = unknown, Out = unknown> extends Schema<In, Out> {
  readonly "~standard": Schema<In, Out>["~standard"] & {
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
  };
}

type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Says whether a value is what a schema describes; a value that is not is told by the name of its field. */
export interface SchemaCheck<T> {
  check(value: unknown, ctx: { readonly clock: Clock }): Promise<Checked<T>>;
}

/** A pattern is matched against no longer string: V8's expressions can take time that is exponential in their input. */
const longestPatternInput = 1_024;
const longestReason = 300;

/**
 * JSON Schema 2020-12, or draft-07 where its `$schema` says so. Patterns match strings of at most 1 KiB; longer ones do
 * not match. `format` is not asserted, as the standard has it.
 */
export function jsonSchemaCheck(schema: JsonObject): SchemaCheck<unknown> {
  // Compiling takes milliseconds, and ajv itself 40 ms to load: at the first body.
  let compiled: Promise<ValidateFunction> | undefined;
  return {
    async check(value, { clock }) {
      compiled ??= clock.outside(compile(schema));
      const validate = await compiled;
      if (validate(value)) return { ok: true, value };
      return { ok: false, reason: reasonOf(validate.errors?.[0]) };
    },
  };
}

/**
 * Checks by the JSON Schema first, whose patterns are bounded, then by the library, whose output is what counts.
 *
 * @throws CodedError `InvalidSchema` for a schema without JSON Schema.
 */
export function standardSchemaCheck<T>(schema: BodySchema<unknown, T>): SchemaCheck<T> {
  const byJsonSchema = jsonSchemaCheck(jsonSchemaOf(schema, "the body of a webhook"));
  return {
    async check(value, ctx) {
      const bounded = await byJsonSchema.check(value, ctx);
      if (!bounded.ok) return bounded;
      const result = await ctx.clock.outside((async () => schema["~standard"].validate(value))());
      if (result.issues === undefined) return { ok: true, value: result.value };
      const [issue] = result.issues;
      const path = issue?.path?.map((part) => String(typeof part === "object" ? part.key : part)) ?? [];
      return { ok: false, reason: plain(fieldAt(path), issue?.message ?? "is not what the schema describes") };
    },
  };
}

async function compile(schema: JsonObject): Promise<ValidateFunction> {
  const draft7 = typeof schema.$schema === "string" && schema.$schema.includes("draft-07");
  const { default: ajvModule } = draft7 ? await import("ajv") : await import("ajv/dist/2020.js");
  const Ajv = ajvModule.default ?? ajvModule;
  const ajv = new Ajv({ strict: false, validateFormats: false, code: { regExp: boundedPattern }, logger: false });
  try {
    return ajv.compile(schema as AnySchemaObject);
  } catch (cause) {
    throw new CodedError(
      "InvalidSchema",
      `Cannot check a body: its JSON Schema cannot be compiled: ${messageOf(cause)}; correct the schema`,
      { cause },
    );
  }
}

/** What ajv asks of a regular expression. `code` names it in code that ajv could write out, which nobody does here. */
const boundedPattern = Object.assign(
  (pattern: string, flags: string): { test(text: string): boolean } => {
    const expression = new RegExp(pattern, flags);
    return { test: (text) => text.length <= longestPatternInput && expression.test(text) };
  },
  { code: "boundedPattern" },
);

function reasonOf(error: ErrorObject | undefined): string {
  if (error === undefined) return "the body is not what the schema describes";
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const extra: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  if (typeof extra === "string") return plain(fieldAt([...path, extra]), "is not known");
  const missing: unknown = error.params.missingProperty;
  if (typeof missing === "string") return plain(fieldAt([...path, missing]), "is missing");
  if (error.keyword === "pattern") return plain(fieldAt(path), "does not match its pattern, or is too long for one");
  return plain(fieldAt(path), error.message ?? "is not what the schema describes");
}

/** RFC 6901. */
function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function fieldAt(path: readonly string[]): string {
  return ["body", ...path].join(".");
}

/** A sender chooses the names in it: one line, of no great length. */
function plain(field: string, message: string): string {
  return printable(`${field} ${message}`).slice(0, longestReason);
}
