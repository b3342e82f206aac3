import type { RandomRequest } from "./random-request.ts";

/**
 * Leaves requests out while the last one still shows a difference. `fails` runs a sequence and tells whether its end is one;
 * halves go first, then single requests.
 */
export async function shrink(
  sequence: readonly RandomRequest[],
  fails: (sequence: readonly RandomRequest[]) => Promise<boolean>,
): Promise<readonly RandomRequest[]> {
  let kept = sequence;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let end = kept.length - 1; end > 0; end -= size) {
      const shorter = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      if (shorter.length < kept.length && (await fails(shorter))) kept = shorter;
    }
  }
  return kept;
}
