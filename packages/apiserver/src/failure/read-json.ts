import { goJsonError } from "./go-json-error.ts";

/**
 * More levels of objects and lists are refused at every door by which JSON comes in, in the words of the real server,
 * which takes 10,000: all that walks JSON in here may call itself once a level and stay well within Node's stack.
 */
export const maxJsonLevels = 1_000;

/** A text is no JSON, or more than this server reads; the message is what Go says of it. */
export class JsonProblem extends SyntaxError {
  override readonly name = "JsonProblem";
}

/**
 * The value of a JSON text that somebody else wrote.
 *
 * @throws what `problem` makes of Go's words, by default a JsonProblem, for what is no JSON, and for too many levels of
 * it.
 */
export function readJson(
  text: Uint8Array | string,
  problem: (why: string) => Error = (why) => new JsonProblem(why),
): unknown {
  const json =
    typeof text === "string" ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw problem(goJsonError(text, maxJsonLevels));
  }
  // A level is two characters at least: most texts need no walk.
  if (json.length > 2 * maxJsonLevels && isTooDeep(value)) throw problem(goJsonError(text, maxJsonLevels));
  return value;
}

/** Whether a value has more levels of objects and lists than that. */
export function isTooDeep(value: unknown, levels: number = maxJsonLevels): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels <= 0 || Object.values(value).some((child) => isTooDeep(child, levels - 1));
}
