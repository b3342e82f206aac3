import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { test } from "node:test";
import {
  type HttpAnswer,
  httpCall,
  type IssuedCertificate,
  type KubeApiserver,
  sharedKubeApiserver,
  startKubeApiserver,
  startRecordingProxy,
} from "@farwatch/testing";
import { isCodedError, systemClock } from "farwatch";

type Server = Pick<KubeApiserver, "url" | "ca" | "token">;

function call(
  server: Server,
  path: string,
  how: { method?: string; body?: object; token?: string } = {},
): Promise<HttpAnswer> {
  const { method = "GET", body, token = server.token } = how;
  return httpCall(`${server.url}${path}`, {
    method,
    ca: server.ca,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const configMaps = "/api/v1/namespaces/default/configmaps";

async function createConfigMap(
  server: Server,
  name: string,
): Promise<{ readonly metadata: { readonly resourceVersion: string } }> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } };
  const { status, text } = await call(server, configMaps, { method: "POST", body });
  assert.equal(status, 201, text);
  return JSON.parse(text) as { metadata: { resourceVersion: string } };
}

/** Who the server says a client certificate is. */
async function whoAmI(server: Server, { cert, key }: IssuedCertificate): Promise<unknown> {
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const sent = request(`${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: "POST",
    ca: server.ca,
    cert,
    key,
    agent: false,
    headers: { "content-type": "application/json" },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer>];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const { status } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
    status: { userInfo: { username: string; groups: string[] } };
  };
  return { user: status.userInfo.username, groups: status.userInfo.groups };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("kube-apiserver knows its admin, its given users and client certificates", async () => {
  await using server = await startKubeApiserver({
    users: [{ name: "ada", groups: ["dev", "ops"], token: "ada-token" }],
  });
  assert.equal((await call(server, configMaps)).status, 200);
  const ada = server.user("ada");
  assert.equal(ada.token, "ada-token");
  const refused = await call(server, configMaps, { token: ada.token });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /User \\"ada\\" cannot list resource/);
  assert.equal((await call(server, configMaps, { token: "wrong" })).status, 401);
  assert.deepEqual(await whoAmI(server, await server.clientCertificate("eve", ["dev"])), {
    user: "eve",
    groups: ["dev", "system:authenticated"],
  });
  assert.throws(() => server.user("nobody"), {
    code: "NotFound",
    message: `Cannot give user nobody of ${server.url}: it knows admin, ada; name it in \`users\` at the start`,
  });
});

test("kube-apiserver refuses two users of one name", async () => {
  await assert.rejects(startKubeApiserver({ users: [{ name: "admin" }] }), {
    code: "DuplicateName",
    message: "Cannot add user admin: the API server has one of that name, rename one of them",
  });
});

test("kube-apiserver keeps data, port and tokens over a restart, also after it was killed", async () => {
  await using server = await startKubeApiserver();
  await createConfigMap(server, "kept");
  const before = server.pids;
  await server.restart();
  assert.equal((await call(server, `${configMaps}/kept`)).status, 200);
  assert.notEqual(server.pids.etcd, before.etcd);
  server.kill();
  server.kill("SIGKILL", "etcd");
  await server.restart();
  assert.equal((await call(server, `${configMaps}/kept`)).status, 200);
  assert.deepEqual(Object.keys(server.pids), ["etcd", "kube-apiserver"]);
});

test("kube-apiserver answers 410 to a watch from a version that etcd has forgotten", async () => {
  await using server = await startKubeApiserver();
  const { metadata } = await createConfigMap(server, "one");
  await createConfigMap(server, "two");
  const newest = await server.compactEtcd();
  assert.ok(newest > Number(metadata.resourceVersion));
  await server.restart();
  const { text } = await call(
    server,
    `${configMaps}?watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=5`,
  );
  const [line = ""] = text.split("\n");
  assert.deepEqual(
    [JSON.parse(line).type, JSON.parse(line).object.code, JSON.parse(line).object.reason],
    ["ERROR", 410, "Expired"],
    text,
  );
});

