import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { IncomingHttpHeaders, SecureServerOptions, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import type { Duration } from "../clock/duration.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createHttpTransport } from "./http-transport.ts";
import { failure, http1, http2, https1, listen, pem, tcp, text, trusted } from "./loopback-servers.fixture.ts";
import type { TlsOptions, TransportRequest } from "./transport.ts";

test("http transport speaks HTTP/2 over TLS where the server offers it, over one connection", async () => {
  await using server = await listen(
    http2().on("request", (request, response) => {
      response.setHeader("x-seen", [
        `${request.httpVersion} ${request.method} ${request.url}`,
        request.headers[":authority"] ?? "",
      ]);
      request.pipe(response);
    }),
  );
  await using transport = createHttpTransport();
  const request = (body: string): Promise<string> =>
    transport
      .request({
        method: "PUT",
        url: `https://${server.host}/a/b?c=d%20e`,
        headers: { accept: "x" },
        body,
        tls: trusted,
      })
      .then(async (response) => `${response.status} ${response.headers["x-seen"]} ${await text(response)}`);
  const answers = await Promise.all(["one", "two", "three"].map(request));
  assert.deepEqual(
    answers,
    ["one", "two", "three"].map((body) => `200 2.0 PUT /a/b?c=d%20e, ${server.host} ${body}`),
  );
  assert.equal(server.accepted, 1);
});

test("http transport falls back to HTTP/1.1 where the server offers nothing else, or when asked to", async () => {
  await using plain = await listen(https1((request, response) => response.end(request.httpVersion)));
  await using both = await listen(http2().on("request", (request, response) => response.end(request.httpVersion)));
  await using transport = createHttpTransport();
  const get = async (request: Omit<TransportRequest, "method">): Promise<string> =>
    text(await transport.request({ method: "GET", tls: trusted, ...request }));
  assert.equal(await get({ url: `https://${plain.host}/` }), "1.1");
  assert.equal(await get({ url: `https://${both.host}/` }), "2.0");
  assert.equal(await get({ url: `https://${both.host}/`, protocol: "http/1.1" }), "1.1");
});

test("http transport sends a method, headers, repeated headers and a body over HTTP/1.1", async () => {
  await using server = await listen(
    http1((request, response) => {
      response.setHeader("x-group", request.headersDistinct["x-group"] ?? []);
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.setHeader("x-length", request.headers["content-length"] ?? "");
      request.pipe(response);
    }),
  );
  await using transport = createHttpTransport();
  const response = await transport.request({
    method: "POST",
    url: `http://${server.host}/`,
    headers: { "x-group": ["a,b", "c"] },
    body: "größe",
  });
  assert.equal(response.headers["x-group"], "a,b, c");
  assert.equal(response.headers["set-cookie"], "a=1, b=2");
  assert.equal(response.headers["x-length"], "7");
  assert.equal(await text(response), "größe");
});

test("http transport sends repeated headers over HTTP/2, and host as :authority", async () => {
  await using server = await listen(
    http2().on(
      "stream",
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: readonly string[]) => {
        const groups = raw.filter((_, index, all) => all[index - 1] === "x-group");
        stream.respond({ ":status": 200, "x-groups": groups.join("|"), "x-authority": headers[":authority"] });
        stream.end();
      },
    ),
  );
  await using transport = createHttpTransport();
  const response = await transport.request({
    method: "GET",
    url: `https://${server.host}/`,
    headers: { "x-group": ["a", "b"], host: "bucket.example" },
    tls: trusted,
  });
  assert.equal(response.headers["x-groups"], "a|b");
  assert.equal(response.headers["x-authority"], "bucket.example");
});

