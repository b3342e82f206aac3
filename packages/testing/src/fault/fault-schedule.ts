import { CodedError, type Random, seededRandom } from "farwatch";

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

/** Named faults. A request is struck by one: the newest whose matcher matches, which has times left, and which its probability lets through. */
export interface Faults<F extends { readonly kind: string }, M> {
  /** @throws CodedError `InvalidOption` for a number of times or a probability that is none. */
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

export function createFaultSchedule<F extends { readonly kind: string }, M, R>(
  options: FaultScheduleOptions<M, R>,
): FaultSchedule<F, M, R> {
  const { seed = 1, matches, onChange } = options;
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
      const entry: Entry<F, M> = { rule, random: seededRandom(seed * 7_919 + added), hits: 0 };
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

function validate({ kind, times, probability }: { readonly kind: string } & FaultSelection<unknown>): void {
  if (times !== undefined && !(Number.isInteger(times) && times > 0)) {
    throw new CodedError("InvalidOption", `Cannot add fault ${kind}: times is ${times}, give a whole number above 0`);
  }
  if (probability !== undefined && !(probability > 0 && probability <= 1)) {
    throw new CodedError(
      "InvalidOption",
      `Cannot add fault ${kind}: its probability is ${probability}, give a number above 0 and up to 1`,
    );
  }
}
