import type { S3Permission } from "@farwatch/testing";
import { type RawRequest, type SignedAsk, sha256 } from "./s3-signer.ts";

const key = (name: string): { readonly accessKeyId: string; readonly secretAccessKey: string } => ({
  accessKeyId: name,
  secretAccessKey: `${name}-secret`,
});

export const owner = key("owner");
export const stranger = key("stranger");
/** What each may with bucket photos, and nothing else. */
export const grants: Readonly<Record<string, readonly S3Permission[]>> = {
  lister: ["list"],
  reader: ["read"],
  writer: ["write"],
};
/** Whom a case sends its request as: the admin's keys are the server's own. */
export type Sender = "admin" | "owner" | "stranger" | "lister" | "reader" | "writer";

/** What of an answer is compared. */
export interface Answered {
  readonly status: number;
  /** Of the error document; undefined: none. */
  readonly code?: string;
  /** Names of elements in the answer's document with their texts. */
  readonly elements?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Where it is no XML document. */
  readonly text?: string;
}

export interface S3Case {
  readonly name: string;
  readonly as?: Sender;
  readonly ask: Omit<SignedAsk, "credentials"> & Partial<Pick<SignedAsk, "credentials">>;
  /** As Amazon answers, and the store. */
  readonly gives: Answered;
  /** Where versitygw 1.8.0 is not as Amazon. */
  readonly versitygw?: Partial<Answered>;
}

