import { defineResource, type ObjectOf } from "farwatch";
import { z } from "zod";

/** A kind with a status, in a group of the suite's own, so that suites on one server never meet. */
export function lampKind(suite: string) {
  return defineResource({
    group: `${suite}.e2e.farwatch.dev`,
    version: "v1",
    kind: "Lamp",
    spec: z.object({
      /** What its reconcile does; see programs/lamp-operator.ts. */
      mode: z.enum(["blink", "hold", "linger", "beacon"]).default("blink"),
      level: z.int().optional(),
    }),
    status: z.object({
      writer: z.string().optional(),
      count: z.int().optional(),
      lastWords: z.string().optional(),
    }),
  });
}

export type LampObject = ObjectOf<ReturnType<typeof lampKind>>;
