import { forgetOldest } from "../flow/forget-oldest.ts";
import type { Metrics } from "./metrics.ts";

/** Names by which something was counted that is no more, such as a controller that was removed. */
export interface RetiredNames {
  /** It is in use, perhaps again. */
  use(name: string): void;
  retire(name: string): void;
}

/** So many may come and go between two scrapes, and the last that was counted of each is still seen. */
const mostRetired = 100;

/**
 * What was counted under a label stays for the last hundred of its values that were retired, and is forgotten of those
 * before.
 */
export function createRetiredNames(metrics: Metrics, label: string): RetiredNames {
  const retired = new Set<string>();
  return {
    use(name): void {
      retired.delete(name);
    },
    retire(name): void {
      retired.add(name);
      const [oldest] = retired;
      forgetOldest(retired, mostRetired);
      if (oldest !== undefined && !retired.has(oldest)) metrics.forget?.({ [label]: oldest });
    },
  };
}
