#!/usr/bin/env node
const needed = 24;
// Imported below: an older Node stumbles over the syntax of what it would load first.
if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(`farwatch-apiserver needs Node ${needed}, and this is Node ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  const [{ shutdownSignal }, { runProgram }] = await Promise.all([import("farwatch"), import("./command/program.ts")]);
  process.exitCode = await runProgram(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    signal: shutdownSignal(),
  });
}
