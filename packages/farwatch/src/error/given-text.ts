import { CodedError } from "./coded-error.ts";

/** An option as it was given: a program in plain JavaScript may leave it out, or give anything. */
export interface GivenOption {
  /** "read from Redis" */
  readonly doing: string;
  /** The name of the option. */
  readonly what: string;
}

export interface GivenText extends GivenOption {
  /** What to give. */
  readonly give: string;
  /** Default: anything but `""`. */
  readonly isRight?: ((text: string) => boolean) | undefined;
}

/**
 * Checks an option when that which has it is made.
 *
 * @throws CodedError `InvalidOption`, which does not repeat the text: it may hold a password.
 */
export function checkText(given: unknown, { doing, what, give, isRight = (text) => text !== "" }: GivenText): void {
  if (typeof given === "string" && isRight(given)) return;
  const state = given === undefined ? "missing" : given === "" ? "empty" : "none";
  throw new CodedError("InvalidOption", `Cannot ${doing}: ${what} is ${state}, give ${give}`);
}

/**
 * The same for a list of at least one.
 *
 * @throws CodedError `InvalidOption`
 */
export function checkTexts(given: unknown, text: GivenText): void {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  if (list.length === 0) checkText(undefined, text);
  for (const one of list) checkText(one, text);
}
