import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { CodedError } from "../error/coded-error.ts";
import { createManager } from "../manager/create-manager.ts";
import type { Manager, ManagerOptions } from "../manager/manager.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createRecordingLogger, type LogLine } from "./recording-logger.ts";
import { createScriptedCluster, type ScriptedCluster } from "./scripted-cluster.fixture.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** A manager on a virtual clock and a scripted cluster, with what it logged. */
export interface ScriptedManager {
  readonly clock: VirtualClock;
  readonly cluster: ScriptedCluster;
  readonly manager: Manager;
  readonly lines: readonly LogLine[];
  /** Asks the manager to stop. */
  readonly stop: AbortController;
  /** Starts it, and resolves when nothing more happens without time moving. */
  start(): Promise<void>;
  /** How `manager.start` ended: undefined while it has not. */
  ended(): { readonly error?: unknown } | undefined;
  /** Stops it and gives it a minute. Rejects with what `manager.start` rejects with, or when that has not ended. */
  stopped(): Promise<void>;
}

export function createScriptedManager(options: ManagerOptions = {}): ScriptedManager {
  const clock = createVirtualClock();
  const cluster = createScriptedCluster(clock);
  const client = createClient({ config: staticConfig({ server: "https://api" }), transport: cluster.transport, clock });
  const log = createRecordingLogger();
  const manager = createManager({ client, clock, log, metrics: createMetrics(), ...options });
  const stop = new AbortController();
  let ended: { readonly error?: unknown } | undefined;
  return {
    clock,
    cluster,
    manager,
    lines: log.lines,
    stop,
    async start(): Promise<void> {
      manager.start({ signal: stop.signal }).then(
        () => {
          ended = {};
        },
        (error: unknown) => {
          ended = { error };
        },
      );
      await clock.settle();
    },
    ended: () => ended,
    async stopped(): Promise<void> {
      stop.abort();
      await clock.advance("1m");
      if (ended === undefined)
        throw new CodedError("ShutdownTimeout", "Cannot go on: the manager has not stopped in a minute");
      if (ended.error !== undefined) throw ended.error;
    },
  };
}
