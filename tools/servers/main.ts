/**
 * `npm run servers`: installs what the suites on real brokers run on, and skips what is there. As root it uses apt; services are
 * not started. Exits 1 when something could not be installed, after it has tried the rest.
 */
import { messageOf, systemClock } from "farwatch";
import { readCommandLine } from "../../tests/command-line.ts";
import { installers } from "./installers.ts";

const usage = `Usage: npm run servers

Installs what the suites on real brokers run on, and skips what is there: ${installers.map(({ name }) => name).join(", ")}.
As root it uses apt; services are not started. Exits 1 when something could not be installed, after it has tried the rest.
`;
readCommandLine({ name: "npm run servers", usage, options: {} });

for (const { name, does, isThere, install } of installers) {
  const startMs = systemClock.elapsed();
  const say = (text: string): void => console.log(`${name.padEnd(12)}${text}`);
  try {
    if (await isThere()) {
      say("is there");
      continue;
    }
    say(does);
    await install(say);
    if (!(await isThere())) throw new Error("it was installed, and cannot be found all the same");
    say(`installed in ${Math.round((systemClock.elapsed() - startMs) / 1_000)} s`);
  } catch (error) {
    say(`failed: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
