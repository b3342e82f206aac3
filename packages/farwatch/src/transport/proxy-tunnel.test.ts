import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { isCodedError } from "../error/coded-error.ts";
import { createHttpTransport } from "./http-transport.ts";
import { failure, http1, http2, listen, pem, rejection, tcp, text, trusted } from "./loopback-servers.fixture.ts";
import type { ConnectAddress } from "./transport.ts";

/**
 * Has a server tunnel, wherever the tunnel is asked to, to one port of loopback; `seen` gets each request line and its
 * credentials.
 */
function tunnelling<S extends Server>(server: S, toPort: number, seen: string[]): S {
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    const upstream = connect(toPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    for (const end of [socket, upstream]) end.on("error", () => {});
    socket.once("close", () => upstream.destroy());
    upstream.once("close", () => socket.destroy());
  });
  return server;
}

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

test("proxy tunnels https requests with CONNECT, with credentials of its own, and keeps client certificate and HTTP/2", async () => {
  await using server = await listen(
    http2({ requestCert: true, ca: pem("ca") }).on("request", (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(`${request.httpVersion} ${subject?.CN} ${request.headers["proxy-authorization"] ?? "-"}`);
    }),
  );
  const seen: string[] = [];
  await using proxy = await listen(tunnelling(createServer(), server.port, seen));
  await using transport = createHttpTransport();
  const tls = { ...trusted, cert: pem("client"), key: pem("client") };
  for (const url of [`https://localhost:${server.port}/list`, `https://localhost:${server.port}/watch`]) {
    const response = await transport.request({
      method: "GET",
      url,
      tls,
      proxy: `http://us%40er:pa%3Ass%@${proxy.host}`,
    });
    assert.equal(await text(response), "2.0 client-one -");
  }
  assert.deepEqual(seen, [`CONNECT localhost:${server.port} ${basic("us@er:pa:ss%")}`]);
});

// B52 d
test("proxy without a scheme is an http proxy", async () => {
  await using server = await listen(http2().on("request", (_request, response) => response.end("ok")));
  const seen: string[] = [];
  await using proxy = await listen(tunnelling(createServer(), server.port, seen));
  await using transport = createHttpTransport();
  for (const value of [proxy.host, `localhost:${proxy.port}`, `user:word@${proxy.host}`]) {
    const url = `https://${server.host}/`;
    assert.equal(await text(await transport.request({ method: "GET", url, tls: trusted, proxy: value })), "ok");
  }
  assert.deepEqual(
    seen.map((line) => line.endsWith(` ${basic("user:word")}`)),
    [false, false, true],
  );
});

test("proxy is asked for http targets by their absolute URL", async () => {
  const seen: (string | undefined)[] = [];
  await using proxy = await listen(
    http1((request, response) => {
      seen.push(request.url, request.headers.host, request.headers["proxy-authorization"]);
      response.end("from the proxy");
    }),
  );
  await using transport = createHttpTransport();
  const url = "http://storage.example/bucket?list=1";
  const response = await transport.request({ method: "GET", url, proxy: `http://user:word@${proxy.host}` });
  assert.equal(await text(response), "from the proxy");
  assert.deepEqual(seen, [url, "storage.example", basic("user:word")]);
});

test("proxy that speaks TLS is checked against the system's authorities", async () => {
  await using server = await listen(http2().on("request", (_request, response) => response.end("ok")));
  const seen: string[] = [];
  const secure = createHttpsServer({ cert: pem("server"), key: pem("server") });
  await using proxy = await listen(tunnelling(secure, server.port, seen));
  await using transport = createHttpTransport();
  const get = { method: "GET", url: `https://${server.host}/`, tls: trusted, proxy: `https://${proxy.host}` } as const;
  const error = await failure(transport.request(get));
  assert.deepEqual([error.phase, error.systemCode], ["proxy", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]);
  assert.deepEqual(seen, []);
  const authorities = getCACertificates("default");
  setDefaultCACertificates([pem("ca")]);
  try {
    assert.equal(await text(await transport.request(get)), "ok");
  } finally {
    setDefaultCACertificates(authorities);
  }
  assert.equal(seen.length, 1);
});

