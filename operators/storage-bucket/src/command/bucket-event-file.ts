import { readFile } from "node:fs/promises";
import {
  type BucketEvent,
  type BucketNotifications,
  bucketEventSource,
  CodedError,
  jetStreamSource,
  messageOf,
  mutualTls,
  natsSource,
  type Source,
  snsTopics,
  sqsSource,
  unguessablePath,
  webhookSource,
} from "farwatch";
import { z } from "zod";

const path = z.templateLiteral(["/", z.string()]);
const names = z.array(z.string().min(1)).min(1);

const natsServers = z.strictObject({
  servers: z.array(z.string().min(1)).min(1),
  auth: z
    .union([
      z.strictObject({ token: z.string() }),
      z.strictObject({ user: z.string(), password: z.string() }),
      z.strictObject({ credentials: z.string() }),
      z.strictObject({ nkeySeed: z.string() }),
    ])
    .optional(),
  tls: z
    .strictObject({ ca: z.string().optional(), cert: z.string().optional(), key: z.string().optional() })
    .optional(),
});

/** The ways by which notifications come: exactly one of them. */
const carriers = {
  webhook: z.strictObject({
    path,
    mutualTls: z.strictObject({ fingerprints: names.optional(), subjects: names.optional() }).optional(),
  }),
  sns: z.strictObject({ path, topics: names }),
  sqs: z.strictObject({ queueUrl: z.string(), region: z.string().optional(), endpoint: z.string().optional() }),
  nats: natsServers.extend({ subject: z.string(), queue: z.string().optional() }),
  jetStream: natsServers.extend({ stream: z.string(), consumer: z.string() }),
};

const entry = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/),
    provider: z.literal("s3").default("s3"),
    endpoint: z.string().optional(),
    buckets: names,
    webhook: carriers.webhook.optional(),
    sns: carriers.sns.optional(),
    sqs: carriers.sqs.optional(),
    nats: carriers.nats.optional(),
    jetStream: carriers.jetStream.optional(),
  })
  .refine((given) => Object.keys(carriers).filter((name) => Object.hasOwn(given, name)).length === 1, {
    error: `give exactly one of ${Object.keys(carriers).join(", ")}`,
  });
/** What no two entries may share. */
const uniques: Readonly<Record<string, (given: Entry) => string | undefined>> = {
  name: ({ name }) => name,
  path: ({ webhook, sns }) => webhook?.path ?? sns?.path,
};
const entries = z
  .array(entry)
  .min(1)
  .superRefine((given, { addIssue }) => {
    for (const [what, unique] of Object.entries(uniques)) {
      const first = new Map<string, number>();
      for (const [index, each] of given.entries()) {
        const value = unique(each);
        const other = value === undefined ? undefined : first.get(value);
        const message = `entries.${other} has the same ${what}, give each its own`;
        if (other !== undefined) addIssue({ code: "custom", path: [index], message });
        else if (value !== undefined) first.set(value, index);
      }
    }
  });

type Entry = z.infer<typeof entry>;

/** What a file of `--bucket-events` says. */
export interface BucketEventFile {
  readonly sources: readonly Source<BucketEvent>[];
  /** Some of them are sent by HTTP. */
  readonly needsIngress: boolean;
}

/**
 * Reads which buckets' events come from where: a JSON array, as README.md shows it. What it holds may be secret, so errors name fields alone.
 *
 * @throws CodedError `InvalidConfig` with the entry, and the field or what its source refuses.
 */
export async function readBucketEventFile(file: string): Promise<BucketEventFile> {
  const failed = (what: string, cause?: unknown): CodedError =>
    new CodedError("InvalidConfig", `Cannot read bucket events from ${file}: ${what}`, { cause });
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw failed(messageOf(cause), cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own text quotes the file.
    throw failed("it is no JSON");
  }
  const read = entries.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw failed(`${["entries", ...(issue?.path ?? [])].join(".")}: ${issue?.message}`);
  }
  return {
    sources: read.data.map((given, index) => {
      try {
        return sourceOf(given);
      } catch (cause) {
        if (cause instanceof CodedError) throw failed(`entries.${index}: ${cause.message}`, cause);
        throw cause;
      }
    }),
    needsIngress: read.data.some(({ webhook, sns }) => webhook !== undefined || sns !== undefined),
  };
}

function sourceOf(given: Entry): Source<BucketEvent> {
  const { provider, endpoint, buckets } = given;
  return bucketEventSource({ provider, endpoint, buckets, from: (notifications) => carrierOf(given, notifications) });
}

function carrierOf(
  { name: ownName, webhook, sns, sqs, nats, jetStream }: Entry,
  { body, read }: BucketNotifications,
): ReturnType<Parameters<typeof bucketEventSource>[0]["from"]> {
  const name = `bucket-events-${ownName}`;
  if (webhook !== undefined) {
    const auth = webhook.mutualTls === undefined ? unguessablePath() : mutualTls(webhook.mutualTls);
    return webhookSource({ name, path: webhook.path, auth, body });
  }
  if (sns !== undefined) {
    const topics = snsTopics(sns);
    return webhookSource({ name, path: sns.path, auth: topics.auth, body: topics.body(body) });
  }
  if (sqs !== undefined) return sqsSource({ ...sqs, name, read: (message) => read(message.body) });
  if (jetStream !== undefined) return jetStreamSource({ ...jetStream, name, read: ({ data }) => read(data) });
  if (nats !== undefined) return natsSource({ ...nats, name, read: ({ data }) => read(data) });
  throw new CodedError("Internal", `Cannot make source ${name}: nothing carries it`);
}
