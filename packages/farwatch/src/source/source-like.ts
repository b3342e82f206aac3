import type { Source, SourceContext } from "./source.ts";

/** Fields whose type is another for events of another type. */
type OfEvents = {
  [F in keyof Source<"a">]-?: Source<"a">[F] extends Source<"b">[F] ? never : F;
}[keyof Source<"a">];

const nothingDeclared: Disposable = { [Symbol.dispose]() {} };

/**
 * A source that is like another but for what is given here: one that makes something else of its events, or has another
 * name. Whatever it promises, declares and asks for is the other's, which may be an instance of a class. Where events
 * have another type, all that depends on it must be given.
 *
 * @example
 * const quick = sourceLike(uploads, { name: "quick-uploads", capacity: 10 });
 */
export function sourceLike<T>(source: Source<T>, own: Partial<Source<T>>): Source<T>;
export function sourceLike<T>(
  source: Omit<Source<unknown>, OfEvents>,
  own: Partial<Source<T>> & Required<Pick<Source<T>, OfEvents>>,
): Source<T>;
export function sourceLike<T>(
  source: Omit<Source<unknown>, OfEvents> & Partial<Pick<Source<T>, OfEvents>>,
  own: Partial<Source<T>>,
): Source<T> {
  // Field by field, since those of a class may be of its prototype or private; each of them, or this does not compile.
  const inherited = {
    name: source.name,
    numbered: source.numbered,
    delivery: source.delivery,
    durability: source.durability,
    overflow: source.overflow,
    capacity: source.capacity,
    maxUnacknowledged: source.maxUnacknowledged,
    maxUnacknowledgedBytes: source.maxUnacknowledgedBytes,
    bytesOf: (object) => source.bytesOf?.(object) ?? 0,
    needLeaderElection: source.needLeaderElection,
    ends: source.ends,
    critical: source.critical,
    connects: source.connects,
    restates: source.restates,
    caches: source.caches,
    deliver: source.deliver,
    annotates: source.annotates,
    declare: (on) => source.declare?.(on) ?? nothingDeclared,
    events: (ctx) => source.events?.(ctx),
  } satisfies { readonly [F in keyof Source<T>]-?: unknown } & Pick<Required<Source<T>>, "bytesOf" | "declare"> & {
      readonly events: (ctx: SourceContext) => unknown;
    };
  // What the other lacks is in `own`: callers are held to that.
  return { ...inherited, ...own } as Source<T>;
}
