// What the tests of the environment share: a kind, and a controller that does its work in the API server alone.

import { type Controller, defineController, defineResource, type ObjectOf } from "farwatch";
import { z } from "zod";
import type { TestEnv } from "./test-env.ts";

export const Lamp = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Lamp",
  spec: z.object({ level: z.int().min(0).max(100) }),
  status: z.object({ level: z.int().optional(), by: z.string().optional() }),
});
export type Lamp = ObjectOf<typeof Lamp>;

export const keyOf = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: "default",
  name,
});

/** Sets each lamp to the level of its spec, and says who did it. */
export function lampController({ by = "nobody" }: { readonly by?: string } = {}): Controller {
  return defineController({
    for: Lamp,
    async reconcile(request, { client, signal }) {
      const lamp = await client.find(Lamp, request, { signal });
      if (lamp === undefined || lamp.status?.level === lamp.spec.level) return;
      await client.patchStatus(lamp, { level: lamp.spec.level, by }, { signal });
    },
  });
}

export async function createLamp({ client }: Pick<TestEnv, "client">, name: string, level: number): Promise<Lamp> {
  return client.create(Lamp, { metadata: keyOf(name), spec: { level } });
}

/** The level that the lamp has been set to. */
export async function levelOf({ client }: Pick<TestEnv, "client">, name: string): Promise<number | undefined> {
  return (await client.get(Lamp, keyOf(name))).status?.level;
}
