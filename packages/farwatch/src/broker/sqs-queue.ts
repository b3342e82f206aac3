import type { Clock } from "../clock/clock.ts";
import { CodedError, isCodedError, messageOf } from "../error/coded-error.ts";
import { createCallBatches } from "../flow/call-batches.ts";
import { lateSignal } from "../flow/late-signal.ts";
import type { Logger } from "../observe/logger.ts";
import { redactText } from "../observe/redact.ts";
import { loadPackage } from "../source/optional-package.ts";
import { brokerFailure } from "./broker-failure.ts";
import { redriveProblems } from "./sqs-redrive.ts";
import { type SqsAction, sqsRefusal } from "./sqs-refusal.ts";
import { regionOf } from "./sqs-region.ts";

/** A message as the queue handed it over this time. */
export interface SqsDelivery {
  readonly id: string;
  /** Settles this delivery, and no other of the same message. */
  readonly receipt: string;
  readonly body: string;
  readonly receiveCount: number;
  /** Milliseconds since the Unix epoch, by the queue's clock. */
  readonly sentMs: number | undefined;
  /** Of a FIFO queue. */
  readonly group: string | undefined;
  readonly attributes: ReadonlyMap<string, string>;
}

/** A queue as a source needs it. */
export interface SqsQueue extends AsyncDisposable {
  /** Waits for a message up to 20 s; none when there was none. Ends at once when the signal aborts. */
  receive(most: number, signal: AbortSignal): Promise<readonly SqsDelivery[]>;
  /** @throws CodedError `Forbidden` when the identity may not; `BadRequest` for a receipt that is no more. */
  remove(receipt: string): Promise<void>;
  /** Nobody else gets it before then; 0: it is free at once. As `remove`. */
  hide(receipt: string, seconds: number): Promise<void>;
}

export interface SqsQueueOptions {
  readonly source: string;
  readonly queueUrl: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly visibilitySeconds: number;
  readonly maxDeliveries: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends calls that are under way, 2 s after it aborted. */
  readonly signal: AbortSignal;
}

/** What the API takes in one batch. */
const batch = 10;
const pollSeconds = 20;
/**
 * A call that has not been answered for so long, its repetitions included, has failed; a poll waits for a message
 * before.
 */
const answerMs = 10_000;
const pollAnswerMs = pollSeconds * 1_000 + answerMs;
const settleMs = 2_000;

/**
 * What the client hands to its chain of credentials, though its types do not tell of it. Else the process would read
 * shared files once, and never see a key that was rotated.
 */
const freshFiles: object = { ignoreCache: true };

/**
 * Opens a queue, with credentials of the SDK's chain: environment, shared files, web identity, pod identity, instance.
 *
 * @throws CodedError `MissingDependency` without @aws-sdk/client-sqs, `NotFound` when there is no such queue,
 * `ConnectionFailed` when it cannot be reached or refuses. What it may not do it may not do when it is asked for:
 * `receive` throws `Forbidden`.
 */
