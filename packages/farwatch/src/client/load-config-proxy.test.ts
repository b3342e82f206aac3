import assert from "node:assert/strict";
import type { ServerHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { systemClock } from "../clock/system-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { createHttpTransport } from "../transport/http-transport.ts";
import { http1, http2, listen, pem } from "../transport/loopback-servers.fixture.ts";
import { createRestClient } from "./create-rest-client.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** An API server that wants a client certificate, and a proxy that tunnels to it whatever name it is asked for. */
async function proxiedServer() {
  const seen: string[] = [];
  const tunnels: string[] = [];
  const server = http2({ requestCert: true, rejectUnauthorized: true, ca: pem("ca") });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const socket = stream.session?.socket as TLSSocket | undefined;
    seen.push(`${headers[":path"]} ${headers.authorization} ${socket?.getPeerCertificate().subject.CN}`);
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.write('{"items":[]}\n');
    if (!String(headers[":path"]).includes("watch")) stream.end();
  });
  const backend = await listen(server);
  const proxy = await listen(
    http1((_request, response) => response.writeHead(500).end()).on("connect", (request, socket: Socket) => {
      tunnels.push(String(request.url));
      const upstream = connect(backend.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on("error", () => {});
    }),
  );
  return {
    backend,
    proxy,
    seen,
    tunnels,
    async [Symbol.asyncDispose](): Promise<void> {
      await proxy.close();
      await backend.close();
    },
  };
}

/** Lists and watches as a user with a token and a client certificate. */
async function listAndWatch(server: string, cluster: object, env: LoadConfigOptions["env"]): Promise<void> {
  const config = await loadConfig({
    env,
    kubeconfig: {
      "current-context": "c",
      clusters: [
        {
          name: "c",
          cluster: {
            server,
            "certificate-authority-data": base64(pem("ca")),
            "tls-server-name": "kubernetes",
            ...cluster,
          },
        },
      ],
      users: [
        {
          name: "u",
          user: {
            token: "t",
            "client-certificate-data": base64(pem("client")),
            "client-key-data": base64(pem("client")),
          },
        },
      ],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    },
  });
  await using transport = createHttpTransport({ lookup: async () => ["127.0.0.1"] });
  await using rest = createRestClient({ config: async () => config, transport, clock: systemClock, log: silentLogger });
  assert.deepEqual(await rest.json({ method: "GET", path: "/api/v1/pods" }), { items: [] });
  const watch = await rest.request({ method: "GET", path: "/api/v1/pods", query: { watch: "1" }, streaming: true });
  for await (const chunk of watch.body) {
    assert.equal(Buffer.from(chunk).toString(), '{"items":[]}\n');
    break;
  }
}

const asTheUser = ["/api/v1/pods Bearer t client-one", "/api/v1/pods?watch=1 Bearer t client-one"];

// B52 (a)
test("list and watch go through the cluster's proxy-url, whatever the environment says, with token and client certificate", async () => {
  await using servers = await proxiedServer();
  const env = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "*" };
  await listAndWatch("https://api.example:6443", { "proxy-url": `http://${servers.proxy.host}` }, env);
  assert.deepEqual(servers.seen, asTheUser);
  assert.deepEqual(new Set(servers.tunnels), new Set(["api.example:6443"]));
});

// B52 (b), (d)
test("list and watch go through the proxy of the environment alone, with or without a scheme", async () => {
  await using servers = await proxiedServer();
  for (const HTTPS_PROXY of [`http://${servers.proxy.host}`, servers.proxy.host]) {
    servers.seen.length = 0;
    await listAndWatch("https://api.example:6443", {}, { HTTPS_PROXY, NO_PROXY: "10.96.0.0/12,.svc" });
    assert.deepEqual(servers.seen, asTheUser);
  }
  assert.deepEqual(new Set(servers.tunnels), new Set(["api.example:6443"]));
});

// B52 (c)
test("list and watch go past the proxy to what NO_PROXY names", async () => {
  await using servers = await proxiedServer();
  const env = { HTTPS_PROXY: `http://${servers.proxy.host}`, NO_PROXY: "10.96.0.0/12,.svc" };
  await listAndWatch(`https://kubernetes.default.svc:${servers.backend.port}`, {}, env);
  assert.deepEqual(servers.seen, asTheUser);
  assert.equal(servers.proxy.accepted, 0);
});
