import type { Instant } from "farwatch";
import type { ServedAnswer } from "../store/served-request.ts";
import { type XmlElement, xmlDocument } from "../store/xml.ts";

export interface AzureErrorOptions {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly more?: readonly XmlElement[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal, thrown anywhere in the Azure store and answered as an error document, and in `x-ms-error-code`. */
export class AzureError extends Error {
  override readonly name = "AzureError";
  readonly #options: AzureErrorOptions;

  constructor(options: AzureErrorOptions) {
    super(options.message);
    this.#options = options;
  }

  toAnswer(requestId: string, now: Instant): ServedAnswer {
    const { status, code, message, more = [], headers = {} } = this.#options;
    const elements: readonly XmlElement[] = [
      ["Code", code],
      ["Message", `${message}\nRequestId:${requestId}\nTime:${now.toISOString().replace("Z", "0000Z")}`],
      ...more,
    ];
    return {
      status,
      code,
      headers: { "content-type": "application/xml", "x-ms-error-code": code, ...headers },
      body: xmlDocument("Error", elements),
    };
  }
}

/**
 * 403 for a signature that is wrong, too old or not there yet: Azure has one code for all, and the detail in its body.
 */
export function authenticationFailed(detail: string): AzureError {
  return new AzureError({
    status: 403,
    code: "AuthenticationFailed",
    message:
      "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.",
    more: [["AuthenticationErrorDetail", detail]],
  });
}

/** 403 for who is known and may not. */
export function notAuthorized(code: string, message: string): AzureError {
  return new AzureError({ status: 403, code, message });
}

export function permissionMismatch(): AzureError {
  return notAuthorized(
    "AuthorizationPermissionMismatch",
    "This request is not authorized to perform this operation using this permission.",
  );
}

export function containerNotFound(): AzureError {
  return new AzureError({
    status: 404,
    code: "ContainerNotFound",
    message: "The specified container does not exist.",
  });
}

export function badRequest(code: string, message: string, more: readonly XmlElement[] = []): AzureError {
  return new AzureError({ status: 400, code, message, more });
}
