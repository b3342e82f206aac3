import { createRequire } from "node:module";
import type { Clock } from "../clock/clock.ts";
import { systemClock } from "../clock/system-clock.ts";
import { describeError } from "./describe-error.ts";
import type { LogFields, Logger } from "./logger.ts";
import { redact, redactText } from "./redact.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface PinoLoggerOptions {
  /** Less important messages are not written; default `info`. */
  readonly level?: LogLevel | undefined;
  /** Gives the `time` of each line; default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Takes each line, its line end included; default: standard output, whose failures are outlived. */
  readonly destination?: { write(line: string): void } | undefined;
}

/** Of lines that standard output does not take now. */
const waitingBytes = 1_048_576;

/** Names that a line has of its own; a field of that name gets a dash behind it. */
const reserved: ReadonlySet<string> = new Set(["level", "time", "msg"]);

/**
 * A Logger that writes one JSON object a line, with `level`, `time` (RFC 3339), `msg` and the fields. An error under
 * any name is written with its code, its message, its stack and its causes. Fields are written as {@link redact} leaves
 * them. Loads pino when called.
 */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger {
  const require = createRequire(import.meta.url);
  const { pino } = require("pino") as typeof import("pino");
  const clock = options.clock ?? systemClock;
  const sink = pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: () => `,"time":${JSON.stringify(clock.now())}`,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? standardOutput(pino),
  );

  const loggerWith = (inherited: LogFields): Logger => {
    const write = (level: LogLevel, message: string, fields: LogFields | undefined): void => {
      if (sink.isLevelEnabled(level)) sink[level]({ ...inherited, ...safe(fields) }, redactText(message));
    };
    return {
      debug: (message, fields) => write("debug", message, fields),
      info: (message, fields) => write("info", message, fields),
      warn: (message, fields) => write("warn", message, fields),
      error: (message, fields) => write("error", message, fields),
      child: (fields) => loggerWith({ ...inherited, ...safe(fields) }),
    };
  };
  return loggerWith({});
}

/**
 * A disk that is full, or a pipe that nobody reads, does not end the program: lines wait for room, and those beyond the
 * limit go.
 */
function standardOutput({ destination }: typeof import("pino").pino): { write(line: string): void } {
  const output = destination({ dest: 1, sync: true, maxLength: waitingBytes });
  // There is no place left to tell of it.
  output.on("error", () => {});
  return output;
}

function safe(fields: LogFields | undefined): LogFields {
  if (fields === undefined) return {};
  const { error, ...rest } = fields;
  const copied = redact(error === undefined ? rest : { ...rest, error: describeError(error) }) as LogFields;
  return Object.fromEntries(
    Object.entries(copied).map(([name, value]) => [reserved.has(name) ? `${name}-` : name, value]),
  );
}
