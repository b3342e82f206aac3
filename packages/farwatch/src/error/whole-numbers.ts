import { CodedError } from "./coded-error.ts";

/**
 * Checks options that count something, of which 0, a part or no number would let nothing through, or everything.
 * `doing`: `make source uploads`.
 *
 * @throws CodedError `InvalidOption`, naming the first that is given and is no whole number of at least 1.
 */
export function checkWholeNumbers(doing: string, numbers: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || (Number.isInteger(value) && value >= 1)) continue;
    throw new CodedError(
      "InvalidOption",
      `Cannot ${doing}: ${name} is ${String(value)}, give a whole number of at least 1`,
    );
  }
}
