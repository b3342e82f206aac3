import type { ServedAnswer } from "../store/served-request.ts";
import { type XmlElement, xmlDocument } from "../store/xml.ts";

export interface S3ErrorOptions {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Elements between Message and RequestId. */
  readonly more?: readonly XmlElement[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal, thrown anywhere in the S3 store and answered as an error document. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number;
  readonly code: string;
  readonly more: readonly XmlElement[];
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, message, more = [], headers = {} }: S3ErrorOptions) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
    this.headers = headers;
  }

  toAnswer(requestId: string): ServedAnswer {
    const elements: readonly XmlElement[] = [
      ["Code", this.code],
      ["Message", this.message],
      ...this.more,
      ["RequestId", requestId],
      ["HostId", `host-${requestId}`],
    ];
    return {
      status: this.status,
      code: this.code,
      headers: { "content-type": "application/xml", ...this.headers },
      body: xmlDocument("Error", elements),
    };
  }
}

/** 403 with no reason, as S3 gives none. */
export function accessDenied(message = "Access Denied", more: readonly XmlElement[] = []): S3Error {
  return new S3Error({ status: 403, code: "AccessDenied", message, more });
}

export function noSuchBucket(bucket: string): S3Error {
  return new S3Error({
    status: 404,
    code: "NoSuchBucket",
    message: "The specified bucket does not exist",
    more: [["BucketName", bucket]],
  });
}

export function invalidArgument(message: string, name: string, value: string): S3Error {
  return new S3Error({
    status: 400,
    code: "InvalidArgument",
    message,
    more: [
      ["ArgumentName", name],
      ["ArgumentValue", value],
    ],
  });
}

/** For what S3 does and this store does not: never a wrong success. */
export function notImplemented(what: string): S3Error {
  return new S3Error({ status: 501, code: "NotImplemented", message: `This test store does not implement ${what}` });
}
