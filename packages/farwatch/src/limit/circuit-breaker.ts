import { backoff } from "../clock/backoff.ts";
import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { RetryAfterError } from "../clock/retry-after-error.ts";
import { systemClock } from "../clock/system-clock.ts";
import { checkText } from "../error/given-text.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import type { Metrics } from "../observe/metrics.ts";
import {
  type CanaryPost,
  type CircuitCall,
  type CircuitCaller,
  createCanaryPost,
  createFailedCallers,
  type FailedCallers,
} from "./circuit-caller.ts";

export interface CircuitBreakerOptions {
  /** The label of its metrics. */
  readonly name: string;
  /** Failures in a row that open the circuit of a key; of as many callers where they are named; default 5. */
  readonly failures?: number | undefined;
  /** Of so many groups the named callers must be that open a circuit; default 1. */
  readonly groups?: number | undefined;
  /**
   * How long it stays open before one call is tried, doubling with each trial that fails, with equal jitter; default 30
   * s. Named callers go by their `every` instead.
   */
  readonly openFor?: Duration | undefined;
  /**
   * It is never open for longer without a trial, and a trial that has not ended by then decides no more: another is
   * made; default 5 min.
   */
  readonly longestOpen?: Duration | undefined;
  /** Which errors say that the far side is in trouble, rather than that it refused; default: all. */
  readonly isFailure?: ((error: unknown) => boolean) | undefined;
  /**
   * Keys that have failed and are remembered; beyond it the one that failed least recently starts anew; default 10,000.
   */
  readonly mostKeys?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly metrics?: Metrics | undefined;
}

/**
 * `closed`: calls go through. `open`: they are refused. `halfOpen`: the wait is over, one call at a time is tried, and
 * decides.
 */
export type CircuitState = "closed" | "open" | "halfOpen";

/** Stops calling what does not answer. One breaker may serve sources and reconcilers alike, a circuit a key. */
export interface CircuitBreaker {
  /**
   * Makes a call of a key, such as an endpoint with the name of a credential (never the credential: the key is part of
   * errors). What the call rejects with is passed on. A call that was aborted says nothing of the far side.
   *
   * @throws RetryAfterError while the circuit is open, with the last failure as its cause: a reconciler that lets it
   *   through runs again when the next call is tried.
   */
  run<T>(key: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Lets a call of a named caller through, or not: undefined while the circuit is open and another stands for this one.
   * For what many ask side by side, each every so often, and where an answer says by itself how the far side is.
   *
   * @throws CodedError `InvalidDuration` for an `every` that is none.
   */
  enter(key: string, caller: CircuitCaller): CircuitCall | undefined;
  state(key: string): CircuitState;
}

/** The call that decides over an open circuit. */
interface Trial {
  /** It may never end; later another one decides. On the monotonic clock. */
  readonly untilMs: number;
}

interface Circuit {
  /** Calls in a row. */
  failures: number;
  readonly callers: FailedCallers;
  /** Set while it is open, where a named caller opened it or has come since. */
  canary: CanaryPost | undefined;
  /** Trials in a row that failed; 0 while closed. */
  openings: number;
  /** On the monotonic clock. */
  openUntilMs: number;
  trial: Trial | undefined;
  lastError: unknown;
}

/** Asked while another call is being tried: its answer is not far. */
const trialMs = 1_000;

/**
 * A circuit that has failed is remembered until a call succeeds, or many others have failed since; others are not.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`.
 * @example
 * const isFailure = (error: unknown) => !isRefusal(error);
 * const breaker = createCircuitBreaker({ name: "s3", metrics: manager.metrics, isFailure });
 * const answer = await breaker.run(endpoint, () => ask(endpoint, ctx.signal), ctx.signal);
 * @example
 * const breaker = createCircuitBreaker({ name: "endpoints", failures: 3, groups: 2, metrics: manager.metrics });
 * using call = breaker.enter(endpoint, { name, group: namespace, every: "30s" });
 * if (call === undefined) return; // another object of this endpoint stands for it
 * const { status } = await ask(endpoint, ctx.signal);
 * if (status >= 500) call.failed();
 * else call.answered();
 */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { name, failures: most = 5, groups = 1, isFailure = () => true, mostKeys = 10_000 } = options;
  const clock = options.clock ?? systemClock;
  checkText(name, { doing: "make circuit breaker", what: "name", give: "the label of its metrics" });
  const doing = `make circuit breaker ${name}`;
  checkWholeNumbers(doing, { failures: most, groups, mostKeys });
  const initial = givenMs(options.openFor ?? "30s", { doing, what: "openFor" });
  const longestOpenMs = Math.max(initial, givenMs(options.longestOpen ?? "5m", { doing, what: "longestOpen" }));
  const delays = backoff({
    initial,
    max: longestOpenMs,
    jitter: "equal",
    random: () => clock.random(),
  });
  /** In the order of their last failure. */
  const circuits = new Map<string, Circuit>();
  const labels = { breaker: name };
  const labelNames = ["breaker"];
  const counter = (suffix: string, help: string) =>
    options.metrics?.counter({ name: `farwatch_circuit_breaker_${suffix}`, help, labelNames });
  const openings = counter("opened_total", "Times that a circuit was opened, after failed trials too.");
  const refusals = counter("refused_total", "Calls that were refused because their circuit was open.");
  const openNow = options.metrics?.gauge({
    name: "farwatch_circuit_breaker_open",
    help: "Circuits that are not closed.",
    labelNames,
  });
  let open = 0;
  const countOpen = (by: 1 | -1): void => {
    open += by;
    openNow?.set(open, labels);
  };
  openNow?.set(0, labels);

