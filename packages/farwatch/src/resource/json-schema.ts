import { CodedError, messageOf } from "../error/coded-error.ts";
import type { JsonObject } from "../wire/structural-schema.ts";

interface JsonSchemaOptions {
  readonly target: "draft-2020-12" | "draft-07" | "openapi-3.0";
  readonly libraryOptions?: Record<string, unknown>;
}

/**
 * A schema of any library that speaks Standard Schema and Standard JSON Schema: zod from 4.2, arktype from 2.1.28,
 * valibot through `toStandardJsonSchema` of @valibot/to-json-schema.
 */
export interface Schema<In = unknown, Out = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
    readonly jsonSchema: { readonly input: (options: JsonSchemaOptions) => Record<string, unknown> };
  };
}

/** What a schema takes. */
export type SchemaInput<S> = S extends Schema<infer In, unknown> ? In : never;

/**
 * What the server gives for a schema: its output, so that what has a default is there; but where the output is of
 * another type than the input (a transform, a codec), the input, since nothing transforms an object on its way.
 */
export type SchemaObject<S> = S extends Schema<infer In, infer Out> ? Stored<In, Out> : never;

type Stored<In, Out> = Out extends In
  ? Out
  : Out extends readonly (infer OutItem)[]
    ? NonNullable<In> extends readonly (infer InItem)[]
      ? readonly Stored<InItem, OutItem>[]
      : In
    : Out extends object
      ? NonNullable<In> extends object
        ? { [K in keyof Out]: K extends keyof NonNullable<In> ? Stored<NonNullable<In>[K], Out[K]> : Out[K] }
        : In
      : In;

/** Stands in a JSON Schema where the library has none; its value is the library's message. */
export const unrepresentable = "x-farwatch-unrepresentable";

/**
 * Newer drafts come first: OpenAPI 3.0 has no word for a tuple or for the names of a map's keys, and libraries drop
 * both there without a sound.
 */
const targets = ["draft-2020-12", "draft-07", "openapi-3.0"] as const;

/**
 * The JSON Schema of what the schema takes.
 *
 * @throws CodedError `InvalidSchema` when the library has none.
 */
export function jsonSchemaOf(schema: Schema, what: string): JsonObject {
  const standard: Partial<Schema["~standard"]> | undefined = schema?.["~standard"];
  const input = standard?.jsonSchema?.input;
  if (typeof input !== "function") {
    throw new CodedError(
      "InvalidSchema",
      `Cannot define ${what}: it has no Standard JSON Schema, give a schema of zod 4.2 or later, of arktype 2.1.28 or later, or of valibot through toStandardJsonSchema`,
    );
  }
  if (isArktype(schema)) return schema.toJsonSchema({ fallback: markUnrepresentable });
  let failure: unknown;
  for (const target of targets) {
    try {
      return input({ target });
    } catch (error) {
      failure ??= error;
    }
  }
  if (standard?.vendor === "zod") {
    // Only when it goes on past what it cannot say does the pass that follows learn where that was.
    const unrepresentableAs = ({ message }: { readonly message: string }): object => ({ [unrepresentable]: message });
    try {
      return input({ target: targets[0], libraryOptions: { unrepresentable: unrepresentableAs } });
    } catch {
      // The first failure says it better.
    }
  }
  throw new CodedError("InvalidSchema", `Cannot define ${what}: ${messageOf(failure)}`, { cause: failure });
}

interface ArktypeFallback {
  readonly code: string;
  readonly base: JsonObject;
}

/** Its standard form drops defaults and takes anything where it has no JSON Schema; its own form says both. */
interface ArktypeSchema extends Schema {
  toJsonSchema(options: { readonly fallback: (context: ArktypeFallback) => JsonObject }): JsonObject;
}

function isArktype(schema: Schema): schema is ArktypeSchema {
  return (
    schema["~standard"].vendor === "arktype" && typeof (schema as Partial<ArktypeSchema>).toJsonSchema === "function"
  );
}

/** What a narrowing or a morph is made from has a JSON Schema all the same. */
function markUnrepresentable({ code, base }: ArktypeFallback): JsonObject {
  return ["defaultValue", "morph", "predicate"].includes(code)
    ? base
    : { ...base, [unrepresentable]: `arktype: ${code}` };
}
