import { CodedError } from "../error/coded-error.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";

/** @throws CodedError `InvalidOption`. `why` says what is given and, where that is not plain, what to give. */
export function refuseSource(name: string, why: string): never {
  throw new CodedError("InvalidOption", `Cannot make source ${name}: ${why}`);
}

/** Of a source whose far side is this process, which has one reader. */
export function openElsewhere(name: string): CodedError {
  return new CodedError("AlreadyStarted", `Cannot open source ${name}: another manager has it open, give each its own`);
}

/**
 * @throws CodedError `InvalidOption`, naming the first that is no function. By the name of an option: what is given; an
 *   object whose functions are needed is named by these, `checkpoint.read`.
 */
export function checkNeeded(name: string, functions: Readonly<Record<string, unknown>>): void {
  for (const [what, value] of Object.entries(functions)) {
    if (typeof value === "function") continue;
    refuseSource(
      name,
      `${what} is ${value === undefined || value === null ? "missing" : "no function"}, give a function`,
    );
  }
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
  checkWholeNumbers(`make source ${name}`, bounds);
}

/** @throws CodedError `InvalidOption`, naming the first that is given and is neither true nor false. */
export function checkFlags(name: string, flags: Readonly<Record<string, unknown>>): void {
  for (const [what, value] of Object.entries(flags)) {
    if (value === undefined || typeof value === "boolean") continue;
    refuseSource(name, `${what} is ${typeof value === "string" ? JSON.stringify(value) : "none"}, give true or false`);
  }
}

/** By the name of an option: what it is, and the words that it may be. */
export type Choices = Readonly<Record<string, { readonly given: unknown; readonly of: readonly string[] }>>;

/** @throws CodedError `InvalidOption`, naming the first of the choices that is made and is none of those there are. */
export function checkChoices(name: string, choices: Choices): void {
  for (const [what, { given, of }] of Object.entries(choices)) {
    if (given === undefined || of.some((choice) => choice === given)) continue;
    const quoted = of.map((choice) => JSON.stringify(choice));
    const shown = typeof given === "string" ? JSON.stringify(given) : "none";
    refuseSource(name, `${what} is ${shown}, give ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`);
  }
}
