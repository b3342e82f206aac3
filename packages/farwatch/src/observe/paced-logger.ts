import type { Clock } from "../clock/clock.ts";
import type { LogFields, Logger } from "./logger.ts";

/** How long a message is left out after it was written. */
const pauseMs = 60_000;

/**
 * A logger for what strangers can cause as often as they like: it writes each message at once, and the same one again
 * after a minute at the earliest, with `leftOut`, how often it was not written in between. A child has its own pace.
 */
export function pacedLogger(log: Logger, clock: Clock): Logger {
  // Messages are constant, so that these are few.
  const written = new Map<string, { readonly atMs: number; leftOut: number }>();
  const paced =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields?: LogFields): void => {
      const last = written.get(`${level} ${message}`);
      const nowMs = clock.elapsed();
      if (last !== undefined && nowMs - last.atMs < pauseMs) {
        last.leftOut += 1;
        return;
      }
      written.set(`${level} ${message}`, { atMs: nowMs, leftOut: 0 });
      const { leftOut = 0 } = last ?? {};
      log[level](message, leftOut === 0 ? fields : { ...fields, leftOut });
    };
  return {
    debug: paced("debug"),
    info: paced("info"),
    warn: paced("warn"),
    error: paced("error"),
    child: (fields) => pacedLogger(log.child(fields), clock),
  };
}
