/** The exit code that a shell gives a process that a signal ended. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * A signal that SIGTERM or SIGINT aborts; the second one ends the process at once. Also works as PID 1, where the
 * kernel's default does nothing.
 */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCodes[name]);
      controller.abort(new DOMException(`${name} received`, "AbortError"));
    });
  }
  return controller.signal;
}
