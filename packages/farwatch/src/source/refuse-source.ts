import { CodedError } from "../error/coded-error.ts";

/** @throws CodedError `InvalidOption`. `why` says what is given and, where that is not plain, what to give. */
export function refuseSource(name: string, why: string): never {
  throw new CodedError("InvalidOption", `Cannot make source ${name}: ${why}`);
}

/**
 * What is called later, when a message has come: what is no function then would make a dead letter of each.
 *
 * @throws CodedError `InvalidOption`, naming the first that is given and is no function.
 */
export function checkFunctions(name: string, functions: Readonly<Record<string, unknown>>): void {
  for (const [what, value] of Object.entries(functions)) {
    if (value === undefined || value === null || typeof value === "function") continue;
    refuseSource(name, `${what} is no function, give one or leave it out`);
  }
}

/**
 * @throws CodedError `InvalidOption`, naming the first of the bounds that is given and is no whole number of at least
 * 1.
 */
export function checkBounds(name: string, bounds: Readonly<Record<string, number | undefined>>): void {
  for (const [bound, value] of Object.entries(bounds)) {
    if (value === undefined || (Number.isInteger(value) && value >= 1)) continue;
    refuseSource(name, `${bound} is ${String(value)}, give a whole number of at least 1`);
  }
}
