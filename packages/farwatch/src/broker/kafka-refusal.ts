import { type CodedError, messageOf } from "../error/coded-error.ts";
import { brokerFailure } from "./broker-failure.ts";

/** The errors of the protocol that say that the user may not, and the right that it lacks. */
const rights = new Map([
  ["GROUP_AUTHORIZATION_FAILED", "READ on the group"],
  ["TOPIC_AUTHORIZATION_FAILED", "READ and DESCRIBE on the topics"],
  ["CLUSTER_AUTHORIZATION_FAILED", "the right to it on the cluster"],
]);

/** What the brokers, or the client, have said; with a right that the user lacks it is `Forbidden`. */
export function kafkaFailure(source: string, cause: unknown): CodedError {
  const right = rightOf(cause);
  const refusal = right === undefined ? {} : ({ code: "Forbidden", advice: `; grant the user ${right}` } as const);
  return brokerFailure(messageOf(cause), { source, broker: "Kafka", ...refusal, cause });
}

/** The client wraps what it has tried more than once. */
function rightOf(error: unknown): string | undefined {
  const { type, cause } = Object(error) as { readonly type?: unknown; readonly cause?: unknown };
  return rights.get(String(type)) ?? (cause === undefined ? undefined : rightOf(cause));
}
