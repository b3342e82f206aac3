import { readJson } from "./json-text.ts";

/** A message of Amazon SNS as it is sent to an HTTP endpoint. */
export interface SnsMessage {
  readonly type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  readonly id: string;
  readonly topic: string;
  readonly message: string;
  /** Of confirmations. */
  readonly token: string | undefined;
  readonly signature: string;
  readonly signatureVersion: "1" | "2";
  readonly certificateUrl: string;
  /** What the signature covers. */
  readonly signed: string;
}

/**
 * In the order in which they are signed ("Verifying the signatures of Amazon SNS messages"). A notification without a
 * subject has none.
 */
const signedFields = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

/** Undefined when the body is no message of SNS. */
export function readSnsMessage(bytes: Uint8Array): SnsMessage | undefined {
  const json = readJson(bytes);
  if (!json.ok || typeof json.value !== "object" || json.value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(json.value));
  const text = (name: string): string | undefined => {
    const member = members.get(name);
    return typeof member === "string" ? member : undefined;
  };
  const type = text("Type");
  const signatureVersion = text("SignatureVersion");
  const [id, topic, message] = [text("MessageId"), text("TopicArn"), text("Message")];
  const [signature, certificateUrl] = [text("Signature"), text("SigningCertURL")];
  if (type === undefined || !isType(type) || (signatureVersion !== "1" && signatureVersion !== "2")) return undefined;
  if (id === undefined || topic === undefined || message === undefined) return undefined;
  if (signature === undefined || certificateUrl === undefined) return undefined;
  const signed = signedFields[type].flatMap((name) => {
    const value = text(name);
    return value === undefined ? [] : [`${name}\n${value}\n`];
  });
  const token = text("Token");
  return { type, id, topic, message, token, signature, signatureVersion, certificateUrl, signed: signed.join("") };
}

function isType(text: string): text is SnsMessage["type"] {
  return Object.hasOwn(signedFields, text);
}
