import { defineResource } from "farwatch";
import { z } from "zod";

/** What a push to a repository is about. */
export const Repository = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Repository",
  spec: z.object({ url: z.string() }),
  status: z.object({ fetched: z.int().optional() }),
});
