import { type CodedError, type ErrorCode, messageOf } from "../error/coded-error.ts";
import { brokerFailure } from "./broker-failure.ts";

/** What an SQLSTATE means, and what to do; of others the server's words say it. */
const known = new Map<string, { readonly code: ErrorCode; readonly advice: string }>([
  // insufficient_privilege
  ["42501", { code: "Forbidden", advice: "; grant the role of the URL the right to it" }],
  // undefined_table
  ["42P01", { code: "NotFound", advice: "; make it with what postgresOutboxTable gives" }],
  // undefined_column
  ["42703", { code: "InvalidConfig", advice: "; make the table anew with what postgresOutboxTable gives" }],
]);

/** A statement that the server answered with an error: its words, without secrets. */
export function postgresRefusal(source: string, cause: unknown): CodedError {
  const { code: state = "" } = cause as { readonly code?: string };
  const refusal = known.get(state) ?? { code: "ServerUnavailable" };
  return brokerFailure(messageOf(cause), { source, broker: "PostgreSQL", ...refusal, cause });
}
