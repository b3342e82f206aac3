import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startSqs, startTcpRelay } from "@farwatch/testing";
import { type SqsMessage, sqsSource, systemClock } from "farwatch";
import { eventually } from "../eventually.ts";
import { listenOnLoopback } from "../loopback-server.ts";
import { availableServer } from "./available-server.ts";
import { deadLetters } from "./dead-letters.ts";
import { openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";
import { createQueue, type TestQueue, type TestQueueOptions } from "./sqs-queues.ts";

const { server, skip } = await availableServer(startSqs);

async function newQueue(attributes: TestQueueOptions["attributes"] = {}): Promise<TestQueue> {
  assert.ok(server);
  return await createQueue(server, { attributes });
}

const settled = (queue: TestQueue): Promise<unknown> =>
  eventually("the queue is empty", async () => (await queue.left()) === 0);

test("sqsSource yields a message in the middle of its long poll, and deletes it when it was worked on", {
  skip,
}, async () => {
  await using queue = await newQueue();
  await using source = openSource(sqsSource(queue.at));
  await systemClock.sleep("100ms");
  await queue.send(["one"]);
  const { event, hold } = await source.next();
  assert.equal(event.object, "one");
  assert.ok(event.type === "generic" && event.occurredAt !== undefined);
  assert.equal(await queue.left(), 1, "it is kept while it is worked on");
  hold.done();
  await settled(queue);
});

test("sqsSource gives its reader all that a message carries", { skip }, async () => {
  await using queue = await newQueue();
  const read = (message: SqsMessage): SqsMessage => message;
  await using source = openSource(sqsSource({ ...queue.at, read }));
  const MessageAttributes = {
    kind: { DataType: "String", StringValue: "put" },
    bytes: { DataType: "Binary", BinaryValue: new Uint8Array([1]) },
  };
  await queue.send(["body"], { MessageAttributes });
  const { event, hold } = await source.next();
  const { id, sentAt, ...rest } = event.object;
  assert.match(id, /\S/);
  assert.ok(Math.abs((sentAt?.getTime() ?? 0) - systemClock.now().getTime()) < 60_000);
  assert.deepEqual(rest, { body: "body", attributes: new Map([["kind", "put"]]), group: undefined, receiveCount: 1 });
  hold.done();
});

test("sqsSource keeps a message invisible for longer than its visibility while it is held", { skip }, async () => {
  await using queue = await newQueue();
  await using source = openSource(sqsSource({ ...queue.at, visibility: "3s" }));
  await queue.send(["one"]);
  const { hold } = await source.next();
  await using other = openSource(sqsSource({ ...queue.at, visibility: "3s" }));
  await systemClock.sleep("4s");
  assert.equal(other.state.lastEventAt, undefined, "another replica got it");
  assert.equal(await queue.attribute("ApproximateNumberOfMessagesNotVisible"), "1");
  hold.done();
  await settled(queue);
});

test("sqsSource delivers a message again that was given back, not before its time", { skip }, async () => {
  await using queue = await newQueue();
  await using source = openSource(sqsSource({ ...queue.at, read: ({ receiveCount }) => receiveCount }));
  await queue.send(["one"]);
  const first = await source.next();
  const givenAt = systemClock.elapsed();
  first.hold.giveBack("1s");
  const again = await source.next();
  assert.ok(systemClock.elapsed() - givenAt >= 999, "it came too soon");
  assert.equal(again.event.object, 2);
  again.hold.done();
  await settled(queue);
});

test("sqsSource does not wait for its long poll when it is closed, and what it held comes to the next replica", {
  skip,
}, async () => {
  await using queue = await newQueue();
  // fauxqs goes on with a long poll whose client has gone, and hands it what becomes visible: it comes again after this.
  const options = { ...queue.at, visibility: "3s" } as const;
  await queue.send(["1", "2", "3"]);
  const source = openSource(sqsSource(options));
  await source.take(3);
  const closedAt = systemClock.elapsed();
  await source[Symbol.asyncDispose]();
  assert.ok(systemClock.elapsed() - closedAt < 4_000, "it waited for its long poll");
  await using next = openSource(sqsSource(options));
  for (const { hold } of await next.take(3)) hold.done();
  await settled(queue);
});

test("sqsSource keeps the order of a group of a FIFO queue, over a message that is given back", { skip }, async () => {
  await using queue = await newQueue({ FifoQueue: "true", ContentBasedDeduplication: "true" });
  await using source = openSource(sqsSource({ ...queue.at, read: ({ body, group }) => `${group}${body}` }));
  await queue.send(["1", "2", "3", "4"], { MessageGroupId: "a" });
  await queue.send(["5", "6"], { MessageGroupId: "b" });
  const told: string[] = [];
  let given = false;
  while (told.length < 6) {
    const { event, hold } = await source.next();
    if (event.object === "a2" && !given) {
      given = true;
      hold.giveBack("1s");
      continue;
    }
    told.push(event.object);
    hold.done();
  }
  for (const group of ["a", "b"])
    assert.deepEqual(
      told.filter((one) => one.startsWith(group)),
      told.filter((one) => one.startsWith(group)).toSorted(),
    );
  await settled(queue);
});

test("sqsSource hands a message that cannot be read to onDeadLetter, and goes on", { skip }, async () => {
  await using queue = await newQueue();
  const { letters, remember } = deadLetters();
  const read = ({ body }: SqsMessage): unknown => JSON.parse(body);
  await using source = openSource(sqsSource({ ...queue.at, read, onDeadLetter: remember }));
  await queue.send(["{", "2"]);
  const { event, hold } = await source.next();
  assert.equal(event.object, 2);
  hold.done();
  await settled(queue);
  assert.equal(letters.length, 1);
  assert.match(letters[0]?.reason ?? "", /^its body cannot be read: /);
});

test("sqsSource warns at the start of a redrive policy that comes before maxDeliveries", { skip }, async () => {
  await using dead = await newQueue();
  const deadLetterTargetArn = await dead.attribute("QueueArn");
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
  await using queue = await newQueue({ RedrivePolicy });
  await using source = openSource(sqsSource(queue.at));
  await queue.send(["one"]);
  (await source.next()).hold.done();
  assert.deepEqual(
    source.warnings.map(({ fields }) => [fields.maxReceiveCount, fields.maxDeliveries]),
    [[3, 10]],
  );
  await using fine = openSource(sqsSource({ ...queue.at, maxDeliveries: 2 }));
  await queue.send(["two"]);
  await eventually("it came to one of them", () => source.state.buffered + fine.state.buffered > 0);
  assert.deepEqual(fine.warnings, []);
});

test("sqsSource fails when its connection is cut, and what it held comes again", { skip }, async () => {
  await using queue = await newQueue();
  await using relay = await startTcpRelay({ targetPort: server?.port ?? 0 });
  const endpoint = `http://127.0.0.1:${relay.port}`;
  await using source = openSource(sqsSource({ ...queue.at, endpoint, visibility: "3s" }));
  await queue.send(["one"]);
  await source.next();
  await relay.refuse();
  assert.match((await source.failing()).lastError ?? "", /^Cannot read source sqs-uploads-\d+ from SQS: /);
  await relay.resume();
  const again = await source.next();
  assert.equal(again.event.object, "one");
  again.hold.done();
  await settled(queue);
});

test("sqsSource says which queue there is not", { skip }, async () => {
  await using queue = await newQueue();
  const queueUrl = queue.at.queueUrl.replace(/uploads-\d+$/, "nowhere");
  await using source = openSource(sqsSource({ ...queue.at, queueUrl }));
  assert.equal((await source.failing()).lastError, `Cannot read source sqs-nowhere: there is no queue ${queueUrl}`);
});

toleratesSilence({
  name: "sqsSource",
  skip,
  async create() {
    assert.ok(server);
    const queue = await newQueue();
    return {
      source: sqsSource({ ...queue.at, visibility: "3s", read: ({ body }) => Number(body) }),
      server,
      publish: (number) => queue.send([String(number)]),
      [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
    };
  },
  at: (port) => {
    const endpoint = `http://127.0.0.1:${port}`;
    return sqsSource({ queueUrl: `${endpoint}/000000000000/silent`, region: "us-east-1", endpoint, read: Number });
  },
});

/** Stands before a server, and answers what a test names as AWS does where the identity may not. */
async function startDenyingProxy(url: string) {
  const denied = new Set<string>();
  const refusals: string[] = [];
  let key: string | undefined;
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const action = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const [, shown] = /Credential=([^/]+)/.exec(request.headers.authorization ?? "") ?? [];
    if (key !== undefined && shown !== key) {
      refusals.push(action);
      const message = "The security token included in the request is invalid.";
      response.writeHead(403, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: "com.amazon.coral.service#InvalidClientTokenId", message }));
      return;
    }
    if (denied.has(action)) {
      refusals.push(action);
      const message = `User: arn:aws:iam::1:user/farwatch is not authorized to perform: sqs:${action.toLowerCase()}`;
      response.writeHead(403, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", message }));
      return;
    }
    const { host: _host, ...headers } = request.headers as Record<string, string>;
    try {
      const answer = await fetch(new URL(request.url ?? "/", url), { method: "POST", headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.bytes());
    } catch {
      response.destroy();
    }
  });
  const listening = await listenOnLoopback(proxy);
  return {
    endpoint: `http://127.0.0.1:${listening.port}`,
    denied,
    refusals,
    /** From now on no other is let in. */
    letIn(accessKeyId: string): void {
      key = accessKeyId;
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

test("sqsSource that may not delete or hide messages fails, says which right is missing, and makes no dead letters of them", {
  skip,
}, async () => {
  assert.ok(server);
  for (const right of ["DeleteMessage", "ChangeMessageVisibility"]) {
    await using queue = await newQueue();
    await using proxy = await startDenyingProxy(server.url);
    const { letters, remember } = deadLetters();
    const bounds = { visibility: "3s", maxDeliveries: 1, onDeadLetter: remember } as const;
    const options = { ...queue.at, endpoint: proxy.endpoint, ...bounds };
    await using source = openSource(sqsSource(options));
    await queue.send(["one"]);
    const { hold } = await source.next();
    proxy.denied.add(`${right}Batch`);
    if (right === "DeleteMessage") hold.done();
    const { lastError = "" } = await source.failing();
    assert.match(lastError, new RegExp(`not authorized.*; allow sqs:${right} on the queue`));
    await queue.send(["two"]);
    await eventually("it was tried again", () => proxy.refusals.length > 2);
    assert.equal(source.state.unacknowledged, right === "DeleteMessage" ? 0 : 1);
    assert.equal(source.state.phase, "failing");
    proxy.denied.clear();
    const second = await source.next();
    assert.equal(second.event.object, "two");
    assert.equal(source.state.phase, "serving");
    hold.done();
    second.hold.done();
    await settled(queue);
    assert.deepEqual(letters, []);
  }
});

test("sqsSource that may not receive says so", { skip }, async () => {
  assert.ok(server);
  await using queue = await newQueue();
  await using proxy = await startDenyingProxy(server.url);
  proxy.denied.add("ReceiveMessage");
  await using source = openSource(sqsSource({ ...queue.at, endpoint: proxy.endpoint }));
  assert.match((await source.failing()).lastError ?? "", /; allow sqs:ReceiveMessage on the queue/);
});

test("sqsSource reads the credentials of shared files anew at each opening", { skip }, async () => {
  assert.ok(server);
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-sqs-"));
  const file = join(folder.path, "credentials");
  const rotate = (id: string): Promise<void> =>
    writeFile(file, `[default]\naws_access_key_id = ${id}\naws_secret_access_key = not-a-secret\n`);
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  await using queue = await newQueue();
  await queue.send(["one"]);
  await using proxy = await startDenyingProxy(server.url);
  await rotate("AKIDFIRST");
  proxy.letIn("AKIDFIRST");
  delete process.env.AWS_ACCESS_KEY_ID;
  delete process.env.AWS_SECRET_ACCESS_KEY;
  process.env.AWS_SHARED_CREDENTIALS_FILE = file;
  try {
    await using source = openSource(sqsSource({ ...queue.at, endpoint: proxy.endpoint, visibility: "3s" }));
    (await source.next()).hold.done();
    await settled(queue);
    await rotate("AKIDSECOND");
    proxy.letIn("AKIDSECOND");
    await queue.send(["two"]);
    // Received by the poll under way it cannot be deleted with the old key, and comes again.
    const end = new AbortController();
    const working = (async () => {
      for (;;) (await source.next(end.signal)).hold.done();
    })();
    await settled(queue);
    end.abort();
    await assert.rejects(working);
    assert.ok(proxy.refusals.length > 0);
  } finally {
    delete process.env.AWS_SHARED_CREDENTIALS_FILE;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  }
});