test("proxy that refuses is named without its credentials", async () => {
  for (const [status, words] of [
    [407, "it answered 407, give a valid user name and password in the proxy URL"],
    [502, "it answered 502"],
  ] as const) {
    await using proxy = await listen(
      tcp((socket) => socket.end(`HTTP/1.1 ${status} \u001b[31mNo\r\ncontent-length: 0\r\n\r\n`)),
    );
    await using transport = createHttpTransport();
    const url = "https://storage.example/secret";
    const error = await failure(transport.request({ method: "GET", url, proxy: `http://user:secret@${proxy.host}` }));
    assert.equal(error.message, `Cannot reach storage.example:443 through the proxy ${proxy.host}: ${words}`);
    assert.deepEqual([error.phase, error.sent], ["proxy", false]);
    await proxy.open(0);
  }
});

test("proxy that cannot be reached, hangs up or talks nonsense is named", async () => {
  await using transport = createHttpTransport();
  const request = { method: "GET", url: "https://storage.example/secret" } as const;
  const closed = await listen(http1(() => {}));
  await closed.close();
  const refused = await failure(transport.request({ ...request, proxy: `http://user:secret@${closed.host}` }));
  assert.equal(
    refused.message,
    `Cannot connect to the proxy ${closed.host} of storage.example:443: connect ECONNREFUSED ${closed.host}`,
  );
  for (const speak of [(socket: Socket) => socket.end(), (socket: Socket) => socket.end("nonsense\r\n\r\n")]) {
    await using proxy = await listen(tcp((socket) => socket.once("data", () => speak(socket))));
    const error = await failure(transport.request({ ...request, proxy: proxy.host }));
    assert.ok(
      error.message.startsWith(`Cannot reach storage.example:443 through the proxy ${proxy.host}: `),
      error.message,
    );
    assert.deepEqual([error.phase, error.sent], ["proxy", false]);
    await proxy.open(0);
  }
  await using intruder = await listen(
    tcp((socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\nextra"))),
  );
  const error = await rejection(transport.request({ ...request, proxy: intruder.host }));
  assert.ok(isCodedError(error, "ProtocolError"));
  await intruder.open(0);
});

test("proxy that hangs is left when the request is aborted", async () => {
  await using proxy = await listen(tcp(() => {}));
  await using transport = createHttpTransport();
  const caller = new AbortController();
  const reason = new Error("enough");
  const url = "https://storage.example/";
  const asked = rejection(transport.request({ method: "GET", url, proxy: proxy.host, signal: caller.signal }));
  await proxy.open(1);
  caller.abort(reason);
  assert.equal(await asked, reason);
  await proxy.open(0);
});

test("proxy of another kind is refused without its credentials", async () => {
  await using transport = createHttpTransport();
  for (const proxy of ["socks5://user:secret@127.0.0.1:1080", "http://", ""]) {
    const error = await rejection(transport.request({ method: "GET", url: "https://storage.example/", proxy }));
    assert.ok(isCodedError(error, "InvalidOption"));
    assert.equal(
      error.message,
      "Cannot use the proxy: its URL must look like http://[user:password@]host:port, other schemes than http and https are not supported",
    );
  }
  assert.equal(transport.inFlight, 0);
});

test("proxy's address is what the connect policy is asked about, and a target that is an address itself", async () => {
  await using server = await listen(http2().on("request", (_request, response) => response.end("ok")));
  const seen: string[] = [];
  await using proxy = await listen(tunnelling(createServer(), server.port, seen));
  await using transport = createHttpTransport();
  const asked: ConnectAddress[] = [];
  const refusal = new Error("address refused");
  const connectPolicy = (address: ConnectAddress): void => {
    asked.push(address);
    if (address.proxy !== true && address.ip !== "127.0.0.1") throw refusal;
  };
  const get = { method: "GET", tls: trusted, proxy: `http://localhost:${proxy.port}`, connectPolicy } as const;
  assert.equal(await text(await transport.request({ ...get, url: `https://localhost:${server.port}/` })), "ok");
  assert.equal(await text(await transport.request({ ...get, url: `https://127.0.0.1:${server.port}/` })), "ok");
  const ofProxy = { ip: "127.0.0.1", port: proxy.port, host: "localhost", proxy: true };
  const ofTarget = { ip: "127.0.0.1", port: server.port, host: "127.0.0.1", proxy: false };
  const asks = asked.filter(({ ip }) => ip !== "::1");
  assert.deepEqual(asks, [ofProxy, ofTarget, ofProxy]);
  for (const scheme of ["https", "http"]) {
    assert.equal(await rejection(transport.request({ ...get, url: `${scheme}://169.254.169.254/` })), refusal);
  }
  assert.equal(seen.length, 2);
});
