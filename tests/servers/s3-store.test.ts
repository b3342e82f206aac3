import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createS3Store, type S3Store, startVersitygw, type TransportServer, type Versitygw } from "@farwatch/testing";
import { createHttpTransport, type Instant, systemClock, type Transport } from "farwatch";
import { createVirtualClock } from "farwatch/doubles";
import { type Answered, grants, owner, type S3Case, s3Cases, stranger } from "./s3-cases.ts";
import { signRequest } from "./s3-signer.ts";

const region = "us-east-1";
const users = [
  owner,
  stranger,
  ...Object.keys(grants).map((name) => ({ accessKeyId: name, secretAccessKey: `${name}-secret` })),
];
const actions = {
  list: ["s3:ListBucket", "s3:GetBucketLocation"],
  read: ["s3:GetObject"],
  write: ["s3:PutObject", "s3:DeleteObject"],
} as const;

interface Target {
  readonly url: string;
  readonly transport: Transport;
  readonly admin: { readonly accessKeyId: string; readonly secretAccessKey: string };
  now(): Instant;
}

let gateway: Versitygw;
let http: Transport;
before(async () => {
  http = createHttpTransport();
  gateway = await startVersitygw({ users, region, flags: ["--virtual-domain", "s3.test"] });
  await gateway.createBucket("photos", { owner });
  const whole = ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"];
  await gateway.putBucketPolicy("photos", {
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Principal: { AWS: [owner.accessKeyId] }, Action: "s3:*", Resource: whole },
      ...Object.entries(grants).map(([name, [permission = "list"]]) => ({
        Effect: "Allow",
        Principal: { AWS: [name] },
        Action: actions[permission],
        Resource: permission === "list" ? whole[0] : whole[1],
      })),
    ],
  });
});
after(async () => {
  await http[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const admin = { accessKeyId: "admin", secretAccessKey: "admin-secret" };
function createStore(clock = systemClock): S3Store {
  return createS3Store({
    clock,
    region,
    users: [...users, { ...admin, admin: true }],
    buckets: { photos: { owner: owner.accessKeyId, grants } },
  });
}

/** What of an answer the expectation speaks of. */
async function answerOf({ as = "owner", ask }: S3Case, target: Target, expected: Answered): Promise<Answered> {
  const credentials = as === "admin" ? target.admin : { accessKeyId: as, secretAccessKey: `${as}-secret` };
  const request = signRequest({ credentials, ...ask }, { url: target.url, region, now: target.now() });
  const { status, headers, body } = await target.transport.request({ ...request, protocol: "http/1.1" });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  const isDocument = text.startsWith("<?xml");
  const textsOf = (name: string): readonly string[] =>
    [...text.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "g"))].map(([, found = ""]) => found);
  const code = textsOf("Code")[0];
  if (ask.method === "HEAD") assert.equal(text, "", "HEAD has a body");
  else assert.equal(code !== undefined, status >= 300, `${status} with ${text}`);
  if (code !== undefined) {
    for (const name of ["Message", "RequestId"]) assert.equal(textsOf(name).length, 1, name);
    assert.ok(headers["x-amz-request-id"]);
  }
  // HEAD says nothing but its status and headers.
  const { elements } = ask.method === "HEAD" ? {} : expected;
  return {
    status,
    ...(code === undefined ? {} : { code }),
    ...(elements === undefined
      ? {}
      : {
          elements: Object.fromEntries(
            Object.entries(elements).map(([name, want]) => [
              name,
              typeof want === "string" ? (textsOf(name)[0] ?? "absent") : textsOf(name),
            ]),
          ),
        }),
    ...(expected.headers === undefined
      ? {}
      : { headers: Object.fromEntries(Object.keys(expected.headers).map((name) => [name, headers[name]])) }),
    ...(isDocument || expected.text === undefined ? {} : { text }),
  };
}

/** An error's document is not there for HEAD, and what one server leaves out another cannot be asked for. */
function expectedFor({ ask, gives, versitygw }: S3Case, server: "store" | "versitygw"): Answered {
  const differs = server === "versitygw" ? versitygw : undefined;
  const { code, elements, ...others } = {
    ...gives,
    ...differs,
    elements: differs?.status === undefined ? { ...gives.elements, ...differs?.elements } : differs.elements,
    headers: differs?.status === undefined ? { ...gives.headers, ...differs?.headers } : {},
  };
  const hasCode = ask.method !== "HEAD" && code !== undefined && others.status >= 300;
  return {
    ...others,
    ...(hasCode ? { code } : {}),
    ...(ask.method === "HEAD" || elements === undefined ? {} : { elements }),
  };
}

async function compare(server: "store" | "versitygw", target: Target): Promise<void> {
  const problems: string[] = [];
  for (const each of s3Cases) {
    const expected = expectedFor(each, server);
    try {
      assert.deepEqual(await answerOf(each, target, expected), expected);
    } catch (error) {
      problems.push(`${each.name}: ${(error as Error).message}`);
    }
  }
  assert.equal(problems.length, 0, problems.join("\n"));
}

test("versitygw answers the cases as Amazon does, but where they say otherwise", async () => {
  await compare("versitygw", { url: gateway.url, transport: http, admin: gateway.admin, now: () => systemClock.now() });
});

test("S3 store answers the same requests in the same way through its socket door", async () => {
  await using store = createStore();
  await using server: TransportServer = await store.listen();
  await compare("store", { url: server.url, transport: http, admin, now: () => systemClock.now() });
});

test("S3 store answers the same requests in the same way through its Transport door, at another time", async () => {
  const clock = createVirtualClock({ now: "2031-02-03T04:05:06Z" });
  await using store = createStore(clock);
  const { transport } = store;
  await compare("store", { url: "https://s3.test", transport, admin, now: () => clock.now() });
  assert.equal(transport.inFlight, 0);
  assert.equal(clock.elapsed(), 0);
});
