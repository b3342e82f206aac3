/** A least and a most: of a cost, or of the size of a value. What has no bound is `unbounded`. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** 2^64 - 1: where cel-go's sums stop. */
export const unbounded: number = 2 ** 64;

export const zero: Range = { min: 0, max: 0 };
export const one: Range = { min: 1, max: 1 };
export const anything: Range = { min: 0, max: unbounded };
export const capped = (value: number): number => Math.min(value, unbounded);
export const add = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });
export const times = (a: Range, b: Range): Range => ({ min: product(a.min, b.min), max: product(a.max, b.max) });
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : capped(a * b));
export const factor = (a: Range, by: number): Range => ({
  min: capped(Math.ceil(a.min * by)),
  max: capped(Math.ceil(a.max * by)),
});
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
export const fixed = (value: number): Range => ({ min: value, max: value });
/** What a union with anything is that other. */
export const inverted: Range = { min: unbounded, max: 0 };

/** The sizes that a text can have after `replace`. */
export function replacedSize(text: Range, old: Range, fresh: Range): Range {
  const longest =
    old.min === 0
      ? add(times(fixed(capped(text.max + 1)), fixed(fresh.max)), fixed(text.max)).max
      : fresh.max <= old.min
        ? text.max
        : product(Math.ceil(text.max / old.min), fresh.max);
  const shortest =
    old.max === 0
      ? capped((text.min + 1) * fresh.min + text.min)
      : old.max <= fresh.min
        ? text.min
        : product(Math.ceil(text.min / old.max), fresh.min);
  return { min: shortest, max: longest };
}