  const stateOf = (circuit: Circuit | undefined): CircuitState => {
    if (circuit === undefined || circuit.openings === 0) return "closed";
    return circuit.openUntilMs > clock.elapsed() ? "open" : "halfOpen";
  };

  const newTrial = (circuit: Circuit): Trial => {
    circuit.trial = { untilMs: clock.elapsed() + longestOpenMs };
    return circuit.trial;
  };

  /** Lets a call through; gives what makes it a trial, where it is to decide over an open circuit. */
  const admit = (key: string): Trial | undefined => {
    const circuit = circuits.get(key);
    const state = stateOf(circuit);
    if (circuit === undefined || state === "closed") return undefined;
    if (state === "halfOpen" && (circuit.trial === undefined || circuit.trial.untilMs <= clock.elapsed())) {
      return newTrial(circuit);
    }
    refusals?.add(labels);
    const afterMs = state === "open" ? Math.ceil(circuit.openUntilMs - clock.elapsed()) : trialMs;
    throw new RetryAfterError(afterMs, {
      message: `Cannot call ${key}: ${circuit.failures} calls in a row failed, the next is tried in ${afterMs} ms`,
      cause: circuit.lastError,
    });
  };

  const forget = (key: string): void => {
    const circuit = circuits.get(key);
    if (circuit === undefined) return;
    if (circuit.openings > 0) countOpen(-1);
    circuits.delete(key);
  };

  const failed = (key: string, error: unknown, by: { readonly isTrial: boolean; readonly caller?: CircuitCaller }) => {
    const { isTrial, caller } = by;
    const circuit = circuits.get(key) ?? {
      failures: 0,
      callers: createFailedCallers(),
      canary: undefined,
      openings: 0,
      openUntilMs: 0,
      trial: undefined,
      lastError: undefined,
    };
    circuits.delete(key);
    circuits.set(key, circuit);
    // Nobody may ever call a key again, such as the endpoint of an object that is gone.
    const [oldest] = circuits.keys();
    if (circuits.size > mostKeys && oldest !== undefined) forget(oldest);
    circuit.failures += 1;
    if (caller !== undefined) circuit.callers.failed(caller);
    circuit.lastError = error;
    // A call that began before the circuit opened says what is known already.
    if (!isTrial && circuit.openings > 0) return;
    const isEnough = (): boolean =>
      caller === undefined ? circuit.failures >= most : circuit.callers.suffice(caller, { callers: most, groups });
    if (circuit.openings === 0) {
      if (!isEnough()) return;
      countOpen(1);
      if (caller !== undefined)
        circuit.canary = createCanaryPost(caller.name, { failures: most, nowMs: clock.elapsed() });
    } else if (caller !== undefined) circuit.canary?.failed();
    circuit.openings += 1;
    circuit.openUntilMs = clock.elapsed() + delays.delayMs(circuit.openings);
    openings?.add(labels);
  };

  /** Gives a trial up: whatever comes of the rest, another call may be tried. Says whether it was still to decide. */
  const release = (key: string, trial: Trial | undefined): boolean => {
    const circuit = circuits.get(key);
    // Neither when another has taken its place, nor when the circuit was closed or forgotten meanwhile.
    if (trial === undefined || circuit?.trial !== trial) return false;
    circuit.trial = undefined;
    return true;
  };

  return {
    async run(key, call, signal) {
      signal?.throwIfAborted();
      const trial = admit(key);
      try {
        const result = await call();
        forget(key);
        return result;
      } catch (error) {
        const isTrial = release(key, trial);
        if (!signal?.aborted) {
          if (isFailure(error)) failed(key, error, { isTrial });
          else forget(key);
        }
        throw error;
      }
    },
    enter(key, caller): CircuitCall | undefined {
      const circuit = circuits.get(key);
      let trial: Trial | undefined;
      const isOpen = circuit !== undefined && circuit.openings > 0;
      if (isOpen && caller.always !== true && circuit.callers.hasGroupOf(caller)) {
        const nowMs = clock.elapsed();
        circuit.canary ??= createCanaryPost(caller.name, { failures: most, nowMs });
        if (!circuit.canary.admits(caller, nowMs)) {
          refusals?.add(labels);
          return undefined;
        }
        trial = newTrial(circuit);
      }
      let told = false;
      const tell = (what: () => void): void => {
        if (told) return;
        told = true;
        what();
      };
      return {
        answered: () => tell(() => forget(key)),
        failed: (error) => tell(() => failed(key, error, { isTrial: release(key, trial), caller })),
        [Symbol.dispose]: () => tell(() => release(key, trial)),
      };
    },
    state: (key) => stateOf(circuits.get(key)),
  };
}