test("kube-apiserver runs the controllers of garbage, namespaces and service accounts when asked to, and an audit log", async () => {
  await using server = await startKubeApiserver({ controllerManager: true, audit: true });
  assert.equal((await call(server, "/api/v1/namespaces/default/serviceaccounts/default")).status, 200);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "gone" } };
  assert.equal((await call(server, "/api/v1/namespaces", { method: "POST", body: namespace })).status, 201);
  assert.equal((await call(server, "/api/v1/namespaces/gone", { method: "DELETE" })).status, 200);
  using deadline = systemClock.timeout("30s");
  while ((await call(server, "/api/v1/namespaces/gone")).status !== 404) await systemClock.sleep("100ms", deadline);
  assert.ok(server.pids["kube-controller-manager"] !== undefined);
  const audit = (await readFile(server.logFiles.audit ?? "", "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(
    audit.some(
      ({ verb, requestURI, user }) =>
        verb === "delete" && requestURI === "/api/v1/namespaces/gone" && user.username === "admin",
    ),
  );
});

test("kube-apiserver that does not start says so with the end of its log, and leaves the log", async () => {
  const error: unknown = await startKubeApiserver({ flags: ["--no-such-flag"] }).catch((thrown: unknown) => thrown);
  assert.ok(isCodedError(error, "ServerUnavailable"), String(error));
  const found =
    /^Cannot start kube-apiserver: it ended with exit code 1; its log is (\S+)\/kube-apiserver\.log and ends:\n/.exec(
      error.message,
    );
  assert.match(error.message, /unknown flag: --no-such-flag/);
  assert.ok(found?.[1] !== undefined && existsSync(`${found[1]}/kube-apiserver.log`));
  await rm(found[1], { recursive: true });
});

test("kube-apiserver start ends with the reason of an aborted signal, and leaves nothing running", async () => {
  const stop = new AbortController();
  const reason = new Error("stop");
  const log = (line: string): void => {
    if (line === "Starting kube-apiserver") stop.abort(reason);
  };
  // A server that still ran would keep this process alive, and the leak guard would fail the file.
  await assert.rejects(startKubeApiserver({ signal: stop.signal, log }), (error) => error === reason);
});

test("kube-apiserver leaves nothing behind when the process that started it is killed", async () => {
  const script = `
    import { startKubeApiserver } from "@farwatch/testing";
    const { pids, folder } = await startKubeApiserver();
    console.log(JSON.stringify({ pids: Object.values(pids), folder }));
  `;
  const parent = spawn(process.execPath, ["--conditions=farwatch-source", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const { pids, folder } = JSON.parse(line) as { readonly pids: readonly number[]; readonly folder: string };
  assert.equal(pids.filter(isAlive).length, 2);
  parent.kill("SIGKILL");
  using deadline = systemClock.timeout("20s");
  while (pids.some(isAlive) || existsSync(folder)) await systemClock.sleep("20ms", deadline);
});

test("kube-apiserver of the test run is shared by its suites, with a user who may do nothing", async () => {
  const server = sharedKubeApiserver();
  assert.equal((await call(server, "/readyz")).status, 200);
  assert.equal((await call(server, configMaps, { token: server.user("restricted").token })).status, 403);
  assert.throws(() => server.user("nobody"), { code: "NotFound" });
  assert.throws(() => sharedKubeApiserver({}), {
    code: "NotFound",
    message:
      "Cannot use the shared API server: FARWATCH_TEST_KUBECONFIG is not set; run the suite with `npm test -- FILE`",
  });
});

test("recording proxy in front of a kube-apiserver refuses an old token and lets a watch through", async () => {
  const server = sharedKubeApiserver();
  await using proxy = await startRecordingProxy({ target: server });
  const through = { url: proxy.url, ca: proxy.ca, token: server.token };
  const { status, text } = await call(
    through,
    `${configMaps}?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
  );
  assert.equal(status, 200);
  assert.match(text, /"type":"BOOKMARK"/);
  using _old = proxy.intercept({ bearer: server.token }, { type: "answer", status: 401 });
  assert.equal((await call(through, configMaps)).status, 401);
  assert.equal((await call(through, configMaps, { token: server.user("restricted").token })).status, 403);
  assert.deepEqual(
    proxy.requests.map((request) => [request.path, request.status]),
    [
      [configMaps, 200],
      [configMaps, 401],
      [configMaps, 403],
    ],
  );
  assert.ok(proxy.requests.every(({ headers }) => !("authorization" in headers)));
});
