import type { CodedError } from "../error/coded-error.ts";
import { messageOf } from "../error/coded-error.ts";
import { brokerFailure } from "./broker-failure.ts";

/** What a source asks of a queue, by the name under which IAM allows it. */
export type SqsAction = "ReceiveMessage" | "DeleteMessage" | "ChangeMessageVisibility" | "GetQueueAttributes";

export interface SqsAsked {
  readonly source: string;
  readonly action: SqsAction;
}

/** The names of errors, and the codes of entries in a batch, that say that the identity may not; of the key too. */
const denials = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "AuthorizationError",
  "KmsAccessDenied",
  "KMS.AccessDeniedException",
]);

/** Undefined unless the answer says that the identity may not do it: then which right it lacks. */
export function sqsRefusal(cause: unknown, { source, action }: SqsAsked): CodedError | undefined {
  const { name, Code, Message } = cause as {
    readonly name?: string;
    readonly Code?: string;
    readonly Message?: string;
  };
  if (![name, Code].some((each) => each !== undefined && denials.has(each))) return undefined;
  const advice = `; allow sqs:${action} on the queue to the identity of this process`;
  const said = cause instanceof Error ? messageOf(cause) : `${Code} ${Message ?? ""}`.trim();
  return brokerFailure(said, { source, broker: "SQS", code: "Forbidden", advice, cause });
}
