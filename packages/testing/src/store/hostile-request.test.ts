import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import fc from "fast-check";
import { createAzureStore } from "../azure/azure-store.ts";
import { createGcsStore } from "../gcs/gcs-store.ts";
import { createS3Store } from "../s3/s3-store.ts";
import type { ObjectStore } from "./object-store.ts";

const clock = createVirtualClock();
const stores: Readonly<Record<string, ObjectStore>> = {
  s3: createS3Store({
    clock,
    users: [{ accessKeyId: "owner", secretAccessKey: "x" }],
    buckets: { photos: { owner: "owner" } },
  }),
  gcs: createGcsStore({ clock, accounts: [{ email: "owner" }], buckets: { photos: {} } }),
  azure: createAzureStore({ clock, accounts: { acme: { keys: ["AAAA"], containers: { photos: {} } } } }),
};

const word = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      "photos",
      "acme",
      "storage",
      "upload",
      "v1",
      "b",
      "o",
      "token",
      "..",
      "%",
      "%zz",
      "%2F",
      "__proto__",
      "constructor",
    ],
    ...[
      "X-Amz-Algorithm",
      "X-Amz-Credential",
      "X-Amz-Signature",
      "list-type",
      "2",
      "max-keys",
      "-1",
      "restype",
      "container",
    ],
    ...[
      "comp",
      "list",
      "sig",
      "sv",
      "se",
      "sp",
      "ss",
      "uploadType",
      "multipart",
      "media",
      "name",
      "pageToken",
      "alt",
      "versioning",
    ],
  ),
  fc.string({ maxLength: 12 }),
);
const header = fc.tuple(
  fc.constantFrom(
    ...["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-decoded-content-length", "content-type", "host"],
    ...[
      "x-ms-date",
      "x-ms-version",
      "x-ms-blob-type",
      "content-md5",
      "range",
      "x-amz-copy-source",
      "if-none-match",
      "__proto__",
    ],
  ),
  fc.oneof(
    fc.constantFrom(
      ...[
        "AWS4-HMAC-SHA256 Credential=owner/20300101/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=00",
      ],
      ...[
        "20300101T000000Z",
        "SharedKey acme:AAAA",
        "SharedKey",
        "Bearer x",
        "Bearer",
        "Tue, 01 Jan 2030 00:00:00 GMT",
      ],
      ...[
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
        "UNSIGNED-PAYLOAD",
        "multipart/related; boundary=x",
        "multipart/related",
      ],
      ...["photos.s3.test", "acme.blob.core.windows.net", "BlockBlob", "*", "2021-12-02", ""],
    ),
    fc.string({ maxLength: 20 }),
  ),
);
const request = fc.record({
  method: fc.constantFrom("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"),
  path: fc.array(word, { maxLength: 6 }),
  query: fc.array(fc.tuple(word, word), { maxLength: 6 }),
  headers: fc.array(header, { maxLength: 6 }),
  body: fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      "5;chunk-signature=0\r\nhello\r\n0\r\n\r\n",
      "ffffffffffff\r\n",
      "{}",
      '{"name":7}',
      "--x\r\n\r\n{}\r\n--x\r\n\r\n",
    ),
  ),
});

test("object stores refuse whatever nobody in his right mind sends, and let nobody in by it", async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers, body }) => {
      const parameters = query.map(
        ([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${value.toWellFormed()}`,
      );
      const url = new URL(`http://host.test/${path.map((each) => each.replace(/[?#]/g, "")).join("/")}`);
      url.search = parameters.join("&");
      for (const [name, { transport }] of Object.entries(stores)) {
        const { status, body: answer } = await transport.request({
          method,
          url: url.href,
          headers: Object.fromEntries(headers),
          body,
        });
        for await (const part of answer) assert.ok(part.length > 0);
        assert.ok(status >= 400 && status < 600 && status !== 500, `${name}: ${method} ${url.href} gives ${status}`);
      }
    }),
    { numRuns: 400 },
  );
  for (const { transport } of Object.values(stores)) assert.equal(transport.inFlight, 0);
});
