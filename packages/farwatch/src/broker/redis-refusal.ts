import { CodedError, type ErrorCode, messageOf } from "../error/coded-error.ts";
import { brokerFailure } from "./broker-failure.ts";

/** What the first word of an answer means, and what to do; of others the words themselves say it. */
const known = new Map<string, { readonly code: ErrorCode; readonly advice: string }>([
  ["NOPERM", { code: "Forbidden", advice: "; give the user the right to it (ACL SETUSER)" }],
  ["NOGROUP", { code: "NotFound", advice: "; stream and group are made at the next opening" }],
  ["WRONGTYPE", { code: "InvalidConfig", advice: "; name a key that holds a stream, or none yet" }],
]);

/** A command that the server answered with an error: its words, without secrets. */
export function redisRefusal(source: string, cause: unknown): CodedError {
  const refusal = known.get(wordOf(cause)) ?? { code: "ServerUnavailable" };
  return brokerFailure(messageOf(cause), { source, broker: "Redis", ...refusal, cause });
}

/** The word with which the server's answer began, as `BUSYGROUP`; empty for any other error. */
export function refusalWord(error: unknown): string {
  return error instanceof CodedError ? wordOf(error.cause) : "";
}

function wordOf(error: unknown): string {
  return /^[A-Z]+(?= )/.exec(messageOf(error))?.[0] ?? "";
}