test("http transport gives the timings of setting up a connection once, and the peer's certificate always", async () => {
  await using server = await listen(http2().on("request", (_request, response) => response.end()));
  await using transport = createHttpTransport();
  const get = { method: "GET", url: `https://localhost:${server.port}/`, tls: trusted } as const;
  const first = await transport.request(get);
  const second = await transport.request(get);
  assert.deepEqual(Object.keys(first.timings).sort(), ["connect", "firstByte", "resolve", "tls"]);
  assert.deepEqual(Object.keys(second.timings), ["firstByte"]);
  for (const ms of Object.values(first.timings)) assert.ok(ms >= 0 && ms < 60_000);
  assert.equal(first.peerCertificate?.subject, "CN=localhost");
  assert.equal(first.peerCertificate?.issuer, "CN=farwatch test authority");
  assert.match(first.peerCertificate?.fingerprint256 ?? "", /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.equal(first.peerCertificate?.notAfter, 4_733_510_400_000);
  assert.deepEqual(second.peerCertificate, first.peerCertificate);
});

test("http transport counts a request as in flight until its body has ended, a streaming one until its headers", async () => {
  const release = Promise.withResolvers<void>();
  await using server = await listen(
    http2().on("request", (_request, response) => {
      response.writeHead(200);
      response.write("a");
      release.promise.then(
        () => response.end("b"),
        () => {},
      );
    }),
  );
  await using transport = createHttpTransport();
  const get = { method: "GET", url: `https://${server.host}/`, tls: trusted } as const;
  const asked = transport.request(get);
  assert.equal(transport.inFlight, 1);
  const response = await asked;
  assert.equal(transport.inFlight, 1);
  const watch = await transport.request({ ...get, streaming: true });
  assert.equal(transport.inFlight, 1);
  release.resolve();
  assert.equal(await text(response), "ab");
  assert.equal(transport.inFlight, 0);
  assert.equal(await text(watch), "ab");
  assert.equal(transport.inFlight, 0);
});

test("http transport frees the connection of a small body that nobody reads", async () => {
  await using server = await listen(http1((_request, response) => response.end("small")));
  await using transport = createHttpTransport({ maxConnections: 1 });
  for (let i = 0; i < 3; i += 1) await transport.request({ method: "GET", url: `http://${server.host}/` });
  assert.equal(server.accepted, 1);
});

test("http transport answers HEAD, 204 and 304 without a body over both protocols", async () => {
  const statuses: Readonly<Record<string, number>> = { "/204": 204, "/304": 304 };
  const handle = (request: { url?: string | undefined }, response: ServerResponse): void => {
    response.statusCode = statuses[request.url ?? ""] ?? 200;
    if (request.url === "/head") response.setHeader("content-length", "1000");
    response.end();
  };
  await using plain = await listen(http1(handle));
  await using secure = await listen(http2().on("request", handle as never));
  await using transport = createHttpTransport();
  for (const origin of [`http://${plain.host}`, `https://${secure.host}`]) {
    for (const [method, path, status] of [
      ["HEAD", "/head", 200],
      ["GET", "/204", 204],
      ["GET", "/304", 304],
    ] as const) {
      const response = await transport.request({ method, url: origin + path, tls: trusted });
      assert.equal(response.status, status);
      assert.equal(await text(response), "");
    }
  }
  assert.equal(transport.inFlight, 0);
  assert.equal(plain.accepted, 1);
});

test("http transport follows no redirect and decompresses nothing", async () => {
  const compressed = Buffer.from("1f8b08", "hex");
  await using server = await listen(
    http1((_request, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/", "content-encoding": "gzip" });
      response.end(compressed);
    }),
  );
  await using transport = createHttpTransport();
  const response = await transport.request({ method: "GET", url: `http://${server.host}/` });
  assert.equal(response.status, 302);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  assert.deepEqual(Buffer.concat(chunks), compressed);
});

test("http transport calls beforeWrite after the connection is ready, in the tick of the write, and sends nothing when it throws", async () => {
  let seen = 0;
  const handle = (_request: unknown, response: { end(): unknown }): void => {
    seen += 1;
    response.end();
  };
  await using plain = await listen(http1(handle));
  await using secure = await listen(http2().on("request", handle));
  await using transport = createHttpTransport();
  for (const [server, url] of [
    [plain, `http://${plain.host}/`],
    [secure, `https://${secure.host}/`],
  ] as const) {
    const refusal = new Error("no longer the leader");
    const beforeWrite = (): void => {
      assert.equal(server.accepted, 1);
      throw refusal;
    };
    await assert.rejects(transport.request({ method: "PATCH", url, body: "x", tls: trusted, beforeWrite }), refusal);
  }
  assert.equal(seen, 0);
  assert.equal(transport.inFlight, 0);
});

test("http transport says which name it could not resolve", async () => {
  await using transport = createHttpTransport({
    lookup: () =>
      Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND nowhere.example"), { code: "ENOTFOUND" })),
  });
  const error = await failure(transport.request({ method: "GET", url: "https://nowhere.example/secret?token=secret" }));
  assert.equal(error.message, "Cannot resolve the host of nowhere.example:443: getaddrinfo ENOTFOUND nowhere.example");
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["resolve", "ENOTFOUND", false]);
});

