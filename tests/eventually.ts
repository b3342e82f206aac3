import { type Duration, messageOf, systemClock } from "farwatch";

/**
 * What `look` gives once it gives something other than undefined and false. A throw counts as not yet. The deadline decides
 * nothing but the failure, whose text says what was awaited and what the last look threw.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  options: { readonly within?: Duration } = {},
): Promise<Exclude<T, undefined | false>> {
  const { within = "60s" } = options;
  using deadline = systemClock.timeout(within);
  for (;;) {
    let thrown = "";
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen as Exclude<T, undefined | false>;
    } catch (error) {
      thrown = `; the last look failed: ${messageOf(error)}`;
    }
    if (deadline.aborted) throw new Error(`Waited ${within} in vain for this: ${what}${thrown}`);
    await systemClock.sleep("25ms");
  }
}