const day = 86_400_000;
const minute = 60_000;
const list = { "list-type": "2" };
const without = (name: string) => (request: RawRequest) => {
  const { [name]: _, ...headers } = request.headers;
  request.headers = headers;
};
const replaced = (pattern: RegExp, by: string) => (request: RawRequest) => {
  const before = `${request.url} ${request.headers.authorization}`;
  request.url = request.url.replace(pattern, by);
  if (request.headers.authorization !== undefined) {
    request.headers.authorization = request.headers.authorization.replace(pattern, by);
  }
  if (before === `${request.url} ${request.headers.authorization}`) throw new Error(`${pattern} is not in ${before}`);
};
const header = (name: string, value: string) => (request: RawRequest) => {
  request.headers[name] = value;
};
const xml = { "content-type": "application/xml" };
const denied: Answered = { status: 403, code: "AccessDenied", headers: xml };
const mismatch: Answered = { status: 403, code: "SignatureDoesNotMatch", headers: xml };
const constraint = (region: string): string =>
  `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;

/** Valid requests, in an order in which each finds what the ones before it made. The server holds bucket photos, which is owner's and empty. */
const validCases: readonly S3Case[] = [
  {
    name: "HEAD on a bucket",
    ask: { method: "HEAD", path: "/photos" },
    gives: { status: 200, headers: { "x-amz-bucket-region": "us-east-1" } },
  },
  {
    name: "HEAD on a bucket with a slash behind it",
    ask: { method: "HEAD", path: "/photos/" },
    gives: { status: 200, headers: { "x-amz-bucket-region": "us-east-1" } },
  },
  {
    name: "GET of an empty bucket",
    ask: { method: "GET", path: "/photos", query: { ...list, "max-keys": "1" } },
    gives: {
      status: 200,
      headers: { ...xml, "x-amz-bucket-region": "us-east-1" },
      elements: { Name: "photos", KeyCount: "0", MaxKeys: "1", IsTruncated: "false", Key: [] },
    },
  },
  {
    name: "location of a bucket",
    ask: { method: "GET", path: "/photos", query: { location: "" } },
    gives: { status: 200, headers: xml, elements: { LocationConstraint: "" } },
  },
  {
    name: "list of one's own buckets",
    ask: { method: "GET", path: "/" },
    gives: { status: 200, headers: xml, elements: { Name: "photos", BucketRegion: "us-east-1" } },
  },
  {
    name: "PUT of an object",
    ask: { method: "PUT", path: "/photos/a/1.txt", body: "hello" },
    gives: { status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } },
  },
  {
    name: "PUT of an object with a type and metadata",
    ask: {
      ...{ method: "PUT", path: "/photos/a/2.txt", body: "hello2" },
      headers: { "content-type": "text/plain", "x-amz-meta-color": "red" },
    },
    gives: { status: 200, headers: { etag: '"6e809cbda0732ac4845916a59016f954"' } },
  },
  {
    name: "PUT of an object whose payload is not signed, with a key that needs encoding",
    ask: { method: "PUT", path: "/photos/b%20c/%C3%A9%2B.txt", body: "hello3", hash: "UNSIGNED-PAYLOAD" },
    gives: { status: 200 },
  },
  {
    name: "PUT of an object in signed chunks",
    ask: { method: "PUT", path: "/photos/chunked", body: "x".repeat(20_000), chunks: { size: 8_192 } },
    gives: { status: 200, headers: { etag: '"e5d2c6fe7777b38038eb8315e1f5c734"' } },
  },
  {
    name: "PUT of an object in signed chunks with a checksum behind them",
    ask: {
      ...{ method: "PUT", path: "/photos/trailer", body: "hello" },
      chunks: { size: 8_192, trailer: "x-amz-checksum-crc32:NhCmhg==" },
    },
    gives: { status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } },
  },
  {
    name: "PUT of an object in unsigned chunks with a checksum behind them",
    ask: {
      ...{ method: "PUT", path: "/photos/unsigned-trailer", body: "hello" },
      chunks: { size: 8_192, signed: false, trailer: "x-amz-checksum-crc32:NhCmhg==" },
    },
    gives: { status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } },
  },
  {
    name: "PUT of an object with its digest",
    ask: {
      ...{ method: "PUT", path: "/photos/digest", body: "hello" },
      headers: {
        "content-md5": "XUFAKrxLKna5cZ2REBfFkg==",
        "x-amz-checksum-sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
      },
    },
    gives: { status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } },
  },
  {
    name: "HEAD on an object",
    ask: { method: "HEAD", path: "/photos/a/2.txt" },
    gives: {
      status: 200,
      headers: {
        "content-type": "text/plain",
        "content-length": "6",
        "x-amz-meta-color": "red",
        etag: '"6e809cbda0732ac4845916a59016f954"',
      },
    },
  },
  {
    name: "GET of an object",
    ask: { method: "GET", path: "/photos/a/2.txt" },
    gives: { status: 200, text: "hello2", headers: { "content-type": "text/plain", "x-amz-meta-color": "red" } },
  },
  {
    name: "GET of an object that came in chunks",
    ask: { method: "GET", path: "/photos/trailer" },
    gives: { status: 200, text: "hello", headers: { "content-encoding": undefined } },
    // It takes the request's framing for the object's encoding.
    versitygw: { headers: { "content-encoding": "aws-chunked" } },
  },
  {
    name: "list in the order of the keys",
    ask: { method: "GET", path: "/photos", query: list },
    gives: {
      status: 200,
      elements: {
        Key: ["a/1.txt", "a/2.txt", "b c/é+.txt", "chunked", "digest", "trailer", "unsigned-trailer"],
        Size: ["5", "6", "6", "20000", "5", "5", "5"],
        KeyCount: "7",
        IsTruncated: "false",
        MaxKeys: "1000",
      },
    },
  },
  {
    name: "list of a prefix",
    ask: { method: "GET", path: "/photos", query: { ...list, prefix: "a/" } },
    gives: { status: 200, elements: { Key: ["a/1.txt", "a/2.txt"], KeyCount: "2" } },
  },
  {
    name: "list up to a delimiter",
    ask: { method: "GET", path: "/photos", query: { ...list, delimiter: "/", "max-keys": "3" } },
    gives: {
      status: 200,
      elements: { Key: ["chunked"], Prefix: ["", "a/", "b c/"], KeyCount: "3", IsTruncated: "true", Delimiter: "/" },
    },
    versitygw: { elements: { Prefix: ["a/", "b c/"] } },
  },
  {
    name: "list after a key",
    ask: { method: "GET", path: "/photos", query: { ...list, "start-after": "digest" } },
    gives: { status: 200, elements: { Key: ["trailer", "unsigned-trailer"], StartAfter: "digest" } },
  },
  {
    name: "list of at most one key",
    ask: { method: "GET", path: "/photos", query: { ...list, "max-keys": "1" } },
    gives: { status: 200, elements: { Key: ["a/1.txt"], KeyCount: "1", IsTruncated: "true" } },
  },
  {
    name: "list of no key",
    ask: { method: "GET", path: "/photos", query: { ...list, "max-keys": "0" } },
    gives: { status: 200, elements: { Key: [], KeyCount: "0", IsTruncated: "false" } },
  },
  {
    name: "list of more than there can be on a page",
    ask: { method: "GET", path: "/photos", query: { ...list, "max-keys": "5000" } },
    gives: { status: 200, elements: { MaxKeys: "1000" } },
  },
  {
    name: "list in the old way",
    ask: { method: "GET", path: "/photos", query: { marker: "digest" } },
    gives: { status: 200, elements: { Key: ["trailer", "unsigned-trailer"], Marker: "digest", IsTruncated: "false" } },
  },
  {
    name: "list with a parameter that S3 does not know",
    ask: { method: "GET", path: "/photos", query: { ...list, wombat: "" } },
    gives: { status: 200, elements: { KeyCount: "7" } },
  },
  { name: "DELETE of an object", ask: { method: "DELETE", path: "/photos/a/1.txt" }, gives: { status: 204 } },
  {
    name: "DELETE of an object that is not there",
    ask: { method: "DELETE", path: "/photos/a/1.txt" },
    gives: { status: 204 },
  },
  {
    name: "HEAD on a bucket by virtual host",
    ask: { method: "HEAD", path: "/", host: "photos.s3.test" },
    gives: { status: 200, headers: { "x-amz-bucket-region": "us-east-1" } },
  },
  {
    name: "list by virtual host",
    ask: { method: "GET", path: "/", host: "photos.s3.test", query: { ...list, prefix: "a" } },
    gives: { status: 200, elements: { Name: "photos", Key: ["a/2.txt"] } },
  },
  {
    name: "GET of an object by virtual host",
    ask: { method: "GET", path: "/a/2.txt", host: "photos.s3.test" },
    gives: { status: 200, text: "hello2" },
  },
  { name: "presigned HEAD", ask: { method: "HEAD", path: "/photos", presign: 60 }, gives: { status: 200 } },
  {
    name: "presigned GET of an object",
    ask: { method: "GET", path: "/photos/a/2.txt", presign: 60 },
    gives: { status: 200, text: "hello2" },
  },
  {
    name: "presigned PUT",
    ask: { method: "PUT", path: "/photos/presigned", presign: 60, body: "hello" },
    gives: { status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } },
  },
  {
    name: "presigned URL that is older than a skew, and good for longer",
    ask: { method: "HEAD", path: "/photos", presign: 3_600, offMs: -30 * minute },
    gives: { status: 200 },
  },
  {
    name: "signature of a clock that is 14 minutes behind",
    ask: { method: "HEAD", path: "/photos", offMs: -14 * minute },
    gives: { status: 200 },
  },
  {
    name: "signature of a clock that is 14 minutes ahead",
    ask: { method: "HEAD", path: "/photos", offMs: 14 * minute },
    gives: { status: 200 },
  },
  { name: "HEAD by who may list", as: "lister", ask: { method: "HEAD", path: "/photos" }, gives: { status: 200 } },
  {
    name: "GET of an object by who may read",
    as: "reader",
    ask: { method: "GET", path: "/photos/a/2.txt" },
    gives: { status: 200, text: "hello2" },
  },
  {
    name: "PUT by who may write",
    as: "writer",
    ask: { method: "PUT", path: "/photos/w", body: "w" },
    gives: { status: 200 },
  },
  {
    name: "DELETE by who may write",
    as: "writer",
    ask: { method: "DELETE", path: "/photos/w" },
    gives: { status: 204 },
  },
  {
    name: "creation of a bucket",
    as: "admin",
    ask: { method: "PUT", path: "/made" },
    gives: { status: 200, headers: { location: "/made" } },
  },
  {
    name: "creation of one's own bucket again, in us-east-1",
    as: "admin",
    ask: { method: "PUT", path: "/made" },
    gives: { status: 200 },
    versitygw: { status: 409, code: "BucketAlreadyOwnedByYou" },
  },
  { name: "deletion of a bucket", as: "admin", ask: { method: "DELETE", path: "/made" }, gives: { status: 204 } },
];

const hostileCases: readonly S3Case[] = [
  ...(["HEAD", "GET"] as const).flatMap((method): readonly S3Case[] => {
    const ask = { method, path: "/photos" };
    const place = method === "HEAD" ? { headers: { "x-amz-bucket-region": "us-east-1" } } : {};
    const unplaced = method === "HEAD" ? { headers: { "x-amz-bucket-region": undefined } } : {};
    return [
      { name: "wrong secret", ask: { ...ask, credentials: { ...owner, secretAccessKey: "x" } }, gives: mismatch },
      {
        name: "unknown key",
        ask: { ...ask, credentials: key("nobody") },
        gives: { status: 403, code: "InvalidAccessKeyId", elements: { AWSAccessKeyId: "nobody" } },
      },
      {
        name: "clock 20 minutes ahead",
        ask: { ...ask, offMs: 20 * minute },
        gives: { status: 403, code: "RequestTimeTooSkewed", elements: { MaxAllowedSkewMilliseconds: "900000" } },
      },
      {
        name: "clock 20 minutes behind",
        ask: { ...ask, offMs: -20 * minute },
        gives: { status: 403, code: "RequestTimeTooSkewed" },
      },
      {
        name: "clock two days behind",
        ask: { ...ask, offMs: -2 * day },
        gives: { status: 403, code: "RequestTimeTooSkewed" },
      },
      {
        name: "wrong region",
        ask: { ...ask, region: "eu-west-1" },
        gives: {
          status: 400,
          code: "AuthorizationHeaderMalformed",
          elements: { Region: "us-east-1" },
          ...place,
        },
        versitygw: unplaced,
      },
      {
        name: "wrong service",
        ask: { ...ask, service: "ec2" },
        gives: { status: 400, code: "AuthorizationHeaderMalformed" },
      },
      {
        name: "header that was changed",
        ask: { ...ask, headers: { "x-amz-meta-a": "1" }, tamper: header("x-amz-meta-a", "2") },
        gives: mismatch,
      },
      {
        name: "header that was added",
        ask: { ...ask, tamper: header("x-amz-acl", "public-read") },
        gives: { ...denied, elements: { HeadersNotSigned: "x-amz-acl" } },
      },
      {
        name: "host that was not signed",
        ask: { ...ask, tamper: replaced(/SignedHeaders=host;/, "SignedHeaders=") },
        gives: { ...denied, elements: { HeadersNotSigned: "host" } },
      },
      {
        name: "query that was added",
        ask: {
          ...ask,
          tamper: (request) => {
            request.url += "?prefix=b";
          },
        },
        gives: mismatch,
      },
      { name: "anonymous request", ask: { ...ask, tamper: without("authorization") }, gives: { ...denied, ...place } },
      {
        name: "anonymous request for a bucket that is not there",
        ask: { ...ask, path: "/missing", tamper: without("authorization") },
        gives: { status: 404, code: "NoSuchBucket" },
      },
      {
        name: "bucket that is not there",
        ask: { ...ask, path: "/missing" },
        gives: { status: 404, code: "NoSuchBucket", elements: { BucketName: "missing" } },
      },
      {
        name: "bucket that is not there, and a wrong region",
        ask: { ...ask, path: "/missing", region: "eu-west-1" },
        gives: { status: 400, code: "AuthorizationHeaderMalformed" },
      },
      { name: "no permission at all", as: "stranger", ask, gives: { ...denied, ...place } },
      { name: "permission to read objects only", as: "reader", ask, gives: denied },
      { name: "permission to write only", as: "writer", ask, gives: denied },
      {
        name: "bucket name with capitals",
        ask: { ...ask, path: "/Bad_Name" },
        gives: { status: 400, code: "InvalidBucketName" },
      },
      {
        name: "bucket name of two letters",
        ask: { ...ask, path: "/ab" },
        gives: { status: 400, code: "InvalidBucketName" },
      },
      {
        name: "bucket name like an address",
        ask: { ...ask, path: "/192.168.1.1" },
        gives: { status: 400, code: "InvalidBucketName" },
      },
      {
        name: "presigned URL that has expired",
        ask: { ...ask, presign: 60, offMs: -2 * minute },
        gives: { ...denied, elements: { "X-Amz-Expires": "60" } },
      },
      {
        name: "presigned URL that is not valid yet",
        ask: { ...ask, presign: 60, offMs: 20 * minute },
        gives: denied,
        // It does not look whether the time of a presigned URL has begun.
        versitygw: { status: 200 },
      },
      {
        name: "presigned URL of a wrong secret",
        ask: { ...ask, presign: 60, credentials: { ...owner, secretAccessKey: "x" } },
        gives: mismatch,
      },
      {
        name: "presigned URL of an unknown key",
        ask: { ...ask, presign: 60, credentials: key("nobody") },
        gives: { status: 403, code: "InvalidAccessKeyId" },
      },
      {
        name: "presigned URL for another region",
        ask: { ...ask, presign: 60, region: "eu-west-1" },
        gives: { status: 400, code: "AuthorizationQueryParametersError" },
      },
      {
        name: "presigned URL whose time was stretched",
        ask: { ...ask, presign: 60, tamper: replaced(/X-Amz-Expires=60/, "X-Amz-Expires=600") },
        gives: mismatch,
      },
      {
        name: "presigned URL without a time",
        ask: { ...ask, presign: 60, tamper: replaced(/X-Amz-Expires=60&/, "") },
        gives: { status: 400, code: "AuthorizationQueryParametersError" },
      },
      ...(["999999999", "-1", "soon"] as const).map(
        (expires): S3Case => ({
          name: `presigned URL that is good for ${expires}`,
          ask: { ...ask, presign: 60, tamper: replaced(/X-Amz-Expires=60/, `X-Amz-Expires=${expires}`) },
          gives: { status: 400, code: "AuthorizationQueryParametersError" },
        }),
      ),
      {
        name: "presigned URL of another algorithm",
        ask: { ...ask, presign: 60, tamper: replaced(/AWS4-HMAC-SHA256/, "AWS4-HMAC-SHA1") },
        gives: { status: 400, code: "AuthorizationQueryParametersError" },
      },
      {
        name: "presigned URL with a date that is none",
        ask: { ...ask, presign: 60, tamper: replaced(/X-Amz-Date=\w+/, "X-Amz-Date=today") },
        gives: { status: 400, code: "AuthorizationQueryParametersError" },
      },
      {
        name: "authorization without its parts",
        ask: { ...ask, tamper: header("authorization", "AWS4-HMAC-SHA256 nonsense") },
        gives: { status: 400, code: "AuthorizationHeaderMalformed" },
      },
      {
        name: "authorization of the web",
        ask: { ...ask, tamper: header("authorization", "Basic b3duZXI6eA==") },
        gives: { status: 400, code: "InvalidArgument", elements: { ArgumentName: "Authorization" } },
      },
      {
        name: "authorization of version 2",
        ask: { ...ask, tamper: header("authorization", "AWS owner:c2lnbmF0dXJl") },
        gives: { status: 400, code: "InvalidRequest" },
      },
      {
        name: "credential without a scope",
        ask: { ...ask, tamper: replaced(/Credential=[^,]+/, "Credential=owner") },
        gives: { status: 400, code: "AuthorizationHeaderMalformed" },
      },
      {
        name: "credential of another day",
        ask: { ...ask, tamper: replaced(/Credential=owner\/\d{8}/, "Credential=owner/20200101") },
        gives: { status: 400, code: "AuthorizationHeaderMalformed" },
      },
      { name: "no date", ask: { ...ask, tamper: without("x-amz-date") }, gives: denied },
      { name: "date that is none", ask: { ...ask, tamper: header("x-amz-date", "yesterday") }, gives: denied },
      {
        name: "no content hash",
        ask: { ...ask, hash: null },
        gives: { status: 400, code: "InvalidRequest" },
        // For HEAD it computes a signature with no hash in it, which is not what was signed.
        ...(method === "HEAD" ? { versitygw: { status: 403 } } : {}),
      },
      {
        name: "content hash that is none",
        ask: { ...ask, hash: "zzz" },
        gives: { status: 400, code: "InvalidArgument", elements: { ArgumentName: "x-amz-content-sha256" } },
      },
      {
        name: "chunked payload where there is none",
        ask: { ...ask, hash: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" },
        gives: { status: 400, code: "InvalidRequest" },
      },
    ];
  }),
  {
    name: "content hash of something else",
    ask: { method: "PUT", path: "/photos/x", body: "hello", hash: sha256("other") },
    gives: {
      status: 400,
      code: "XAmzContentSHA256Mismatch",
      elements: { ClientComputedContentSHA256: sha256("other"), S3ComputedContentSHA256: sha256("hello") },
    },
  },
  {
    name: "body that was changed",
    ask: {
      ...{ method: "PUT", path: "/photos/x", body: "hello" },
      tamper: (request) => {
        request.body = Buffer.from("jello");
      },
    },
    gives: { status: 400, code: "XAmzContentSHA256Mismatch" },
  },
  {
    name: "chunk that was changed",
    ask: {
      ...{ method: "PUT", path: "/photos/x", body: "x".repeat(20_000), chunks: { size: 8_192 } },
      tamper: (request) => {
        request.body[10_000] = 0x79;
      },
    },
    gives: mismatch,
  },
  {
    name: "chunks with another checksum behind them",
    ask: {
      ...{ method: "PUT", path: "/photos/x", body: "hello" },
      chunks: { size: 8_192, trailer: "x-amz-checksum-crc32:AAAAAA==" },
    },
    gives: { status: 400, code: "BadDigest" },
  },
  {
    name: "digest of something else",
    ask: {
      ...{ method: "PUT", path: "/photos/x", body: "hello" },
      headers: { "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" },
    },
    gives: { status: 400, code: "BadDigest" },
  },
  {
    name: "digest that is none",
    ask: { method: "PUT", path: "/photos/x", body: "hello", headers: { "content-md5": "x" } },
    gives: { status: 400, code: "InvalidDigest" },
  },
  {
    name: "checksum of something else",
    ask: { method: "PUT", path: "/photos/x", body: "hello", headers: { "x-amz-checksum-crc32": "AAAAAA==" } },
    gives: { status: 400, code: "BadDigest" },
  },
  {
    name: "PUT of an object that must not be there",
    ask: { method: "PUT", path: "/photos/a/2.txt", body: "new", headers: { "if-none-match": "*" } },
    gives: { status: 412, code: "PreconditionFailed" },
  },
  {
    name: "GET of an object that is not there",
    ask: { method: "GET", path: "/photos/none" },
    gives: { status: 404, code: "NoSuchKey" },
  },
  {
    name: "HEAD on an object that is not there",
    ask: { method: "HEAD", path: "/photos/none" },
    gives: { status: 404 },
  },
  {
    name: "GET of an object that is not there by who may not list",
    as: "reader",
    ask: { method: "GET", path: "/photos/none" },
    gives: denied,
    // Amazon does not tell whether there is such a key to who may not list them.
    versitygw: { status: 404, code: "NoSuchKey" },
  },
  {
    name: "GET of an object by who may list only",
    as: "lister",
    ask: { method: "GET", path: "/photos/a/2.txt" },
    gives: denied,
  },
  {
    name: "GET of an object by who may write only",
    as: "writer",
    ask: { method: "GET", path: "/photos/a/2.txt" },
    gives: denied,
  },
  {
    name: "PUT by who may read only",
    as: "reader",
    ask: { method: "PUT", path: "/photos/x", body: "x" },
    gives: denied,
  },
  {
    name: "DELETE by who may read only",
    as: "reader",
    ask: { method: "DELETE", path: "/photos/a/2.txt" },
    gives: denied,
  },
  {
    name: "GET of an object in a bucket that is not there",
    ask: { method: "GET", path: "/missing/a" },
    gives: { status: 404, code: "NoSuchBucket" },
  },
  {
    name: "PUT into a bucket that is not there",
    ask: { method: "PUT", path: "/missing/a", body: "a" },
    gives: { status: 404, code: "NoSuchBucket" },
  },
  {
    name: "list of a number of keys that is none",
    ask: { method: "GET", path: "/photos", query: { ...list, "max-keys": "x" } },
    gives: { status: 400, code: "InvalidArgument", elements: { ArgumentName: "max-keys" } },
  },
  {
    name: "list of fewer keys than none",
    ask: { method: "GET", path: "/photos", query: { ...list, "max-keys": "-1" } },
    gives: { status: 400, code: "InvalidArgument" },
  },
  {
    name: "list from a token of somebody else",
    ask: { method: "GET", path: "/photos", query: { ...list, "continuation-token": "!!!" } },
    gives: { status: 400, code: "InvalidArgument" },
    // Its tokens are keys, and any text is one.
    versitygw: { status: 200 },
  },
  {
    name: "location for who has no permission",
    as: "stranger",
    ask: { method: "GET", path: "/photos", query: { location: "" } },
    gives: denied,
  },
  {
    name: "location of a bucket that is not there",
    ask: { method: "GET", path: "/missing", query: { location: "" } },
    gives: { status: 404, code: "NoSuchBucket" },
  },
  {
    name: "list of buckets by nobody",
    ask: { method: "GET", path: "/", tamper: without("authorization") },
    gives: denied,
  },
  {
    name: "list of buckets by who has none",
    as: "stranger",
    ask: { method: "GET", path: "/" },
    gives: { status: 200, elements: { Name: [] } },
  },
  {
    name: "bucket by virtual host that is not there",
    ask: { method: "GET", path: "/", host: "missing.s3.test" },
    gives: { status: 404, code: "NoSuchBucket" },
  },
  {
    name: "bucket by virtual host of another host",
    ask: { method: "GET", path: "/", host: "photos.s3.test", tamper: header("host", "other.s3.test") },
    gives: mismatch,
  },
  { name: "creation of a bucket by who may not", ask: { method: "PUT", path: "/more" }, gives: denied },
  {
    name: "creation of somebody else's bucket",
    as: "admin",
    ask: { method: "PUT", path: "/photos" },
    gives: { status: 409, code: "BucketAlreadyExists" },
  },
  ...["/Bad_Name", "/ab", "/192.168.1.1", `/${"a".repeat(64)}`].map(
    (path): S3Case => ({
      name: `creation of bucket ${path.slice(1, 20)}`,
      as: "admin",
      ask: { method: "PUT", path },
      gives: { status: 400, code: "InvalidBucketName" },
    }),
  ),
  {
    name: "creation of bucket a..b",
    as: "admin",
    ask: { method: "PUT", path: "/a..b" },
    gives: { status: 400, code: "InvalidBucketName" },
    versitygw: { status: 200 },
  },
  {
    name: "creation of a bucket elsewhere",
    as: "admin",
    ask: { method: "PUT", path: "/more", body: constraint("eu-west-1") },
    gives: { status: 400, code: "InvalidLocationConstraint" },
  },
  {
    name: "creation of a bucket by half a document",
    as: "admin",
    ask: { method: "PUT", path: "/more", body: "<Create" },
    gives: { status: 400, code: "MalformedXML" },
  },
  {
    name: "deletion of a bucket with objects",
    ask: { method: "DELETE", path: "/photos" },
    gives: { status: 409, code: "BucketNotEmpty" },
  },
  {
    name: "deletion of somebody else's bucket",
    as: "stranger",
    ask: { method: "DELETE", path: "/photos" },
    gives: denied,
  },
  {
    name: "deletion of a bucket that is not there",
    ask: { method: "DELETE", path: "/missing" },
    gives: { status: 404, code: "NoSuchBucket" },
  },
  {
    name: "method that S3 has not",
    ask: { method: "PATCH", path: "/photos" },
    gives: { status: 405, code: "MethodNotAllowed" },
  },
];

export const s3Cases: readonly S3Case[] = [...validCases, ...hostileCases].map((each) => ({
  ...each,
  name: hostileCases.includes(each) ? `${each.ask.method}: ${each.name}` : each.name,
}));
