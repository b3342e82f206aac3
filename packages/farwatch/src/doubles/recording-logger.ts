import type { LogFields, Logger } from "../observe/logger.ts";

/** One message of a log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** Those of the loggers that it is a child of included. */
  readonly fields: LogFields;
}

/** A Logger that keeps what it and its children are told. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[];
}

export function createRecordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  return { ...recorder(lines, {}), lines };
}

function recorder(lines: LogLine[], inherited: LogFields): Logger {
  const at = (level: LogLine["level"]) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields: { ...inherited, ...fields } });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recorder(lines, { ...inherited, ...fields }),
  };
}
