import { CodedError, type Duration, type Random, seededRandom, toMs } from "farwatch";

/** When a fault strikes; what it is stands beside it. */
export interface FaultSelection<M> {
  /** Default: every request. */
  readonly matcher?: M;
  /** How often at the most; default: until it is disposed of. */
  readonly times?: number;
  /** Of striking a request that matches, above 0 and up to 1; default 1. Drawn from the schedule's seed. */
  readonly probability?: number;
}

/** What strikes, and whom and how often. */
export type FaultRule<F, M> = F & FaultSelection<M>;

/** A fault that was added. Disposal ends it; what it has begun goes on. */
export interface FaultHandle extends Disposable {
  /** Requests that it has struck. */
  readonly hits: number;
}

/**
 * Named faults. A request is struck by one: the newest whose matcher matches, which has times left, and which its
 * probability lets through.
 */
export interface Faults<F extends { readonly kind: string }, M> {
  /**
   * @throws CodedError `InvalidOption` for a number that a fault cannot have, `InvalidDuration` for a time that is
   * none.
   */
  add(rule: FaultRule<F, M>): FaultHandle;
  /** Ends all. */
  clear(): void;
}

export interface FaultSchedule<F extends { readonly kind: string }, M, R> extends Faults<F, M> {
  /** The fault that strikes this request. Asked once a request, since it counts and draws. */
  draw(request: R): F | undefined;
  /** True while a fault of this kind is for every request, for as long as it stands. */
  isConstant(kind: F["kind"]): boolean;
}

export interface FaultScheduleOptions<M, R> {
  /** Two schedules of one seed that are asked the same strike the same. Default 1. */
  readonly seed?: number | undefined;
  readonly matches: (matcher: M, request: R) => boolean;
  /** Called after a fault was added or ended. */
  readonly onChange?: () => void;
}

interface Entry<F, M> {
  readonly rule: FaultRule<F, M>;
  /** Of its own, so that a fault that is added later changes nothing for those before it. */
  readonly random: Random;
  hits: number;
}

/** @throws CodedError `InvalidOption` for what is no seed. */
export function createFaultSchedule<F extends { readonly kind: string }, M, R>(
  options: FaultScheduleOptions<M, R>,
): FaultSchedule<F, M, R> {
  const { seed = 1, matches, onChange } = options;
  /** Kept small, so that what is made of it is a seed as well. */
  const base = (seed % 2 ** 32) * 7_919;
  // Refuses what is no seed now, and not with the first fault.
  seededRandom(seed);
  /** The newest first. */
  const entries: Entry<F, M>[] = [];
  let added = 0;

  const strikes = ({ rule, random, hits }: Entry<F, M>, request: R): boolean => {
    const { matcher, times, probability } = rule;
    if (times !== undefined && hits >= times) return false;
    if (matcher !== undefined && !matches(matcher, request)) return false;
    return probability === undefined || random() < probability;
  };

  return {
    add(rule): FaultHandle {
      validate(rule);
      added += 1;
      const entry: Entry<F, M> = { rule, random: seededRandom(base + added), hits: 0 };
      entries.unshift(entry);
      onChange?.();
      return {
        get hits() {
          return entry.hits;
        },
        [Symbol.dispose](): void {
          const at = entries.indexOf(entry);
          if (at === -1) return;
          entries.splice(at, 1);
          onChange?.();
        },
      };
    },
    clear(): void {
      entries.length = 0;
      onChange?.();
    },
    draw(request): F | undefined {
      const entry = entries.find((each) => strikes(each, request));
      if (entry === undefined) return undefined;
      entry.hits += 1;
      return entry.rule;
    },
    isConstant: (kind) =>
      entries.some(
        ({ rule }) =>
          rule.kind === kind &&
          rule.matcher === undefined &&
          rule.times === undefined &&
          rule.probability === undefined,
      ),
  };
}

const isWhole = (value: number, least: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

/** The numbers of rules and faults: what they may be. */
const numbers: Readonly<Record<string, readonly [takes: (value: number) => boolean, allowed: string]>> = {
  times: [(value) => isWhole(value, 1), "a whole number above 0"],
  probability: [(value) => value > 0 && value <= 1, "a number above 0 and up to 1"],
  afterBytes: [(value) => isWhole(value, 0), "a whole number of bytes, 0 or more"],
  retryAfter: [(value) => isWhole(value, 0), "a whole number of seconds, 0 or more"],
  status: [(value) => isWhole(value, 200, 599), "a status of HTTP from 200 to 599"],
};

const durations = ["after", "by"];

function validate(rule: { readonly kind: string }): void {
  for (const [name, value] of Object.entries(rule) as [string, unknown][]) {
    if (value === undefined) continue;
    const [takes, allowed] = numbers[name] ?? [];
    if (takes !== undefined && !(typeof value === "number" && takes(value))) {
      throw new CodedError(
        "InvalidOption",
        `Cannot add fault ${rule.kind}: its ${name} is ${String(value)}, give ${allowed}`,
      );
    }
    if (durations.includes(name)) toMs(value as Duration);
  }
}
