import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { connect } from "node:net";
import { test } from "node:test";
import { EventBody } from "../route/event-body.ts";
import { maxBodyBytes } from "../route/read-body.ts";
import type { Handler, ServerRequest, ServerResponse } from "../route/server-request.ts";
import { type Listening, type ListenOptions, listen } from "./listen.ts";

type Answer = (request: ServerRequest) => ServerResponse | Promise<ServerResponse>;

const plain = (body: ServerResponse["body"]): ServerResponse => ({ status: 200, headers: {}, body });

/** Listens with a handler, and hands over a socket that is closed afterwards. */
async function listening(answer: Answer, options?: ListenOptions): Promise<Listening> {
  const handler: Handler = async (request) => answer(request);
  return listen(handler, options);
}

interface Told {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function ask(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string | Buffer } = {},
): Promise<Told> {
  const sent = (url.startsWith("https") ? httpsRequest : httpRequest)(url, { agent: false, ...options });
  sent.end(body);
  const [response] = await once(sent, "response");
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() };
}

const echo: Answer = ({ method, target, headers, body }) =>
  plain(`${method} ${target} ${headers["x-said"]} ${body === undefined ? "-" : Buffer.from(body)}`);

test("listen answers what its handler says of method, target, headers and body", async () => {
  await using socket = await listening(echo);
  const headers = { "x-said": "this" };
  const { text } = await ask(`${socket.url}/a/b?c=%20d`, { method: "PUT", headers, body: "sent" });
  assert.equal(text, "PUT /a/b?c=%20d this sent");
  assert.equal((await ask(`${socket.url}/`)).text, "GET / undefined -");
});

test("listen answers HEAD with the headers of the body alone", async () => {
  await using socket = await listening(() => plain("12345"));
  const { headers, text } = await ask(socket.url, { method: "HEAD" });
  assert.deepEqual([headers["content-length"], text], ["5", ""]);
});

test("listen sends texts of headers as the bytes of UTF-8", async () => {
  await using socket = await listening(() => ({ status: 200, headers: { warning: ["häß ☃", "b"] }, body: "" }));
  const { headers } = await ask(socket.url);
  assert.equal(Buffer.from(String(headers.warning), "latin1").toString(), "häß ☃, b");
});

test("listen hands on as much of a body that is too large as shows it, and answers when all is sent", async () => {
  await using socket = await listening(({ body }) => plain(String(body?.length)));
  const body = Buffer.alloc(20 * 1024 * 1024);
  const handed = Number((await ask(socket.url, { method: "POST", body })).text);
  assert.ok(handed > maxBodyBytes && handed < maxBodyBytes + 1024 * 1024, String(handed));
});

test("listen hears nobody out who sends without end", async () => {
  let asked = 0;
  await using socket = await listening(() => {
    asked += 1;
    return plain("");
  });
  const sent = httpRequest(socket.url, { method: "POST", agent: false });
  const cut = once(sent, "error");
  const much = Buffer.alloc(1024 * 1024);
  let isCut = false;
  sent.once("close", () => {
    isCut = true;
  });
  const more = (): void => {
    if (!isCut) sent.write(much, more);
  };
  more();
  const [error] = await cut;
  assert.match((error as NodeJS.ErrnoException).code ?? "", /^(?:EPIPE|ECONNRESET)$/);
  assert.ok(asked <= 1);
});

test("listen streams a body as it comes, and tells the handler when its reader hangs up", async () => {
  const body = new EventBody(() => {});
  let heard: AbortSignal | undefined;
  await using socket = await listening(({ signal }) => {
    heard = signal;
    return plain(body);
  });
  const sent = httpRequest(socket.url, { agent: false });
  sent.end();
  const [response] = await once(sent, "response");
  body.push(Buffer.from("first\n"));
  assert.equal(String((await once(response, "data"))[0]), "first\n");
  body.push(Buffer.from("second\n"));
  assert.equal(String((await once(response, "data"))[0]), "second\n");
  const hungUp = once(heard as AbortSignal, "abort");
  response.destroy();
  await hungUp;
});

