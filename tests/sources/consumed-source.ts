import {
  jetStreamSource,
  type KafkaSourceOptions,
  kafkaSource,
  postgresOutboxSource,
  redisStreamSource,
  type Source,
  type SqsSourceOptions,
  sqsSource,
  sseSource,
  webSocketSource,
} from "farwatch";
import { placeFile } from "./place-file.ts";

/** A source of numbers that a program in a process of its own can make. */
export type ConsumedSource =
  | { readonly type: "redis"; readonly url: string; readonly stream: string }
  | { readonly type: "jetstream"; readonly servers: string; readonly stream: string }
  | {
      readonly type: "kafka";
      readonly at: Pick<KafkaSourceOptions<number>, "brokers" | "topics" | "group" | "session">;
    }
  | { readonly type: "postgres"; readonly url: string }
  | { readonly type: "sse" | "web-socket"; readonly url: string; readonly placeFile: string }
  | { readonly type: "sqs"; readonly at: Pick<SqsSourceOptions<number>, "queueUrl" | "region" | "endpoint"> };

export function consumedSource(described: ConsumedSource): Source<number> {
  switch (described.type) {
    case "redis":
      return redisStreamSource({
        ...described,
        group: "farwatch",
        claimAfter: "2s",
        read: ({ fields }) => Number(fields.n),
      });
    case "jetstream":
      return jetStreamSource<number>({ ...described, consumer: "farwatch", ackWait: "2s" });
    case "kafka":
      return kafkaSource({ ...described.at, read: ({ value }) => Number(Buffer.from(value ?? [])) });
    case "postgres":
      return postgresOutboxSource({ url: described.url, lease: "2s", read: ({ payload }) => Number(payload) });
    case "sse":
      return sseSource({
        url: described.url,
        checkpoint: placeFile(described.placeFile),
        read: ({ data }) => Number(data),
      });
    case "web-socket":
      return webSocketSource({
        url: described.url,
        checkpoint: placeFile(described.placeFile),
        placeOf: String,
        onOpen: ({ send, place = "0" }) => send(place),
        read: Number,
      });
    case "sqs":
      return sqsSource({ ...described.at, visibility: "3s", read: ({ body }) => Number(body) });
  }
}
