/** Named values beside a log message; never a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A constant message and fields. `error` fields under the key `error` take the thrown value itself. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each message. */
  child(fields: LogFields): Logger;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};

/** The child of a logger, made when it is first asked to say something: most of those that are at hand never are. */
export function lateChild(log: Logger, fields: LogFields): Logger {
  let made: Logger | undefined;
  const own = (): Logger => {
    made ??= log.child(fields);
    return made;
  };
  return {
    debug: (message, more) => own().debug(message, more),
    info: (message, more) => own().info(message, more),
    warn: (message, more) => own().warn(message, more),
    error: (message, more) => own().error(message, more),
    child: (more) => own().child(more),
  };
}
