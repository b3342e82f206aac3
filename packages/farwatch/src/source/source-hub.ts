import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { createTaskScope, type TaskScope } from "../flow/task-scope.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import type { Ingress } from "../ingress/ingress.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createRetiredNames } from "../observe/retired-names.ts";
import { checkBounds } from "./refuse-source.ts";
import { createSharedSource, type SharedSource } from "./shared-source.ts";
import type { Source } from "./source.ts";
import { type SourceScope, scopeOf } from "./source-scope.ts";
import type { SourceState } from "./source-state.ts";
import type { Received } from "./watch-buffer.ts";

export interface SourceHubOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly cache: Cache;
  readonly client: Client;
  readonly ingress: Ingress;
  /**
   * How long a stream that is read no more stays open until all events that carried an `ack` are acknowledged. Default
   * 5 s; of a manager nine tenths of its `gracefulShutdownTimeout`.
   */
  readonly acknowledgeGrace?: Duration | undefined;
  /**
   * How long a stream may take to close once its signal has aborted; then it is left behind, with a warning. Default 5
   * s, which a manager has no option for: all that events are waited for comes before (`acknowledgeGrace`), what is left
   * is a goodbye to a broker, and a stream that does not end at its signal has a fault that more time does not mend. A
   * manager whose `gracefulShutdownTimeout` ends sooner names it in `ShutdownTimeout`.
   */
  readonly closeGrace?: Duration | undefined;
}

/** One watch's place at a source. Dispose of it to leave: what waits is given back. */
export interface Subscription<T> extends AsyncDisposable {
  /** The source's in this manager: its own, or that with a number. */
  readonly name: string;
  /**
   * The next event and this watch's hold on it, which must be released, or split over requests and then released.
   * Undefined once left; rejects with the signal's reason. An event that is in the buffer when the signal aborts stays
   * there.
   */
  receive(signal?: AbortSignal): Promise<Received<T> | undefined>;
}

/**
 * Opens every source of a manager once, shares it among its watches, and opens it again when it fails (promises 1 to
 * 4). A source is open while its scope is and while somebody watches it. A watch that joins later sees what happens
 * from then on.
 */
export interface SourceHub {
  /**
   * Takes a place at a source, before or after it is open. The same source object is one source; `name` says who
   * watches.
   *
   * @throws CodedError `DuplicateName` when another source has this name and either name was chosen by a person;
   *   `InvalidOption` for a bound of the source that is no whole number of at least 1.
   */
  subscribe<T>(source: Source<T>, watch: { readonly name: string }): Subscription<T>;
  /**
   * Keeps the sources of a scope open until the signal aborts: then nothing more is read, what waits in buffers is
   * given back to its origin, or kept for the next opening, and streams close when what is being worked on is
   * acknowledged. Resolves when all are closed. May be called again then.
   *
   * @throws CodedError `AlreadyStarted` when the scope is open; `MissingDependency` when one of its sources needs a
   *   package that is not installed, which closes them all.
   */
  open(scope: SourceScope, signal: AbortSignal): Promise<void>;
  /** Names of the sources that are to close and have not yet. */
  readonly closing: readonly string[];
  /** How each source is that is watched, in the order of their first watch. */
  readonly states: readonly SourceState[];
  /** Brings gauges up to date before they are scraped. */
  sample(): void;
}

interface Known {
  readonly source: Source<unknown>;
  /** The source's own, or that with a number. */
  readonly name: string;
  readonly shared: SharedSource;
  readonly scope: SourceScope;
  watches: number;
  declared: Disposable | undefined;
}

export function createSourceHub(options: SourceHubOptions): SourceHub {
  const { clock, log, cache, client, ingress, metrics } = options;
  const acknowledgeGraceMs = toMs(options.acknowledgeGrace ?? "5s");
  const closeGraceMs = toMs(options.closeGrace ?? "5s");
  const known = new Map<Source<unknown>, Known>();
  const names = new Map<string, Source<unknown>>();
  const scopes = new Map<SourceScope, TaskScope>();
  const retired = createRetiredNames(metrics, "source");

  const nameFor = (source: Source<unknown>): string => {
    const other = names.get(source.name);
    if (other === undefined) return source.name;
    if (!source.numbered || !other.numbered) {
      throw new CodedError(
        "DuplicateName",
        `Cannot watch source ${JSON.stringify(source.name)}: another source has this name, give one of the two another`,
      );
    }
    let number = 2;
    while (names.has(`${source.name}-${number}`)) number += 1;
    return `${source.name}-${number}`;
  };

  const knownOf = (source: Source<unknown>): Known => {
    const before = known.get(source);
    if (before !== undefined) return before;
    // Below 1, or of what is no number, nothing would ever be read, and nothing would say so.
    const { capacity, maxUnacknowledged, maxUnacknowledgedBytes } = source;
    checkBounds(source.name, { capacity, maxUnacknowledged, maxUnacknowledgedBytes });
    const name = nameFor(source);
    const shared = createSharedSource(source, name, {
      clock,
      log,
      cache,
      client,
      ingress,
      metrics,
      acknowledgeGraceMs,
      closeGraceMs,
    });
    const scope = scopeOf(source);
    const entry: Known = { source, name, shared, scope, watches: 0, declared: undefined };
    names.set(name, source);
    known.set(source, entry);
    retired.use(name);
    const opened = scopes.get(scope);
    if (opened !== undefined) shared.open(opened);
    return entry;
  };

  const declare = (entry: Known): void => {
    try {
      entry.declared = entry.source.declare?.({ name: entry.name, cache, ingress });
    } catch (error) {
      forget(entry);
      throw error;
    }
  };

  /** What it has given back stays with the source: whoever watches it next gets that. */
  const forget = ({ source, name, shared, declared }: Known): void => {
    declared?.[Symbol.dispose]();
    known.delete(source);
    names.delete(name);
    shared.remove();
    retired.retire(name);
  };

  return {
    subscribe<T>(source: Source<T>, watch: { readonly name: string }): Subscription<T> {
      // Inside, nobody looks into events, so their type is forgotten here, and remembered where they come out.
      const entry = knownOf(source as unknown as Source<unknown>);
      if (entry.watches === 0) declare(entry);
      entry.watches += 1;
      const buffer = entry.shared.join(watch.name);
      let left: Promise<void> | undefined;
      const leave = async (): Promise<void> => {
        await entry.shared.leave(buffer);
        entry.watches -= 1;
        if (entry.watches === 0) forget(entry);
      };
      return {
        name: entry.name,
        receive: (signal) => buffer.receive(signal) as Promise<Received<T> | undefined>,
        [Symbol.asyncDispose](): Promise<void> {
          left ??= leave();
          return left;
        },
      };
    },
    async open(scope, signal): Promise<void> {
      if (scopes.has(scope)) {
        throw new CodedError("AlreadyStarted", `Cannot open the sources for ${scope}: they are open, close them first`);
      }
      const opened = createTaskScope(signal);
      scopes.set(scope, opened);
      try {
        for (const entry of known.values()) if (entry.scope === scope) entry.shared.open(opened);
        await untilAborted(opened.signal);
        await opened.join();
      } finally {
        scopes.delete(scope);
      }
    },
    sample(): void {
      for (const { shared } of known.values()) shared.sample();
    },
    get closing() {
      return [...scopes.values()].flatMap(({ signal, running }) => (signal.aborted ? running : []));
    },
    get states() {
      return [...known.values()].map(({ shared }) => shared.state);
    },
  };
}
