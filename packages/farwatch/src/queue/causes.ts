import type { Hold } from "../event/delivery.ts";

/**
 * Adds what the next run of a key settles; `causes` hold one event of a source, the youngest. An older one is
 * superseded: its origin need not deliver it again, since the younger one that waits for the same key stands for it. So
 * a key that fails for hours holds back one event a source, however many come.
 */
export function addCause(causes: Hold[], cause: Hold): void {
  const { from } = cause;
  for (let at = 0; from !== undefined && at < causes.length; at += 1) {
    const other = causes[at] as Hold;
    if (other.from?.source !== from.source) continue;
    if (other.from.place > from.place) {
      cause.done();
    } else {
      causes[at] = cause;
      other.done();
    }
    return;
  }
  causes.push(cause);
}
