import type { JsonObject, Status } from "farwatch";
import { ApiError } from "../../failure/api-error.ts";
import { builtInSchema } from "../../registry/built-in-schema.ts";
import { apiVersionOf, kindText, type ServedKind } from "../../registry/registry.ts";
import { decodeGo } from "../../schema/go-decode.ts";
import { GoDecodeError } from "../../schema/go-scalar.ts";
import type { ServedSchema } from "../../schema/served-schema.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionView, bodyOf, namespaceOf } from "./match-request.ts";
import { readReview } from "./webhook-answer.ts";
import { type WebhookAnswer, WebhookFailure } from "./webhook-post.ts";

const group = "admission.k8s.io";

const optionsKinds = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
  CONNECT: undefined,
} as const;

/** What a request is, without its objects: `request` of an expression, and most of an AdmissionReview. */
export function requestFields(attributes: AdmissionAttributes, { kind, version }: ServedKind): JsonObject {
  const { served, operation, subresource, name, user, dryRun, options } = attributes;
  const namespace = namespaceOf(attributes);
  const body = bodyOf(attributes);
  const gvk = (one: ServedKind): JsonObject =>
    body === undefined
      ? { group: one.kind.group, version: one.version.version, kind: one.kind.kind }
      : { group: body.group, version: body.version, kind: body.kind };
  const gvr = (one: ServedKind): JsonObject => ({
    group: one.kind.group,
    version: one.version.version,
    resource: one.kind.plural,
  });
  const optionsKind = optionsKinds[operation];
  return {
    kind: gvk({ kind, version }),
    resource: gvr({ kind, version }),
    ...(subresource === undefined ? {} : { subResource: subresource }),
    requestKind: gvk(served),
    requestResource: gvr(served),
    ...(subresource === undefined ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...((user.uid ?? "") === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra ?? {}).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options: optionsKind === undefined ? null : { kind: optionsKind, apiVersion: "meta.k8s.io/v1", ...options },
  };
}

/** An AdmissionReview as it is sent; `version` is `v1` or `v1beta1`. */
export function admissionReview(
  attributes: AdmissionAttributes,
  { view, uid, version }: { readonly view: AdmissionView; readonly uid: string; readonly version: string },
): JsonObject {
  const { dryRun, options, ...fields } = requestFields(attributes, view.served);
  return {
    kind: "AdmissionReview",
    apiVersion: apiVersionOf(group, version),
    request: { uid, ...fields, object: view.object ?? null, oldObject: view.old ?? null, dryRun, options },
  };
}

/** What a webhook has decided. */
export interface Verdict {
  readonly allowed: boolean;
  /** A JSON patch, still to be read; of a mutating webhook that changes something. */
  readonly patch: string | undefined;
  readonly patchType: string | undefined;
  readonly warnings: readonly string[];
  readonly status: Partial<Status> & { readonly metadata?: Readonly<Record<string, string>> };
}

interface Response {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Verdict["status"];
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}

let reviewSchema: ServedSchema | undefined;

/** The type that an answer is decoded into. */
function schemaOfReview(): ServedSchema {
  const string: ServedSchema = { type: "string" };
  reviewSchema ??= {
    type: "object",
    "x-go-type": "admission.v1.AdmissionReview",
    properties: {
      kind: string,
      apiVersion: string,
      response: {
        type: "object",
        "x-go-type": "admission.v1.AdmissionResponse",
        "x-go-pointer": true,
        properties: {
          uid: string,
          allowed: { type: "boolean" },
          status: { ...builtInSchema("meta.v1.Status"), "x-go-pointer": true },
          patch: { type: "string", format: "byte" },
          patchType: { ...string, "x-go-pointer": true },
          auditAnnotations: { type: "object", additionalProperties: string },
          warnings: { type: "array", items: string },
        },
      },
    },
  };
  return reviewSchema;
}

/**
 * Reads what a webhook has answered.
 *
 * @throws WebhookFailure for what is no answer to this review.
 */
export function readVerdict(
  answer: WebhookAnswer,
  asked: { readonly uid: string; readonly version: string; readonly mutating: boolean },
): Verdict {
  const review = decodeReview(answer, asked.version);
  const { response } = review;
  const refuse = (why: string): never => {
    throw new WebhookFailure(`received invalid webhook response: ${why}`);
  };
  if (response === undefined) return refuse("webhook response was absent");
  const { allowed = false, patch = "", patchType, warnings = [], status = {} } = response;
  const verdict = { allowed, patch: patch === "" ? undefined : patch, patchType, warnings, status };
  // The old version was never looked at this closely.
  if (asked.version === "v1beta1") {
    return asked.mutating
      ? { ...verdict, patchType: patch === "" ? undefined : "JSONPatch" }
      : { ...verdict, patch: undefined };
  }
  if ((response.uid ?? "") !== asked.uid) {
    refuse(`expected response.uid=${JSON.stringify(asked.uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  }
  if (review.kind !== "AdmissionReview" || review.apiVersion !== apiVersionOf(group, asked.version)) {
    const { apiVersion = "", kind = "" } = review;
    const expected = kindText(apiVersionOf(group, asked.version), "AdmissionReview");
    refuse(`expected webhook response of ${expected}, got ${kindText(apiVersion, kind)}`);
  }
  if (!asked.mutating) {
    if (patch !== "") refuse("validating webhook may not return response.patch");
    if (patchType !== undefined) refuse("validating webhook may not return response.patchType");
    return verdict;
  }
  if (patch !== "" && patchType === undefined) refuse("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined) refuse("webhook returned response.patchType but not response.patch");
  if (patchType === "") refuse('webhook returned invalid response.patchType of ""');
  return verdict;
}

interface Review {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly response?: Response;
}

function decodeReview(answer: WebhookAnswer, version: string): Review {
  try {
    const value = readReview(answer, { group, kind: "AdmissionReview" });
    const { apiVersion = "", kind = "" } = value as { readonly apiVersion?: string; readonly kind?: string };
    const given = apiVersion.slice(group.length + 1);
    if (kind !== "" && apiVersion !== "" && given !== version) {
      throw new WebhookFailure(
        `converting (${given}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
      );
    }
    return decodeGo(schemaOfReview(), value).value as Review;
  } catch (error) {
    if (!(error instanceof WebhookFailure || error instanceof GoDecodeError)) throw error;
    throw new WebhookFailure(`failed to call webhook: ${error.message}`);
  }
}

/** The refusal of a webhook that does not allow a request. */
export function denial(webhook: string, { status }: Verdict): ApiError {
  const { code = 0, reason = "", message = "", details, metadata } = status;
  const explanation = [message, reason].find((one) => one !== "");
  return new ApiError({
    code: Math.max(code, 400),
    reason,
    message: `admission webhook ${JSON.stringify(webhook)} denied the request${explanation === undefined ? " without explanation" : `: ${explanation}`}`,
    ...(details === undefined ? {} : { details }),
    ...(metadata === undefined ? {} : { listMeta: metadata }),
  });
}
