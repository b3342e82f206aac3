#!/usr/bin/env node
import { shutdownSignal } from "farwatch";
import { runProgram } from "./command/program.ts";

process.exitCode = await runProgram(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  signal: shutdownSignal(),
});
