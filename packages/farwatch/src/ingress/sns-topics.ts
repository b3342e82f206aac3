import { Buffer } from "node:buffer";
import { type KeyObject, verify, type X509Certificate } from "node:crypto";
import { CodedError } from "../error/coded-error.ts";
import type { Transport } from "../transport/transport.ts";
import type { BodyFormat, BodyReading } from "./body-format.ts";
import { askSns, createSnsCertificates, snsUnavailable } from "./sns-certificates.ts";
import { readSnsMessage, type SnsMessage } from "./sns-message.ts";
import type { Verifier, VerifierContext } from "./verifier.ts";

export interface SnsTopicsOptions {
  /** ARNs: messages of these alone are taken, and subscriptions of these alone confirmed. */
  readonly topics: readonly string[];
  /** Fetches certificates and confirms subscriptions; not disposed of. Default: one of its own for each time. */
  readonly transport?: Transport | undefined;
}

/** Both are for the same webhook: what `body` does is safe behind `auth` alone. */
export interface SnsTopics {
  /** The signature of SNS, versions 1 and 2. It covers the message, not the headers. */
  readonly auth: Verifier;
  /**
   * Reads the `Message` of a notification as another format reads a body, and confirms subscriptions: that is answered
   * with 200 when SNS has taken it. "Raw message delivery" must be off, since nothing of it is signed.
   */
  body<B>(message: BodyFormat<B>): BodyFormat<B>;
}

interface Topic {
  readonly arn: string;
  /** Of SNS where the topic is: nothing of ours is fetched from elsewhere. */
  readonly host: string;
}

/**
 * Notifications of Amazon SNS by HTTPS.
 *
 * The certificate comes from `https://sns.<region of the topic>.amazonaws.com` (China: `.com.cn`) and nowhere else, is
 * kept, and must be valid now. A SubscriptionConfirmation is signed like any other message; of a configured topic it is
 * answered by asking the same host to confirm with the token; its `SubscribeURL` is never fetched. A second delivery of
 * a message is dropped by topic and MessageId.
 *
 * @throws CodedError `InvalidOption` for a topic that is no ARN of SNS.
 * @example
 * const uploads = snsTopics({ topics: ["arn:aws:sns:eu-west-1:123456789012:uploads"] });
 * webhookSource({ path: "/uploads", auth: uploads.auth, body: uploads.body(jsonBody()) });
 */
export function snsTopics(options: SnsTopicsOptions): SnsTopics {
  const topics = new Map(options.topics.map((arn) => [arn, topicOf(arn)]));
  const certificates = createSnsCertificates(options.transport);
  /** By the body: it is asked for who sent it, what tells it from others and what it says. */
  const messages = new WeakMap<Uint8Array, SnsMessage | undefined>();
  const messageOf = (body: Uint8Array): SnsMessage | undefined => {
    if (!messages.has(body)) messages.set(body, readSnsMessage(body));
    return messages.get(body);
  };

  const isSigned = async (message: SnsMessage, { host }: Topic, ctx: VerifierContext): Promise<boolean> => {
    if (!isCertificateUrl(message.certificateUrl, host)) return false;
    return certificates.verify(
      message.certificateUrl,
      ctx.clock,
      (certificate) => isValidAt(certificate, ctx.clock.now().getTime()) && isSignedBy(message, certificate.publicKey),
    );
  };

  return {
    auth: {
      covers: "body",
      challenge: "Signature",
      async verify(request, ctx) {
        const message = messageOf(await request.body());
        const topic = message && topics.get(message.topic);
        if (message === undefined || topic === undefined) return undefined;
        return (await isSigned(message, topic, ctx)) ? { identity: topic.arn } : undefined;
      },
      duplicateKey(_request, body): string | undefined {
        const message = messageOf(body);
        return message && JSON.stringify([message.topic, message.id]);
      },
    },
    body: (format) => ({
      // SNS says that its JSON is text.
      accepts: (mediaType) => mediaType === "text/plain" || mediaType === "application/json",
      expects: "text/plain or application/json",
      async read(request, bytes, ctx): Promise<BodyReading<never> | Awaited<ReturnType<typeof format.read>>> {
        const message = messageOf(bytes);
        const topic = message && topics.get(message.topic);
        if (message === undefined || topic === undefined)
          return { type: "malformed", reason: "the body is no message of a topic" };
        if (message.type === "Notification") return format.read(request, Buffer.from(message.message), ctx);
        if (message.type === "UnsubscribeConfirmation") return { type: "answer", answer: { status: 200 } };
        const url = confirmUrl(topic, message);
        const { status } = await askSns(url, {
          clock: ctx.clock,
          transport: options.transport,
          accept: "application/xml",
        });
        if (status !== 200)
          throw snsUnavailable(`https://${topic.host}/`, `the confirmation was answered with ${status}`);
        return { type: "answer", answer: { status: 200 } };
      },
    }),
  };
}

function topicOf(arn: string): Topic {
  const { partition, region } =
    /^arn:(?<partition>aws|aws-cn|aws-us-gov):sns:(?<region>[a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[\w.-]{1,256}$/.exec(arn)
      ?.groups ?? {};
  if (partition !== undefined && region !== undefined)
    return { arn, host: `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}` };
  throw new CodedError(
    "InvalidOption",
    `Cannot read Amazon SNS: ${JSON.stringify(arn)} is no topic, give one such as arn:aws:sns:eu-west-1:123456789012:uploads`,
  );
}

function isCertificateUrl(text: string, host: string): boolean {
  const prefix = `https://${host}/SimpleNotificationService-`;
  return text.startsWith(prefix) && /^[0-9a-zA-Z]{1,64}\.pem$/.test(text.slice(prefix.length));
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
}

function isSignedBy({ signed, signature, signatureVersion }: SnsMessage, key: KeyObject): boolean {
  const algorithm = signatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256";
  return (
    key.asymmetricKeyType === "rsa" && verify(algorithm, Buffer.from(signed), key, Buffer.from(signature, "base64"))
  );
}

function confirmUrl({ arn, host }: Topic, { token = "" }: SnsMessage): string {
  const query = new URLSearchParams({
    Action: "ConfirmSubscription",
    TopicArn: arn,
    Token: token,
    Version: "2010-03-31",
  });
  return `https://${host}/?${query}`;
}
