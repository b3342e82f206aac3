import assert from "node:assert/strict";
import { test } from "node:test";
import { TransportError } from "farwatch";
import { createScriptedTransport, createVirtualClock } from "farwatch/doubles";
import { createWebhookPost, type WebhookCall, WebhookFailure } from "./webhook-post.ts";

const url = "https://hook.example.com:8443/x?timeout=5s";

function call(signal: AbortSignal = new AbortController().signal): WebhookCall {
  return { url, body: "{}", ca: "PEM", serverName: "s.n.svc", timeoutMs: 5_000, signal };
}

function setUp() {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  return { clock, transport, post: createWebhookPost({ clock, transport: () => transport }) };
}

test("A webhook is posted JSON, and trusted by its own authority", async () => {
  const { transport, post } = setUp();
  transport.on({}, { status: 201, headers: { "content-type": "application/json" }, body: "answer" });
  assert.deepEqual(await post(call()), { status: 201, contentType: "application/json", text: "answer" });
  const [request] = transport.requests;
  assert.equal(request?.method, "POST");
  assert.equal(request?.url, url);
  assert.equal(request?.headers?.["content-type"], "application/json");
  assert.deepEqual(request?.tls, { ca: "PEM", serverName: "s.n.svc" });
});

test("A webhook that does not answer in its time has failed", async () => {
  const { clock, transport, post } = setUp();
  transport.on({}, { silent: true });
  const failing = assert.rejects(post(call()), new WebhookFailure(`Post "${url}": context deadline exceeded`));
  await clock.advance(4_999);
  assert.equal(transport.open, 1);
  await clock.advance(1);
  await failing;
});

test("A request that is given up is not the webhook's failure", async () => {
  const { transport, post } = setUp();
  transport.on({}, { silent: true });
  const giving = new AbortController();
  const failing = assert.rejects(post(call(giving.signal)), { message: "enough" });
  giving.abort(new Error("enough"));
  await failing;
});

test("Failures of the network are told in Go's words", async () => {
  const { transport, post } = setUp();
  for (const [systemCode, phase, text] of [
    ["ECONNREFUSED", "connect", "dial tcp hook.example.com:8443: connect: connection refused"],
    ["ENOTFOUND", "resolve", "dial tcp: lookup hook.example.com: no such host"],
    [
      "SELF_SIGNED_CERT_IN_CHAIN",
      "tls",
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    ],
    ["CERT_HAS_EXPIRED", "tls", "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"],
    ["ECONNRESET", "response", "EOF"],
    ["EWHATEVER", "connect", "something else"],
  ] as const) {
    transport.on({}, { error: new TransportError("something else", { phase, systemCode, sent: false }) });
    await assert.rejects(post(call()), new WebhookFailure(`Post "${url}": ${text}`), systemCode);
  }
});
