import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { http1, http2, listen, pem } from "./loopback-servers.fixture.ts";

/** Runs a program with a transport in a process of its own, and gives what it printed when it has ended by itself. */
async function run(program: string): Promise<string> {
  const module = new URL("http-transport.ts", import.meta.url).href;
  const source = `import { createHttpTransport } from ${JSON.stringify(module)};\n${program}`;
  const args = ["--conditions=farwatch-source", "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim();
}

const askBoth = (plain: string, secure: string): string => `
  const transport = createHttpTransport();
  const tls = { ca: ${JSON.stringify(pem("ca"))} };
  for (const url of ["http://${plain}/", "https://${secure}/"]) {
    const response = await transport.request({ method: "GET", url, tls });
    for await (const chunk of response.body) process.stdout.write(chunk);
  }`;

test("http transport keeps no process alive with connections that are idle, and no handle once disposed", async () => {
  await using plain = await listen(http1((_request, response) => response.end("a")));
  await using secure = await listen(http2().on("request", (_request, response) => response.end("b")));
  const ask = askBoth(plain.host, secure.host);
  const resources = "process.getActiveResourcesInfo().filter((name) => /TCP|TLS|HTTP|DNS|ADDR|Timeout/i.test(name))";
  const [forgotten, disposed] = await Promise.all([
    run(ask),
    run(`${ask}
      await transport[Symbol.asyncDispose]();
      process.stdout.write(JSON.stringify(${resources}));`),
  ]);
  assert.equal(forgotten, "ab");
  assert.equal(disposed, "ab[]");
  await Promise.all([plain.open(0), secure.open(0)]);
});
