import {
  CreateQueueCommand,
  type CreateQueueCommandInput,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { Sqs } from "@farwatch/testing";
import type { SqsSourceOptions } from "farwatch";

/** Any do: the server checks none. The source finds them by the SDK's chain. */
Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "not-a-secret" });

export interface TestQueue extends AsyncDisposable {
  /** For the source, or through a proxy of `port`. */
  readonly at: Pick<SqsSourceOptions<string>, "queueUrl" | "region" | "endpoint">;
  /** Resolves when the server has acknowledged them. */
  send(bodies: readonly string[], entry?: Partial<SendMessageBatchRequestEntry>): Promise<void>;
  attribute(
    name: "QueueArn" | "ApproximateNumberOfMessages" | "ApproximateNumberOfMessagesNotVisible",
  ): Promise<string>;
  /** Messages that were not deleted. */
  left(): Promise<number>;
}

export interface TestQueueOptions {
  /** Default: one that no other has. */
  readonly name?: string;
  readonly attributes?: NonNullable<CreateQueueCommandInput["Attributes"]>;
}

let made = 0;

export async function createQueue(server: Sqs, options: TestQueueOptions = {}): Promise<TestQueue> {
  made += 1;
  const { attributes: Attributes = {}, name = `uploads-${made}` } = options;
  const { url: endpoint, region } = server;
  const client = new SQSClient({ endpoint, region, maxAttempts: 1 });
  const QueueName = `${name}${Attributes.FifoQueue === "true" ? ".fifo" : ""}`;
  const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  const attribute: TestQueue["attribute"] = async (name) => {
    const asked = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
    return asked.Attributes?.[name] ?? "";
  };
  return {
    at: { queueUrl: QueueUrl, region, endpoint },
    async send(bodies, entry = {}): Promise<void> {
      for (let from = 0; from < bodies.length; from += 10) {
        const Entries = bodies
          .slice(from, from + 10)
          .map((MessageBody, index) => ({ Id: String(index), MessageBody, ...entry }));
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        if (Failed.length > 0) throw new Error(`${Failed.length} messages were refused`);
      }
    },
    attribute,
    async left(): Promise<number> {
      const counts = await Promise.all([
        attribute("ApproximateNumberOfMessages"),
        attribute("ApproximateNumberOfMessagesNotVisible"),
      ]);
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      client.destroy();
    },
  };
}
