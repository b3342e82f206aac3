import { Buffer } from "node:buffer";
import { type KeyObject, verify, X509Certificate } from "node:crypto";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { createRateLimiter, type RateLimiter } from "../limit/rate-limiter.ts";
import type { Transport } from "../transport/transport.ts";
import type { BodyFormat, BodyReading } from "./body-format.ts";
import { type Fetched, type FetchOptions, fetchText } from "./fetch-text.ts";
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
   * Reads the `Message` of a notification as another format reads a body, and confirms subscriptions: that is answered with 200 when SNS has taken it.
   * "Raw message delivery" must be off, since nothing of it is signed.
   */
  body<B>(message: BodyFormat<B>): BodyFormat<B>;
}

interface Topic {
  readonly arn: string;
  /** Of SNS where the topic is: nothing of ours is fetched from elsewhere. */
  readonly host: string;
}

/** Before anybody is authenticated, so that strangers must not make us ask for one certificate after another. */
const fetchesPerSecond = 0.2;
const fetchBurst = 5;
const mostCertificates = 100;

/**
 * Notifications of Amazon SNS by HTTPS.
 *
 * The certificate comes from `https://sns.<region of the topic>.amazonaws.com` (China: `.com.cn`) and nowhere else, is kept, and must be valid now. A
 * SubscriptionConfirmation is signed like any other message; of a configured topic it is answered by asking the same host to confirm with the token; its
 * `SubscribeURL` is never fetched. A second delivery of a message is dropped by topic and MessageId.
 *
 * @throws CodedError `InvalidOption` for a topic that is no ARN of SNS.
 * @example
 * const uploads = snsTopics({ topics: ["arn:aws:sns:eu-west-1:123456789012:uploads"] });
 * webhookSource({ path: "/uploads", auth: uploads.auth, body: uploads.body(jsonBody()) });
 */
export function snsTopics(options: SnsTopicsOptions): SnsTopics {
  const topics = new Map(options.topics.map((arn) => [arn, topicOf(arn)]));
  const certificates = new Map<string, X509Certificate>();
  const fetching = new Map<string, Promise<X509Certificate | undefined>>();
  let limiter: RateLimiter | undefined;

  const fetchFrom = async (url: string, tools: Pick<FetchOptions, "clock" | "accept">): Promise<Fetched> => {
    try {
      return await fetchText(url, { ...tools, transport: options.transport });
    } catch (cause) {
      throw unavailable(url, messageOf(cause), cause);
    }
  };

  /** Undefined when there is none. Many messages that come at once need one fetch. */
  const certificateAt = async (url: string, { clock }: VerifierContext): Promise<X509Certificate | undefined> => {
    const known = certificates.get(url) ?? fetching.get(url);
    if (known !== undefined) return known;
    const fetched = fetchCertificate(url, clock).finally(() => fetching.delete(url));
    fetching.set(url, fetched);
    return fetched;
  };

  const fetchCertificate = async (url: string, clock: Clock): Promise<X509Certificate | undefined> => {
    limiter ??= createRateLimiter({ name: "sns certificates", perSecond: fetchesPerSecond, burst: fetchBurst, clock });
    if (limiter.tryTake("") > 0) throw unavailable(url, "too many certificates were asked for");
    const { status, text } = await fetchFrom(url, { clock, accept: "application/x-pem-file" });
    if (status >= 400 && status < 500 && status !== 429) return undefined;
    if (status !== 200) throw unavailable(url, `it was answered with ${status}`);
    let certificate: X509Certificate;
    try {
      certificate = new X509Certificate(text);
    } catch (cause) {
      throw unavailable(url, "it is no certificate", cause);
    }
    for (const [oldest] of certificates) if (certificates.size >= mostCertificates) certificates.delete(oldest);
    certificates.set(url, certificate);
    return certificate;
  };

  const isSigned = async (message: SnsMessage, { host }: Topic, ctx: VerifierContext): Promise<boolean> => {
    if (!isCertificateUrl(message.certificateUrl, host)) return false;
    const certificate = await certificateAt(message.certificateUrl, ctx);
    if (certificate === undefined || !isValidAt(certificate, ctx.clock.now().getTime())) return false;
    return isSignedBy(message, certificate.publicKey);
  };

  return {
    auth: {
      covers: "body",
      challenge: "Signature",
      async verify(request, ctx) {
        const message = readSnsMessage(await request.body());
        const topic = message && topics.get(message.topic);
        if (message === undefined || topic === undefined) return undefined;
        return (await isSigned(message, topic, ctx)) ? { identity: topic.arn } : undefined;
      },
      duplicateKey(_request, body): string | undefined {
        const message = readSnsMessage(body);
        return message && JSON.stringify([message.topic, message.id]);
      },
    },
    body: (format) => ({
      // SNS says that its JSON is text.
      accepts: (mediaType) => mediaType === "text/plain" || mediaType === "application/json",
      async read(request, bytes, ctx): Promise<BodyReading<never> | Awaited<ReturnType<typeof format.read>>> {
        const message = readSnsMessage(bytes);
        const topic = message && topics.get(message.topic);
        if (message === undefined || topic === undefined)
          return { type: "malformed", reason: "the body is no message of a topic" };
        if (message.type === "Notification") return format.read(request, Buffer.from(message.message), ctx);
        if (message.type === "UnsubscribeConfirmation") return { type: "answer", answer: { status: 200 } };
        const url = confirmUrl(topic, message);
        const { status } = await fetchFrom(url, { clock: ctx.clock, accept: "application/xml" });
        if (status !== 200) throw unavailable(`https://${topic.host}/`, `the confirmation was answered with ${status}`);
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

function unavailable(url: string, why: string, cause?: unknown): CodedError {
  // The query holds a token.
  const [bare] = url.split("?");
  return new CodedError(
    "CredentialFailed",
    `Cannot ask Amazon SNS at ${bare}: ${why}; senders get 5xx until that works`,
    {
      cause,
    },
  );
}
