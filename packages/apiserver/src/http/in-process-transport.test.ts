import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import { EventBody } from "../route/event-body.ts";
import type { ServerRequest, ServerResponse } from "../route/server-request.ts";
import { createInProcessTransport } from "./in-process-transport.ts";

function transportTo(answer: (request: ServerRequest) => Promise<ServerResponse["body"]>) {
  return createInProcessTransport(
    async (request) => ({ status: 200, headers: { a: "1", b: ["2", "3"] }, body: await answer(request) }),
    createVirtualClock(),
  );
}

const get = { method: "GET", url: "http://anywhere/api/v1/pods?limit=1" } as const;

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

test("in-process transport hands on path, query and body, and is in flight until the answer is read", async () => {
  const transport = transportTo(async ({ target, body }) => `${target} ${Buffer.from(body ?? "")}`);
  const { headers, body } = await transport.request({ ...get, body: "sent" });
  assert.deepEqual(headers, { a: "1", b: "2, 3" });
  assert.equal(transport.inFlight, 1);
  assert.equal(await textOf(body), "/api/v1/pods?limit=1 sent");
  assert.equal(transport.inFlight, 0);
});

test("in-process transport asks for the target that a URL's parser would ask for", async () => {
  const transport = transportTo(async ({ target }) => target);
  const urls = [
    "/a/../b?c=d",
    "/a/.%2E/b",
    "/a b?c='d'#e",
    "",
    "?watch=1",
    "/apis/g.k8s.io/v1/ns/%C3%BC?a=b%2Cc&d=e+f",
    "/ü",
  ];
  for (const url of urls.map((each) => `http://server:80${each}`)) {
    const { pathname, search } = new URL(url);
    assert.equal(await textOf((await transport.request({ method: "GET", url })).body), `${pathname}${search}`);
  }
});

test("in-process transport rejects a request with its signal's reason, and the server hears of it", async () => {
  const stop = new AbortController();
  let heard: unknown;
  const transport = transportTo(({ signal }) => {
    signal.addEventListener("abort", () => {
      heard = signal.reason;
    });
    return new Promise(() => {});
  });
  const asked = transport.request({ ...get, signal: stop.signal });
  stop.abort("enough");
  await assert.rejects(asked, (error) => error === "enough");
  assert.equal(heard, "enough");
  assert.equal(transport.inFlight, 0);
  await assert.rejects(transport.request({ ...get, signal: stop.signal }), (error) => error === "enough");
});

test("in-process transport cuts off a body whose signal aborts, read or not", async () => {
  const stop = new AbortController();
  const lines = new EventBody(() => {});
  const transport = transportTo(async ({ target }) => (target === "/whole" ? "whole" : lines));
  const stream = await transport.request({ ...get, signal: stop.signal, streaming: true });
  const whole = await transport.request({ method: "GET", url: "http://anywhere/whole", signal: stop.signal });
  assert.equal(transport.inFlight, 1, "a stream is not in flight");
  lines.push(Buffer.from("first"));
  const read = stream.body[Symbol.asyncIterator]();
  assert.equal(String((await read.next()).value), "first");
  const second = read.next();
  stop.abort("enough");
  await assert.rejects(second, (error) => error === "enough");
  await assert.rejects(textOf(whole.body), (error) => error === "enough");
  assert.equal(transport.inFlight, 0);
});

test("in-process transport frees what a reader leaves", async () => {
  let left = false;
  const lines = new EventBody(() => {
    left = true;
  });
  const transport = transportTo(async () => lines);
  const { body } = await transport.request({ ...get });
  lines.push(Buffer.from("first"));
  for await (const _ of body) break;
  assert.deepEqual([left, transport.inFlight], [true, 0]);
});

test("in-process transport that is disposed of ends what is under way, and takes no more", async () => {
  const aborted: unknown[] = [];
  const transport = transportTo(({ signal }) => {
    signal.addEventListener("abort", () => aborted.push(signal.reason));
    return new Promise(() => {});
  });
  const asked = transport.request({ ...get });
  await transport[Symbol.asyncDispose]();
  await assert.rejects(asked, { code: "ConnectionFailed" });
  assert.equal(aborted.length, 1);
  await assert.rejects(transport.request({ ...get }), { code: "ConnectionFailed" });
});
