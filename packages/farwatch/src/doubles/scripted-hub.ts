import type { Client } from "../client/client.ts";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createIngress, type IngressRouter } from "../ingress/create-ingress.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { SourceContext } from "../source/source.ts";
import { createSourceHub, type SourceHub, type SourceHubOptions } from "../source/source-hub.ts";
import { createScriptedCache } from "./scripted-cache.ts";
import { createScriptedTransport } from "./scripted-transport.ts";

/** A hub as a manager has it, with what it gives to sources. */
export interface ScriptedHub extends SourceHub {
  /** Requests go in here: `ingress.answer`. */
  readonly ingress: IngressRouter;
  /** What the stream of a source of this name is given; default `scripted`. */
  context(signal: AbortSignal, name?: string): SourceContext;
}

/**
 * For tests of sources: what is not given is a double of its own. Without a client the API server cannot be reached.
 */
export function createScriptedHub(
  options: Pick<SourceHubOptions, "clock"> & Partial<Omit<SourceHubOptions, "ingress">>,
): ScriptedHub {
  const { clock, cache = createScriptedCache(), log = silentLogger, client = unreachable(clock) } = options;
  const { metrics = createMetrics() } = options;
  const ingress = createIngress();
  const hub = createSourceHub({ ...options, metrics, cache, log, client, ingress });
  return {
    ingress,
    context: (signal, name = "scripted") => ({
      name,
      signal,
      clock,
      cache,
      log,
      client,
      ingress,
      metrics,
      health: { failing() {}, serving() {}, blocked() {} },
    }),
    subscribe: (source, watch) => hub.subscribe(source, watch),
    open: (scope, signal) => hub.open(scope, signal),
    sample: () => hub.sample(),
    get closing() {
      return hub.closing;
    },
    get states() {
      return hub.states;
    },
  };
}

function unreachable(clock: SourceHubOptions["clock"]): Client {
  const config = staticConfig({ server: "https://api.test" });
  return createClient({ transport: createScriptedTransport(clock), clock, config });
}
