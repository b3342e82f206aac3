import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { type Instant, instantOf } from "../clock/instant.ts";
import { CodedError } from "../error/coded-error.ts";
import { checkText } from "../error/given-text.ts";
import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import { type BrokerSourceOptions, brokerSource } from "./broker-source.ts";
import { sqsEvents } from "./sqs-messages.ts";
import { openSqsQueue, type SqsDelivery } from "./sqs-queue.ts";

export interface SqsMessage {
  readonly id: string;
  readonly body: string;
  /** The message attributes that have a text. */
  readonly attributes: ReadonlyMap<string, string>;
  /** The group of a message of a FIFO queue. */
  readonly group: string | undefined;
  readonly sentAt: Instant | undefined;
  /** How often the queue has handed it over, this time included. */
  readonly receiveCount: number;
}

export interface SqsSourceOptions<T> extends BrokerSourceOptions {
  /** `https://sqs.eu-west-1.amazonaws.com/123456789012/uploads` */
  readonly queueUrl: string;
  /** Default: what the queue's URL says, else what the SDK finds (AWS_REGION). */
  readonly region?: string | undefined;
  /** Where the API answers, for a stand-in; default: AWS. */
  readonly endpoint?: string | undefined;
  /** What the event carries; a throw makes the message a dead letter. Default: the body. */
  readonly read?: ((message: SqsMessage) => T) | undefined;
  /**
   * How long a message stays invisible when this process dies, in whole seconds from 3 s to 12 h; default 30 s. It
   * takes the place of the queue's own, and is extended while the message is held.
   */
  readonly visibility?: Duration | undefined;
}

/**
 * Events from a queue of Amazon SQS.
 *
 * - Delivery: at least once. In a FIFO queue a message of a group is handed on when the one before it was worked on,
 *   and a group stops at a message that was given back.
 * - Durability: `origin`. A message is deleted when its event was worked on; until then its visibility is extended, up
 *   to the 12 h that SQS allows: then it is released, counted, and comes again.
 * - Overflow: `wait`. Back pressure: no more is received than may be held.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: the SDK's chain of credentials; the identity needs sqs:ReceiveMessage, DeleteMessage,
 *   ChangeMessageVisibility and GetQueueAttributes.
 * - Abort: the long poll under way ends at once. What is held becomes visible; a message that SQS was about to hand
 *   over comes again when `visibility` is over.
 *
 * Tries are counted by ApproximateReceiveCount, which a redrive policy of the queue counts as well: one that is not
 * above `maxDeliveries` takes messages away before `onDeadLetter` sees them, and a warning says so at the start. Needs
 * the package @aws-sdk/client-sqs, which reaches AWS over connections of its own.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `MissingDependency`, `NotFound` when there
 * is no such queue, `Forbidden` when the identity may not receive, and `ConnectionFailed`.
 * @example
 * watch(
 *   sqsSource({ queueUrl, read: ({ body }) => Upload.parse(JSON.parse(body)) }),
 *   enqueueRequestsFromMapFunc(({ bucket }) => [{ namespace: "default", name: bucket }]),
 * );
 */
export function sqsSource<T = string>(options: SqsSourceOptions<T>): Source<T> {
  checkOptions("sqs", options);
  const { queueUrl, region, endpoint } = options;
  const doing = "read from SQS";
  const give = "https://HOST/ACCOUNT/QUEUE";
  checkText(queueUrl, { doing, what: "queueUrl", give, isRight: (url) => queueOf(url) !== undefined });
  const queueName = queueOf(queueUrl);
  const visibility = { doing, what: "visibility", least: "3s", most: "12h" } as const;
  const visibilitySeconds = givenMs(options.visibility ?? "30s", visibility) / 1_000;
  if (!Number.isInteger(visibilitySeconds))
    throw new CodedError("InvalidOption", `Cannot ${doing}: visibility is ${visibilitySeconds} s, give whole seconds`);
  // Without `read` T is string, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ body }: SqsMessage): T => body as unknown as T);
  return brokerSource(options, {
    name: `sqs-${queueName}`,
    async *events({ clock, health, log, signal }, holding) {
      const { source, maxDeliveries } = holding;
      await using queue = await openSqsQueue({
        ...{ source, queueUrl, region, endpoint, visibilitySeconds, maxDeliveries },
        ...{ clock, log, signal },
      });
      health.serving();
      yield* sqsEvents({ queue, visibilitySeconds, read: (delivery) => read(messageOf(delivery)), signal }, holding);
    },
  });
}

function queueOf(url: string): string | undefined {
  return URL.parse(url)?.pathname.split("/").filter(Boolean).at(-1);
}

function messageOf({ id, body, attributes, group, sentMs, receiveCount }: SqsDelivery): SqsMessage {
  return { id, body, attributes, group, sentAt: sentMs === undefined ? undefined : instantOf(sentMs), receiveCount };
}