export async function openSqsQueue(options: SqsQueueOptions): Promise<SqsQueue> {
  const { source, queueUrl, clock, log, signal } = options;
  const name = "@aws-sdk/client-sqs";
  const sqs = await loadPackage({ source, name, clock, load: () => import("@aws-sdk/client-sqs") });
  const region = options.region ?? regionOf(queueUrl);
  const client = new sqs.SQSClient({
    ...freshFiles,
    ...(region === undefined ? {} : { region }),
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    // Longer than a long poll: what is silent for longer is gone.
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  const queue = { QueueUrl: queueUrl };
  const settling = lateSignal(signal, { clock, afterMs: settleMs });
  const close = (): void => {
    settling[Symbol.dispose]();
    client.destroy();
  };
  /** @throws CodedError `Timeout` without an answer, `Forbidden` when the identity may not; what else the call throws. */
  const within = async <A>(
    { action, ms = answerMs, until = settling }: { action: SqsAction; ms?: number; until?: AbortSignal },
    call: (during: { readonly abortSignal: AbortSignal }) => Promise<A>,
  ): Promise<A> => {
    using deadline = clock.timeout(ms, until);
    try {
      return await clock.outside(call({ abortSignal: deadline }));
    } catch (error) {
      throw deadline.aborted ? deadline.reason : (sqsRefusal(error, { source, action }) ?? error);
    }
  };
  /** Of a batch: what each of its entries failed with. */
  const errorsOf = (count: number, failed: readonly FailedEntry[], action: SqsAction): readonly unknown[] => {
    const errors: unknown[] = Array.from({ length: count });
    for (const entry of failed) {
      const { Id, Code, Message = "" } = entry;
      errors[Number(Id)] =
        sqsRefusal(entry, { source, action }) ??
        new CodedError("BadRequest", `Cannot settle a message at SQS: ${Code} ${redactText(Message)}`);
    }
    return errors;
  };

  const remove = createCallBatches<string>({
    most: batch,
    async run(receipts) {
      const Entries = receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const action = "DeleteMessage";
      const { Failed = [] } = await within({ action }, (during) =>
        client.send(new sqs.DeleteMessageBatchCommand({ ...queue, Entries }), during),
      );
      return errorsOf(receipts.length, Failed, action);
    },
  });
  const hide = createCallBatches<{ readonly receipt: string; readonly seconds: number }>({
    most: batch,
    async run(asked) {
      const Entries = asked.map(({ receipt, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
      }));
      const action = "ChangeMessageVisibility";
      const { Failed = [] } = await within({ action }, (during) =>
        client.send(new sqs.ChangeMessageVisibilityBatchCommand({ ...queue, Entries }), during),
      );
      return errorsOf(asked.length, Failed, action);
    },
  });

  const failed = (cause: unknown): CodedError => {
    if (isCodedError(cause, "Forbidden")) return cause;
    if (cause instanceof sqs.QueueDoesNotExist) {
      return new CodedError("NotFound", `Cannot read source ${source}: there is no queue ${redactText(queueUrl)}`, {
        cause,
      });
    }
    const said = isCodedError(cause, "Timeout") ? "it does not answer" : messageOf(cause);
    return brokerFailure(said, { source, broker: "SQS", cause });
  };

  try {
    const AttributeNames = [sqs.QueueAttributeName.RedrivePolicy];
    const { Attributes } = await within({ action: "GetQueueAttributes", until: signal }, (during) =>
      client.send(new sqs.GetQueueAttributesCommand({ ...queue, AttributeNames }), during),
    );
    for (const [message, fields] of redriveProblems(Attributes?.RedrivePolicy, options.maxDeliveries))
      log.warn(message, fields);
  } catch (cause) {
    if (isCodedError(cause, "Forbidden")) {
      log.warn(
        "Cannot read the attributes of the queue: whether its redrive policy comes before maxDeliveries is not known",
        {
          error: cause,
        },
      );
    } else {
      close();
      throw signal.aborted ? signal.reason : failed(cause);
    }
  }

  return {
    async receive(most, until): Promise<readonly SqsDelivery[]> {
      try {
        const { Messages = [] } = await within({ action: "ReceiveMessage", ms: pollAnswerMs, until }, (during) =>
          client.send(
            new sqs.ReceiveMessageCommand({
              ...queue,
              MaxNumberOfMessages: Math.min(most, batch),
              WaitTimeSeconds: pollSeconds,
              VisibilityTimeout: options.visibilitySeconds,
              MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp", "MessageGroupId"],
              MessageAttributeNames: ["All"],
            }),
            during,
          ),
        );
        return Messages.map(deliveryOf);
      } catch (cause) {
        throw until.aborted ? until.reason : failed(cause);
      }
    },
    remove,
    hide: (receipt, seconds) => hide({ receipt, seconds }),
    async [Symbol.asyncDispose](): Promise<void> {
      close();
    },
  };
}

interface FailedEntry {
  readonly Id?: string | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

interface RawMessage {
  readonly MessageId?: string | undefined;
  readonly ReceiptHandle?: string | undefined;
  readonly Body?: string | undefined;
  readonly Attributes?: Readonly<Record<string, string | undefined>> | undefined;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string | undefined }>> | undefined;
}

function deliveryOf(message: RawMessage): SqsDelivery {
  const { ApproximateReceiveCount, SentTimestamp, MessageGroupId } = message.Attributes ?? {};
  const texts = Object.entries(message.MessageAttributes ?? {}).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue] as const],
  );
  return {
    id: message.MessageId ?? "",
    receipt: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    receiveCount: Number(ApproximateReceiveCount ?? 1),
    sentMs: SentTimestamp === undefined ? undefined : Number(SentTimestamp),
    group: MessageGroupId,
    attributes: new Map(texts),
  };
}
