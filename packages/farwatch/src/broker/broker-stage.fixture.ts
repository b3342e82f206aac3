import assert from "node:assert/strict";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { messageOf } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { defaultUnacknowledgedBytes } from "../source/fan-out.ts";
import type { SourceBlock, SourceHealth } from "../source/source.ts";
import type { Holding } from "./broker-source.ts";
import type { PoisonMessage } from "./dead-letters.ts";

export interface BrokerStageOptions {
  /** Default 1,000. */
  readonly maxUnacknowledged?: number;
  /** Default 16 MiB. */
  readonly maxUnacknowledgedBytes?: number;
  /** Default 10. */
  readonly maxDeliveries?: number;
}

type Events<T> = AsyncGenerator<GenericEvent<T>, void, undefined>;

/** The stream of the source `uploads` of a broker, in virtual time. */
export function createBrokerStage<T>(
  open: (holding: Holding, signal: AbortSignal) => Events<T>,
  {
    maxUnacknowledged = 1_000,
    maxUnacknowledgedBytes = defaultUnacknowledgedBytes,
    maxDeliveries = 10,
  }: BrokerStageOptions = {},
) {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const letters: PoisonMessage[] = [];
  const { health: silent, log, metrics } = createScriptedHub({ clock }).context(controller.signal);
  const told: { phase?: string; blocked?: SourceBlock | undefined } = {};
  const health: SourceHealth = {
    ...silent,
    failing(error): void {
      told.phase = messageOf(error);
    },
    serving(): void {
      told.phase = "serving";
    },
    blocked(by): void {
      told.blocked = by;
    },
  };
  const onDeadLetter = (letter: PoisonMessage): void => {
    letters.push(letter);
  };
  const bounds = { maxUnacknowledged, maxUnacknowledgedBytes, maxDeliveries };
  const holding = { source: "uploads", clock, health, log, metrics, ...bounds, onDeadLetter };
  const events = open(holding, controller.signal);
  let pending: ReturnType<Events<T>["next"]> | undefined;
  return {
    clock,
    metrics,
    letters,
    /** By what the stream says that it is blocked. */
    blocked: () => told.blocked,
    /** `serving`, or what it fails of, as the stream said last. */
    phase: () => told.phase,
    /** What comes without time passing, undefined when nothing does; throws what the stream throws. */
    async next(): Promise<GenericEvent<T> | undefined> {
      pending ??= events.next();
      let result: IteratorResult<GenericEvent<T>> | undefined;
      let failure: { readonly error: unknown } | undefined;
      pending.then(
        (got) => {
          result = got;
        },
        (error: unknown) => {
          failure = { error };
        },
      );
      await clock.settle();
      if (failure !== undefined) throw failure.error;
      if (result === undefined) return undefined;
      pending = undefined;
      return result.done ? undefined : result.value;
    },
    /** What the stream throws. */
    thrown: () =>
      (pending ?? events.next()).then(
        () => assert.fail("it threw nothing"),
        (error: unknown) => error,
      ),
    async stop(): Promise<void> {
      controller.abort(new Error("stop"));
      await pending;
      await events.return();
      await clock.settle();
      assert.equal(clock.pendingTimers, 0);
    },
  };
}
