import { CodedError } from "../error/coded-error.ts";
import type { Enqueued } from "../event/request.ts";

/**
 * What a handler gave, which a program in plain JavaScript may have got wrong: of what is no list there would be nothing
 * to do, without a word. `whose`: `the handler of source uploads`.
 *
 * @throws CodedError `InvalidOption`
 */
export function listOfRequests(given: Iterable<Enqueued>, whose: string): Iterable<Enqueued> {
  if (typeof given === "object" && given !== null && typeof given[Symbol.iterator] === "function") return given;
  throw new CodedError(
    "InvalidOption",
    `Cannot make requests of what ${whose} gave: it is no list, give an array of { namespace, name }`,
  );
}