test("http transport says where it could not connect to", async () => {
  await using transport = createHttpTransport();
  const closed = await listen(http1(() => {}));
  await closed.close();
  const error = await failure(transport.request({ method: "GET", url: `http://${closed.host}/secret` }));
  assert.equal(error.message, `Cannot connect to ${closed.host}: connect ECONNREFUSED ${closed.host}`);
  assert.deepEqual([error.phase, error.systemCode, error.sent], ["connect", "ECONNREFUSED", false]);
  assert.equal(transport.inFlight, 0);
});

test("http transport says why TLS failed, and that nothing was sent", async () => {
  await using transport = createHttpTransport();
  const cases: readonly (readonly [code: string, server: SecureServerOptions, tls: TlsOptions])[] = [
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", {}, { ca: pem("other-ca") }],
    ["CERT_HAS_EXPIRED", { cert: pem("expired"), key: pem("expired") }, trusted],
    ["ERR_TLS_CERT_ALTNAME_INVALID", {}, { ...trusted, serverName: "elsewhere.example" }],
  ];
  for (const [code, options, tls] of cases) {
    await using server = await listen(http2(options));
    const error = await failure(transport.request({ method: "GET", url: `https://${server.host}/secret`, tls }));
    assert.ok(error.message.startsWith(`Cannot set up TLS with ${server.host}: `), error.message);
    assert.ok(error.message.endsWith(`(${code})`), error.message);
    assert.deepEqual([error.phase, error.systemCode, error.sent], ["tls", code, false]);
    await server.open(0);
  }
  for (const speak of [
    (socket: Socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    (socket: Socket) => socket.end(),
  ]) {
    await using plain = await listen(tcp((socket) => speak(socket)));
    const error = await failure(transport.request({ method: "GET", url: `https://${plain.host}/` }));
    assert.deepEqual([error.phase, error.sent], ["tls", false]);
    await plain.open(0);
  }
});

test("http transport counts a client certificate that the server misses as a TLS failure over both protocols", async () => {
  await using transport = createHttpTransport();
  for (const protocol of ["h2", "http/1.1"]) {
    await using server = await listen(
      http2({ requestCert: true, rejectUnauthorized: true, ca: pem("ca"), ALPNProtocols: [protocol] }),
    );
    const error = await failure(transport.request({ method: "GET", url: `https://${server.host}/`, tls: trusted }));
    assert.deepEqual([error.phase, error.systemCode], ["tls", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"]);
  }
});

test("http transport checks the server name that the options give, and nothing when told to skip it", async () => {
  await using server = await listen(
    http2({ cert: pem("server") }).on("stream", (stream) => {
      stream.respond({
        "x-sni": String((stream.session?.socket as { readonly servername?: string } | undefined)?.servername),
      });
      stream.end();
    }),
  );
  await using transport = createHttpTransport();
  const get = { method: "GET", url: `https://${server.host}/` } as const;
  const named = await transport.request({ ...get, tls: { ...trusted, serverName: "kubernetes" } });
  assert.equal(named.headers["x-sni"], "kubernetes");
  const skipped = await transport.request({ ...get, tls: { insecureSkipVerify: true } });
  assert.equal(skipped.status, 200);
});

test("http transport uses new TLS material for new connections and lets open streams of the old one go on", async () => {
  const watch = Promise.withResolvers<ServerHttp2Stream>();
  await using server = await listen(
    http2({ requestCert: true, ca: pem("ca") }).on("stream", (stream, headers) => {
      const socket = stream.session?.socket as TLSSocket;
      stream.respond({ "x-client": socket.getPeerCertificate().subject?.CN?.toString() ?? "none" });
      if (headers[":path"] === "/watch") watch.resolve(stream);
      else stream.end();
    }),
  );
  const clock = createVirtualClock();
  await using transport = createHttpTransport({ clock });
  const old = { ...trusted, cert: pem("client"), key: pem("client") };
  const rotated = { ...trusted, cert: pem("other-client"), key: pem("other-client") };
  const get = { method: "GET", url: `https://${server.host}/` } as const;
  const watching = await transport.request({ ...get, url: `https://${server.host}/watch`, tls: old, streaming: true });
  assert.equal(watching.headers["x-client"], "client-one");
  const after = await transport.request({ ...get, tls: rotated });
  assert.equal(after.headers["x-client"], "client-two");
  // The same content in another object is the same material.
  const again = await transport.request({ ...get, tls: { ...rotated } });
  assert.equal(again.headers["x-client"], "client-two");
  assert.equal(server.accepted, 2);

  (await watch.promise).end("last event");
  assert.equal(await text(watching), "last event");
  assert.equal(server.sockets.size, 2);
  await clock.advance("60s");
  await server.open(0);
});

test("http transport closes a connection that was idle for keepAlive, at once for 0", async () => {
  await using plain = await listen(http1((_request, response) => response.end()));
  await using secure = await listen(http2().on("request", (_request, response) => response.end()));
  const clock = createVirtualClock();
  await using transport = createHttpTransport({ clock });
  for (const [server, url] of [
    [plain, `http://${plain.host}/`],
    [secure, `https://${secure.host}/`],
  ] as const) {
    const get = { method: "GET", url, tls: trusted } as const;
    await text(await transport.request({ ...get, keepAlive: 0 }));
    await server.open(0);
    await text(await transport.request({ ...get, keepAlive: "2s" }));
    await clock.settle();
    assert.equal(server.sockets.size, 1);
    await clock.advance("2s");
    await server.open(0);
  }
});

test("http transport lets virtual time stand still while headers and bodies are awaited, not for the body of a stream", async () => {
  const clock = createVirtualClock();
  let settled = false;
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await using server = await listen(
    http1((request, response) => {
      response.writeHead(200).write("a");
      if (request.url === "/watch") return;
      asked.resolve();
      release.promise.then(
        () => response.end("b"),
        () => {},
      );
    }),
  );
  await using transport = createHttpTransport({ clock });
  const watch = await transport.request({ method: "GET", url: `http://${server.host}/watch`, streaming: true });
  const events = watch.body[Symbol.asyncIterator]();
  await events.next();
  const pending = events.next();
  await clock.settle();
  const reading = transport.request({ method: "GET", url: `http://${server.host}/` }).then(text);
  const settling = clock.settle().then(() => {
    settled = true;
  });
  await asked.promise;
  assert.equal(settled, false);
  release.resolve();
  assert.equal(await reading, "ab");
  await settling;
  await events.return?.();
  assert.deepEqual(await pending, { done: true, value: undefined });
});

test("http transport leaves no handle open when it is disposed, and fails what is under way", async () => {
  await using plain = await listen(
    http1((request, response) => (request.url === "/silent" ? undefined : response.end())),
  );
  await using secure = await listen(
    http2().on("request", (request, response) => {
      if (request.url === "/watch") response.write("a");
      else response.end();
    }),
  );
  await using hung = await listen(tcp(() => {}));
  const transport = createHttpTransport();
  const get = { method: "GET", tls: trusted } as const;
  await text(await transport.request({ ...get, url: `http://${plain.host}/` }));
  await text(await transport.request({ ...get, url: `https://${secure.host}/` }));
  const watch = await transport.request({ ...get, url: `https://${secure.host}/watch`, streaming: true });
  const silent = failure(transport.request({ ...get, url: `http://${plain.host}/silent` }));
  const connecting = failure(transport.request({ ...get, url: `https://${hung.host}/` }));
  await hung.open(1);
  await transport[Symbol.asyncDispose]();
  const cut = await failure(text(watch));
  assert.deepEqual([cut.phase, cut.sent], ["body", true]);
  assert.equal(cut.message, `Cannot read the answer to GET from ${secure.host} to its end: the transport was closed`);
  assert.deepEqual([(await silent).phase, (await silent).sent], ["response", true]);
  assert.deepEqual([(await connecting).phase, (await connecting).sent], ["request", false]);
  assert.equal(transport.inFlight, 0);
  await Promise.all([plain.open(0), secure.open(0), hung.open(0)]);
  await transport[Symbol.asyncDispose]();
  const late = transport.request({ ...get, url: `http://${plain.host}/` });
  await assert.rejects(late, {
    code: "ConnectionFailed",
    message: `Cannot send GET to ${plain.host}: the transport was closed`,
  });
});

test("http transport refuses what cannot be sent, without the secret in it", async () => {
  await using transport = createHttpTransport();
  const refused = async (request: Partial<TransportRequest>, message: string): Promise<void> => {
    const work = transport.request({ method: "GET", url: "http://127.0.0.1:1/", ...request });
    await assert.rejects(work, (error) => {
      assert.ok(isCodedError(error, "InvalidOption"));
      assert.equal(error.message, message);
      return true;
    });
  };
  await refused({ url: "secret" }, "Cannot send a request: its URL is no absolute http or https URL");
  await refused({ url: "ftp://secret/" }, "Cannot send a request: its URL is no absolute http or https URL");
  await refused(
    { url: "http://user:secret@127.0.0.1:1/" },
    "Cannot send a request to 127.0.0.1:1: its URL carries a user name or password, send an authorization header instead",
  );
  await refused({ method: "GET /" }, 'Cannot send a request to 127.0.0.1:1: "GET /" is no method');
  await refused(
    { headers: { authorization: "secret\n" } },
    'Cannot send a request to 127.0.0.1:1: Invalid character in header content ["authorization"]',
  );
  await refused(
    { headers: { "a b": "c" } },
    'Cannot send a request to 127.0.0.1:1: Header name must be a valid HTTP token ["a b"]',
  );
  const wait = "soon" as Duration;
  await assert.rejects(transport.request({ method: "GET", url: "http://127.0.0.1:1/", keepAlive: wait }), {
    code: "InvalidDuration",
  });
  assert.equal(transport.inFlight, 0);
});

test("http transport refuses options outside their range", () => {
  for (const maxConnections of [0, -1, 1.5, Number.NaN]) {
    assert.throws(() => createHttpTransport({ maxConnections }), {
      code: "InvalidOption",
      message: `Cannot create a transport: maxConnections is ${maxConnections}, give a whole number above 0`,
    });
  }
  assert.throws(() => createHttpTransport({ pingEvery: -1 }), { code: "InvalidDuration" });
});

test("http transport refuses TLS material that is none", async () => {
  await using server = await listen(http2());
  await using transport = createHttpTransport();
  const work = transport.request({
    method: "GET",
    url: `https://${server.host}/`,
    tls: { cert: "secret", key: "secret" },
  });
  await assert.rejects(work, (error: Error) => {
    assert.ok(isCodedError(error, "InvalidOption"));
    assert.match(error.message, /^Cannot use the TLS material for 127\.0\.0\.1:\d+: .*; give PEM$/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  await server.open(0);
});
