/** The options of the commands in here: what is wrong with them is said with what there is, and the command exits 2. */
import { constants } from "node:os";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

export interface Command<O extends ParseArgsOptionsConfig> {
  /** As it is called: `npm run simulate`. */
  readonly name: string;
  /** Printed for `--help`, and after what is wrong. */
  readonly usage: string;
  readonly options: O;
  /** What positional arguments there may be; default: none. */
  readonly positionals?: readonly string[] | "any";
}

/**
 * Reads this process's arguments. `--help` prints the usage and exits 0; what is no option, or has no value, exits 2. From here on the process
 * ends, as SIGPIPE would end it, when whoever reads its output has had enough, such as `head`.
 */
export function readCommandLine<O extends ParseArgsOptionsConfig>(
  { name, usage, options, positionals: known = [] }: Command<O>,
  args: readonly string[] = process.argv.slice(2),
): Omit<ReturnType<typeof parse<O>>, "tokens"> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(128 + constants.signals.SIGPIPE);
  });
  const parsed = parsedOr(() => parse(options, args), { name, usage });
  if ((parsed.values as { readonly help?: boolean }).help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  for (const positional of parsed.positionals) {
    if (known !== "any" && !known.includes(positional)) refuse({ name, usage }, `there is no ${positional}`);
  }
  return parsed;
}

type Named = Pick<Command<ParseArgsOptionsConfig>, "name" | "usage">;

/** Ends the process with what is wrong and what there is. */
export function refuse({ name, usage }: Named, why: string): never {
  process.stderr.write(`${name}: ${why}\n\n${usage}`);
  process.exit(2);
}

/** The value of an option that takes a whole number. */
export function wholeNumber(
  command: Named,
  option: string,
  { text, least = 0 }: { text: string; least?: number },
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  return refuse(command, `--${option} takes a whole number from ${least}, and not ${JSON.stringify(text)}`);
}

/** The value of an option that takes one of some words. */
export function oneOf<T extends string>(
  command: Named,
  option: string,
  { text, words }: { readonly text: string; readonly words: readonly T[] },
): T {
  const found = words.find((word) => word === text);
  return found ?? refuse(command, `--${option} takes ${words.join(", ")}, and not ${JSON.stringify(text)}`);
}

function parse<O extends ParseArgsOptionsConfig>(options: O, args: readonly string[]) {
  const all = { ...options, help: { type: "boolean", short: "h", default: false } } as const;
  return parseArgs({ args: [...args], options: all, allowPositionals: true });
}

function parsedOr<T>(read: () => T, command: Named): T {
  try {
    return read();
  } catch (error) {
    const { code = "", message } = error as { readonly code?: string; readonly message: string };
    if (!code.startsWith("ERR_PARSE_ARGS_")) throw error;
    return refuse(command, message);
  }
}
