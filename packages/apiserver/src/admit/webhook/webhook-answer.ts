import type { JsonObject } from "farwatch";
import { readJson } from "../../failure/read-json.ts";
import { jsonKindText } from "../../patch/go-text.ts";
import { isObject } from "../../schema/plain-object.ts";
import { type WebhookAnswer, WebhookFailure } from "./webhook-post.ts";

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * The review that a webhook has answered; apiVersion and kind may be missing from it.
 *
 * @throws WebhookFailure with client-go's words for an error, and for what is no such review.
 */
export function readReview(
  answer: WebhookAnswer,
  wanted: { readonly group: string; readonly kind: string },
): JsonObject {
  if (answer.status < 200 || answer.status > 206) throw new WebhookFailure(statusText(answer));
  const { text, status, contentType } = answer;
  if (text === "") {
    throw new WebhookFailure(`0-length response with status code: ${status} and content type: ${contentType}`);
  }
  const unread = (why: string): Error => new WebhookFailure(`couldn't get version/kind; json parse error: ${why}`);
  const value = readJson(text, unread);
  if (!isObject(value)) throw unread(`json: cannot unmarshal ${jsonKindText(value)} into Go value of type ${typeMeta}`);
  const { apiVersion = "", kind = "" } = value;
  const known = apiVersion === `${wanted.group}/v1` || apiVersion === `${wanted.group}/v1beta1`;
  if (kind !== "" && apiVersion !== "" && !(known && kind === wanted.kind)) {
    throw new WebhookFailure(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  return value as JsonObject;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const statusTexts: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  410: "the server was asked for something that is gone",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** What client-go makes of an answer that is an error. */
function statusText({ status, contentType, text }: WebhookAnswer): string {
  const value = parse(text);
  if (isObject(value) && value.kind === "Status" && typeof value.message === "string") return value.message;
  const said = contentType.startsWith("text/") && text.trim() !== "" ? text.trim() : "unknown";
  if (status === 403 || status === 406 || status === 415) return said;
  const known = statusTexts[status];
  if (known !== undefined) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
