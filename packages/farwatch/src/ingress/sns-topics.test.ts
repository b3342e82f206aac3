import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { before, test } from "node:test";
import fc from "fast-check";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { isCodedError } from "../error/coded-error.ts";
import { jsonBody } from "./json-body.ts";
import { createRsaCertificate, type RsaCertificate } from "./rsa-certificate.fixture.ts";
import { request, verifierContext } from "./scripted-sender.fixture.ts";
import { readSnsMessage } from "./sns-message.ts";
import { snsTopics } from "./sns-topics.ts";

const topic = "arn:aws:sns:eu-west-1:123456789012:uploads";
const certificateUrl = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem";

let current: RsaCertificate;
let expired: RsaCertificate;
before(() => {
  current = createRsaCertificate(2029, 2031);
  expired = createRsaCertificate(2020, 2021);
});

type Fields = Readonly<Record<string, string | undefined>>;

/** As SNS signs: the fields by name, each with its value on the next line. */
function signed(fields: Fields = {}, by: RsaCertificate = current): string {
  const message: Record<string, string> = {};
  const all: Fields = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: topic,
    Message: '{"n":1}',
    Timestamp: "2030-01-01T00:00:00.000Z",
    SignatureVersion: "2",
    SigningCertURL: certificateUrl,
    ...fields,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) message[name] = value;
  const names = ["Message", "MessageId", "SubscribeURL", "Subject", "Timestamp", "Token", "TopicArn", "Type"];
  const text = names.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`])).join("");
  const algorithm = message.SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256";
  message.Signature ??= sign(algorithm, Buffer.from(text), by.privateKey).toString("base64");
  return JSON.stringify(message);
}

const confirmation = {
  Type: "SubscriptionConfirmation",
  Token: "2336412f37fb687f5d51e6e2425f004a",
  SubscribeURL: "https://attacker.test/?Action=ConfirmSubscription",
  Message: "You have chosen to subscribe",
};

function stage(topics: readonly string[] = [topic]) {
  const ctx = verifierContext();
  const { clock } = ctx;
  const transport = createScriptedTransport(clock);
  transport.on({ method: "GET", path: /^\/SimpleNotificationService-/ }, { body: current.pem });
  const sns = snsTopics({ topics, transport });
  const headers = { "content-type": "text/plain; charset=UTF-8" };
  return {
    clock,
    transport,
    verify: (body: string) => sns.auth.verify(request({ body, headers }), ctx),
    read: (body: string) =>
      sns.body(jsonBody()).read(request({ body, headers }), Buffer.from(body), { clock, covers: "body" }),
    sns,
  };
}

test("snsTopics takes messages that SNS has signed, in both versions, with and without a subject", async () => {
  const { verify, transport, read } = stage();
  for (const fields of [{}, { Subject: "Amazon S3 Notification" }, { SignatureVersion: "1" }, confirmation]) {
    assert.deepEqual(await verify(signed(fields)), { identity: topic });
  }
  assert.deepEqual(
    transport.requests.map(({ url }) => url),
    [certificateUrl],
    "the certificate is kept",
  );
  assert.deepEqual(await read(signed()), { type: "events", events: [{ body: { n: 1 } }] });
});

test("snsTopics refuses what was changed, signed by another key, or by a certificate that is not valid now", async () => {
  const { verify, transport } = stage();
  const good = JSON.parse(signed()) as Record<string, string>;
  for (const name of ["Message", "MessageId", "Timestamp"]) {
    assert.equal(await verify(JSON.stringify({ ...good, [name]: `${good[name]}x` })), undefined, name);
  }
  assert.equal(await verify(JSON.stringify({ ...good, Subject: "mine" })), undefined);
  assert.equal(await verify(JSON.stringify({ ...good, Signature: "AAAA" })), undefined);
  assert.equal(await verify(JSON.stringify({ ...good, SignatureVersion: "3" })), undefined);
  assert.equal(await verify(signed({}, expired)), undefined);
  transport.on({ path: /expired/ }, { body: expired.pem });
  const SigningCertURL = certificateUrl.replace("0123456789abcdef", "expired");
  assert.equal(await verify(signed({ SigningCertURL }, expired)), undefined);
});

test("snsTopics fetches certificates from SNS in the topic's region, and nothing from anywhere else", async () => {
  const { verify, transport } = stage();
  for (const url of [
    "https://attacker.test/SimpleNotificationService-0123456789abcdef.pem",
    "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem",
    "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem",
    "https://sns.eu-west-1.amazonaws.com.attacker.test/SimpleNotificationService-0123456789abcdef.pem",
    "https://sns.eu-west-1.amazonaws.com@attacker.test/SimpleNotificationService-0123456789abcdef.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-0123456789abcdef.pem",
    "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-/../x.pem",
    "https://sns.eu-west-1.amazonaws.com/?Action=GetTopicAttributes&x=.pem",
    "https://sns.eu-west-1.amazonaws.com.cn/SimpleNotificationService-0123456789abcdef.pem",
    "",
  ]) {
    assert.equal(await verify(signed({ SigningCertURL: url })), undefined, url);
  }
  assert.deepEqual(transport.requests, []);
});

test("snsTopics fetches a certificate once for all messages that come at once", async () => {
  const { verify, transport } = stage();
  const messages = Array.from({ length: 20 }, (_, n) => signed({ MessageId: `m${n}` }));
  const verified = await Promise.all(messages.map(verify));
  assert.ok(verified.every((each) => each?.identity === topic));
  assert.equal(transport.requests.length, 1);
});

test("snsTopics knows where China keeps its certificates", async () => {
  const arn = "arn:aws-cn:sns:cn-north-1:123456789012:uploads";
  const { verify } = stage([arn]);
  const SigningCertURL = "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0123456789abcdef.pem";
  assert.deepEqual(await verify(signed({ TopicArn: arn, SigningCertURL })), { identity: arn });
});

test("snsTopics takes messages of configured topics alone, and asks nobody about others", async () => {
  const { verify, transport } = stage();
  for (const TopicArn of [`${topic}2`, topic.toUpperCase(), "", "__proto__"]) {
    assert.equal(await verify(signed({ TopicArn })), undefined, TopicArn);
  }
  assert.deepEqual(transport.requests, []);
});

test("snsTopics throws while the certificate cannot be fetched, so that SNS sends again, and refuses where there is none", async () => {
  const { verify, transport } = stage();
  transport.on({ path: /-down/ }, { status: 503 }, { error: new Error("reset") }, { body: "no certificate" });
  const down = signed({ SigningCertURL: certificateUrl.replace("0123456789abcdef", "down") });
  for (let times = 0; times < 3; times += 1) {
    await assert.rejects(verify(down), (error) => isCodedError(error, "CredentialFailed"));
  }
  transport.on({ path: /-none/ }, { status: 403 });
  assert.equal(await verify(signed({ SigningCertURL: certificateUrl.replace("0123456789abcdef", "none") })), undefined);
});

test("snsTopics fetches few certificates for strangers, and knows those that it has meanwhile", async () => {
  const { verify, transport, clock } = stage();
  assert.ok(await verify(signed()));
  transport.on({ path: /-none/ }, { status: 403 });
  const results: unknown[] = [];
  for (let n = 0; n < 50; n += 1) {
    const SigningCertURL = certificateUrl.replace("0123456789abcdef", `none${n}`);
    results.push(await verify(signed({ SigningCertURL })).catch(() => "503"));
  }
  assert.equal(results.filter((result) => result === undefined).length, 4);
  assert.ok(await verify(signed()));
  assert.equal(transport.requests.length, 5);
  await clock.advance("1h");
  assert.equal(await verify(signed({ SigningCertURL: certificateUrl.replace("0123456789abcdef", "none") })), undefined);
});

test("snsTopics asks once for a certificate that there is not, and again when it may have come", async () => {
  const { verify, transport, clock } = stage();
  transport.on({ path: /-later/ }, { status: 403 }, { body: current.pem });
  const later = signed({ SigningCertURL: certificateUrl.replace("0123456789abcdef", "later") });
  for (let times = 0; times < 10; times += 1) assert.equal(await verify(later), undefined);
  assert.equal(transport.requests.length, 1);
  await clock.advance("10m");
  assert.deepEqual(await verify(later), { identity: topic });
});

test("snsTopics takes a message when SNS sends it again, though strangers make up names as fast as they can", async () => {
  const { verify, transport, clock } = stage();
  transport.on({ path: /-none/ }, { status: 403 });
  let made = 0;
  const flood = async (): Promise<void> => {
    for (let n = 0; n < 200; n += 1) {
      made += 1;
      const SigningCertURL = certificateUrl.replace("0123456789abcdef", `none${made}`);
      await verify(signed({ SigningCertURL })).catch(() => undefined);
    }
  };
  await flood();
  await assert.rejects(verify(signed()), (error) => isCodedError(error, "CredentialFailed"));
  // What strangers take is there again before SNS comes back.
  await clock.advance("20s");
  await flood();
  assert.deepEqual(await verify(signed()), { identity: topic });
  assert.ok(transport.requests.length <= 15, `${transport.requests.length} fetches`);
});

test("snsTopics confirms a subscription by the token at SNS itself, whatever its SubscribeURL says", async () => {
  const { read, transport } = stage();
  transport.on({ method: "GET", path: "/" }, { body: "<ConfirmSubscriptionResponse/>" });
  assert.deepEqual(await read(signed(confirmation)), { type: "answer", answer: { status: 200 } });
  const [asked, ...more] = transport.requests;
  assert.deepEqual(more, []);
  const url = new URL(String(asked?.url));
  assert.equal(url.origin, "https://sns.eu-west-1.amazonaws.com");
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    Action: "ConfirmSubscription",
    TopicArn: topic,
    Token: confirmation.Token,
    Version: "2010-03-31",
  });
});

test("snsTopics does not say that a subscription is confirmed when it is not, and keeps its token to itself", async () => {
  const { read, transport } = stage();
  transport.on({ method: "GET", path: "/" }, { status: 500 });
  await assert.rejects(read(signed(confirmation)), (error) => {
    assert.ok(isCodedError(error, "CredentialFailed"));
    assert.doesNotMatch(error.message, new RegExp(confirmation.Token));
    return true;
  });
});

test("snsTopics makes nothing of the end of a subscription", async () => {
  const { read, transport } = stage();
  const end = signed({ ...confirmation, Type: "UnsubscribeConfirmation" });
  assert.deepEqual(await read(end), { type: "answer", answer: { status: 200 } });
  assert.deepEqual(transport.requests, []);
});

test("snsTopics tells deliveries apart by topic and MessageId", () => {
  const { sns } = stage();
  const key = (fields: Fields) => sns.auth.duplicateKey?.(request({}), Buffer.from(signed(fields)));
  assert.equal(key({}), key({ Timestamp: "2030-01-01T00:01:00.000Z" }));
  assert.notEqual(key({}), key({ MessageId: "other" }));
});

test("snsTopics refuses a topic that is none, and names it", () => {
  for (const arn of [
    "uploads",
    "arn:aws:sqs:eu-west-1:123456789012:uploads",
    "arn:aws:sns:eu-west-1.evil:123456789012:x",
  ]) {
    assert.throws(
      () => snsTopics({ topics: [arn] }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});

test("readSnsMessage reads no hostile body as a message", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(readSnsMessage(Buffer.from(text)), undefined);
    }),
  );
});
