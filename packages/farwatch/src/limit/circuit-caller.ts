import { type Duration, toMs } from "../clock/duration.ts";
import { forgetOldest } from "../flow/forget-oldest.ts";

/**
 * One of several that call under one key, each as often as it likes, such as the objects that name one endpoint. Where
 * callers are named, failures of different ones open a circuit, and an open one is left to one of them: its canary goes
 * on calling at its own pace, while the others are refused. So closing makes no burst: each goes on when it would have
 * called anyway.
 */
export interface CircuitCaller {
  /** Unique among the callers of its key. */
  readonly name: string;
  /**
   * Those that belong together, such as the namespace of an object; see `groups` of the breaker. No group is refused a
   * call before one of its own has failed: whoever makes calls fail in groups of its own closes the way to no other.
   */
  readonly group?: string | undefined;
  /**
   * How often it calls. The canary is whoever's failure opened the circuit. Another takes its place that has seen it
   * make no call for one and a half of its own `every`, or for one once `failures` of the canary's calls in a row have
   * failed: what only the canary has wrong does not keep the circuit open.
   */
  readonly every: Duration;
  /**
   * The names of all callers of the key. They are asked for where the failures are of fewer callers or groups than open
   * the circuit: when all have failed, and there are two at least and
   * 10,000 at most, it opens too. Default: it does not.
   */
  readonly all?: (() => Iterable<string>) | undefined;
  /**
   * Lets this call through in any state, such as one that somebody waits for. While the circuit is open its failure
   * says nothing new, and what it gets answered closes it as any other; default false.
   */
  readonly always?: boolean | undefined;
}

/** A call that was let through. What becomes of it is told once; disposed of before, it says nothing. */
export interface CircuitCall extends Disposable {
  /** The far side is well, though it may have refused: closes the circuit. */
  answered(): void;
  /** The far side is in trouble. */
  failed(error?: unknown): void;
}

/** Callers come and go, such as objects of one namespace, while their key is never answered; and groups too. */
const mostFailed = 10_000;

/** Who has failed since the key was last answered. */
export interface FailedCallers {
  failed(caller: CircuitCaller): void;
  hasGroupOf(caller: CircuitCaller): boolean;
  /** Whether they are enough to open the circuit, of which `caller` is the last. */
  suffice(caller: CircuitCaller, least: { readonly callers: number; readonly groups: number }): boolean;
}

export function createFailedCallers(): FailedCallers {
  const names = new Set<string>();
  const groups = new Set<string>();
  /** Failures before all callers are looked through again. */
  let spared = 0;
  return {
    failed({ name, group = "" }): void {
      names.add(name);
      groups.add(group);
      forgetOldest(names, mostFailed);
      forgetOldest(groups, mostFailed);
    },
    hasGroupOf: ({ group = "" }) => groups.has(group),
    suffice({ all }, least): boolean {
      if (names.size >= least.callers && groups.size >= least.groups) return true;
      if (all === undefined || names.size < 2) return false;
      if (spared > 0) {
        spared -= 1;
        return false;
      }
      let count = 0;
      let missing = 0;
      for (const name of all()) {
        count += 1;
        if (!names.has(name)) missing += 1;
        if (missing > names.size) break;
      }
      // Before that many have failed they cannot be all; half of it, since some may go meanwhile.
      spared = Math.floor(missing / 2);
      return missing === 0 && count >= 2;
    },
  };
}

/** Which caller goes on calling while the circuit is open. */
export interface CanaryPost {
  /** Whether this caller may call now; it is the canary then. */
  admits(caller: CircuitCaller, nowMs: number): boolean;
  /** Its call has failed. */
  failed(): void;
}

/** `failures`: of a canary in a row, after which it makes way for others. `nowMs`: its call was the last. */
export function createCanaryPost(
  first: string,
  options: { readonly failures: number; readonly nowMs: number },
): CanaryPost {
  let canary = first;
  let failures = 0;
  let calledMs = options.nowMs;
  /** Somebody else has asked since then. */
  let hasOthers = false;
  return {
    admits({ name, every }, nowMs): boolean {
      const isCanary = name === canary;
      const makesWay = failures >= options.failures && (hasOthers || !isCanary);
      const leastMs = isCanary && !makesWay ? 0 : toMs(every) * (makesWay && !isCanary ? 1 : 1.5);
      if (nowMs - calledMs < leastMs) {
        hasOthers ||= !isCanary;
        return false;
      }
      if (!isCanary) failures = 0;
      canary = name;
      calledMs = nowMs;
      hasOthers = false;
      return true;
    },
    failed(): void {
      failures += 1;
    },
  };
}