test("listen cuts off a reader of a stream that reads too slowly, after what it has begun to read", async () => {
  let isLeft = false;
  const body = new EventBody(() => {
    isLeft = true;
  });
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  await using socket = await listening(() => {
    resolve();
    return plain(body);
  });
  const reader = connect(socket.port, "127.0.0.1");
  reader.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await asked;
  const line = Buffer.alloc(1024 * 1024, "x");
  let pushed = 0;
  for (; pushed < 200 && !isLeft; pushed += 1) body.push(line);
  assert.ok(isLeft && pushed < 100, "no more is kept than a reader may be behind");
  let read = 0;
  for await (const part of reader) read += (part as Buffer).length;
  assert.ok(read < pushed * line.length);
});

test("listen drops the connection when its handler throws", async () => {
  await using socket = await listening(() => {
    throw new Error("a mistake");
  });
  await assert.rejects(ask(socket.url), { code: "ECONNRESET" });
});

test("listen refuses a port that is taken, and says what to do", async () => {
  await using socket = await listening(echo);
  await assert.rejects(listening(echo, { port: socket.port }), {
    code: "InvalidOption",
    message: new RegExp(
      `^Cannot listen on 127\\.0\\.0\\.1:${socket.port}: .*; choose another port, or 0 for a free one$`,
    ),
  });
});

test("listen ends every connection when it is disposed of, twice without harm", async () => {
  const body = new EventBody(() => {});
  const socket = await listening(() => plain(body));
  const idle = connect(socket.port, "127.0.0.1");
  const sent = httpRequest(socket.url);
  sent.end();
  const [response] = await once(sent, "response");
  const ends = [once(idle, "close"), once(response, "error")];
  await socket[Symbol.asyncDispose]();
  await Promise.all(ends);
  await socket[Symbol.asyncDispose]();
  await assert.rejects(ask(socket.url), { code: "ECONNREFUSED" });
});

const whoAsks: Answer = ({ certificate }) =>
  plain(
    certificate === undefined
      ? "nobody"
      : `${certificate.trusted ? "" : "untrusted "}${certificate.commonName} of ${certificate.organizations.join(",")}`,
  );

test("listen speaks TLS to whoever trusts its authority, and knows the bearers of its certificates", async () => {
  await using socket = await listening(whoAsks, { tls: true });
  const { ca, url } = socket;
  assert.match(url, /^https:/);
  await assert.rejects(ask(url), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
  assert.equal((await ask(url, { ca })).text, "nobody");
  const ann = await socket.clientCertificate("ann", ["dev", "ops"]);
  assert.equal((await ask(url, { ca, ...ann })).text, "ann of dev,ops");
});

test("listen trusts no certificate that another authority has signed", async () => {
  await using mine = await listening(whoAsks, { tls: true });
  await using other = await listening(whoAsks, { tls: true });
  const ann = await other.clientCertificate("ann", ["system:masters"]);
  assert.equal((await ask(mine.url, { ca: mine.ca, ...ann })).text, "untrusted ann of system:masters");
});

test("listen makes no certificates where it speaks plain HTTP", async () => {
  await using socket = await listening(echo);
  assert.equal(socket.ca, undefined);
  await assert.rejects(socket.clientCertificate("ann"), { code: "InvalidOption" });
});

test("listen speaks HTTP/2 with many requests on one connection", async () => {
  const bodies: EventBody[] = [];
  await using socket = await listening(
    ({ target }) => {
      if (target !== "/watch") return { status: 200, headers: { warning: "häß" }, body: target };
      const body = new EventBody(() => {});
      bodies.push(body);
      return plain(body);
    },
    { tls: true },
  );
  const session = connectHttp2(socket.url, { ca: socket.ca });
  const streams = Array.from({ length: 50 }, () => session.request({ ":path": "/watch" }));
  await Promise.all(streams.map((stream) => once(stream, "response")));
  const one = session.request({ ":path": "/one" });
  const [headers] = await once(one, "response");
  assert.equal(Buffer.from(String(headers.warning), "latin1").toString(), "häß");
  assert.equal(String((await once(one, "data"))[0]), "/one");
  for (const [index, body] of bodies.entries()) body.push(Buffer.from(`line ${index}`));
  const lines = await Promise.all(streams.map(async (stream) => String((await once(stream, "data"))[0])));
  assert.equal(new Set(lines).size, 50);
  const closed = once(session, "close");
  session.on("error", () => {});
  for (const stream of streams) stream.on("error", () => {});
  await socket[Symbol.asyncDispose]();
  await closed;
});
