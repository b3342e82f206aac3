#!/usr/bin/env node
import { createProgram } from "./command/program.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  // Errors of ours are sentences that say what to do; anything else is a fault whose stack matters.
  const known = error instanceof Error && ("code" in error || error.name === "InvalidAllowEndpoint");
  process.stderr.write(`storage-bucket: ${known ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = 1;
}
