import { messageOf } from "../error/coded-error.ts";
import { redactText } from "../observe/redact.ts";

/**
 * Why a message cannot be read, for logs and for people: a parser's own text quotes what it was given, which nobody
 * else may see.
 */
export function readProblem(error: unknown): string {
  return error instanceof SyntaxError ? "it is no JSON, or what else its reader parses" : redactText(messageOf(error));
}
