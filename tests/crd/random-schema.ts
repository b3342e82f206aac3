import fc from "fast-check";
import { z } from "zod";

/** A schema, and a value that it takes. */
export interface SchemaAndValue {
  readonly schema: z.ZodType;
  readonly value: unknown;
}

type Arbitrary = fc.Arbitrary<SchemaAndValue>;

const of = (schema: z.ZodType, values: fc.Arbitrary<unknown>): Arbitrary => values.map((value) => ({ schema, value }));
const small = fc.integer({ min: 0, max: 20 });

const scalar: Arbitrary = fc.oneof(
  of(z.string(), fc.string()),
  of(z.string().min(1).max(8), fc.string({ minLength: 1, maxLength: 4 })),
  of(z.string().regex(/^[a-z]+$/), fc.stringMatching(/^[a-z]{1,5}$/)),
  of(z.iso.datetime(), fc.constant("2030-01-01T00:00:00.000Z")),
  of(z.uuid(), fc.uuid({ version: 4 })),
  of(z.int(), fc.integer()),
  of(z.int().min(3).max(9), fc.integer({ min: 3, max: 9 })),
  of(z.number().gt(0), fc.constantFrom(0.5, 1, 7.25)),
  of(z.int32(), fc.integer()),
  of(z.boolean(), fc.boolean()),
  of(z.enum(["a", "b", "on", "null"]), fc.constantFrom("a", "b", "on", "null")),
  of(z.literal([1, 2, 3]), fc.constantFrom(1, 2, 3)),
  of(z.union([z.int().min(1), z.string().min(1)]), fc.constantFrom(1, 80, "http")),
  of(z.union([z.literal("auto"), z.int()]), fc.constantFrom("auto", 3)),
  of(z.union([z.ipv4(), z.literal("any")]), fc.constantFrom("10.0.0.1", "any")),
  of(z.unknown(), fc.constantFrom({ a: [1, null] }, [1, "x"], "x", 1)),
);

const names = ["a", "b-c", "d.e", "namespace", "x_y", "type", "metadata", "in", "é"];

function objectOf(inner: Arbitrary): Arbitrary {
  const field = fc.record({ of: inner, optional: fc.boolean(), present: fc.boolean(), nullable: fc.boolean() });
  return fc
    .tuple(
      fc.constantFrom("plain", "strict", "loose"),
      fc.dictionary(fc.constantFrom(...names), field, { maxKeys: 4, noNullPrototype: true }),
    )
    .map(([kind, fields]) => {
      const shape: Record<string, z.ZodType> = {};
      const value: Record<string, unknown> = {};
      for (const [name, { of: each, optional, present, nullable }] of Object.entries(fields)) {
        const schema = nullable ? each.schema.nullable() : each.schema;
        shape[name] = optional ? schema.optional() : schema;
        if (!optional || present) value[name] = nullable && !present ? null : each.value;
      }
      const schema =
        kind === "strict" ? z.strictObject(shape) : kind === "loose" ? z.looseObject(shape) : z.object(shape);
      return { schema, value };
    });
}

function defaulted(inner: Arbitrary): Arbitrary {
  return inner.map(({ schema, value }) => ({ schema: z.object({ d: schema.default(value) }).prefault({}), value: {} }));
}

function unionOf(inner: Arbitrary): Arbitrary {
  return fc.tuple(inner, inner, fc.boolean(), fc.boolean()).map(([left, right, optional, takesLeft]) => {
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("left"), l: z.object({ v: left.schema }) }),
      z.object({
        kind: z.literal(["right", "other"]),
        r: optional ? z.object({ v: right.schema }).optional() : z.object({ v: right.schema }),
      }),
    ]);
    return {
      schema,
      value: takesLeft ? { kind: "left", l: { v: left.value } } : { kind: "other", r: { v: right.value } },
    };
  });
}

function listOf(inner: Arbitrary): Arbitrary {
  return fc.tuple(inner, small).map(([{ schema, value }, size]) => ({
    schema: z.array(schema).max(20),
    value: Array.from({ length: size % 3 }, () => value),
  }));
}

function recordOf(inner: Arbitrary): Arbitrary {
  return inner.map(({ schema, value }) => ({ schema: z.record(z.string(), schema), value: { "k/1": value } }));
}

/** Schemas of the kinds that defineResource takes, three levels deep, each with a value that it takes. */
export const randomSpec: Arbitrary = fc.letrec<{ any: SchemaAndValue; spec: SchemaAndValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    objectOf(tie("any")),
    listOf(tie("any")),
    recordOf(tie("any")),
    unionOf(tie("any")),
    defaulted(scalar),
  ),
  spec: objectOf(tie("any")),
})).spec;
