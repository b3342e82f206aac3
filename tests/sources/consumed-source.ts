import { postgresOutboxSource, type Source, type SqsSourceOptions, sqsSource } from "farwatch";

/** A source of numbers that a program in a process of its own can make. */
export type ConsumedSource =
  | { readonly type: "postgres"; readonly url: string }
  | { readonly type: "sqs"; readonly at: Pick<SqsSourceOptions<number>, "queueUrl" | "region" | "endpoint"> };

export function consumedSource(described: ConsumedSource): Source<number> {
  switch (described.type) {
    case "postgres":
      return postgresOutboxSource({ url: described.url, lease: "2s", read: ({ payload }) => Number(payload) });
    case "sqs":
      return sqsSource({ ...described.at, visibility: "3s", read: ({ body }) => Number(body) });
  }
}
