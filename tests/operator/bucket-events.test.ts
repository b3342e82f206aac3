// From an object that is put into versitygw to a probe: the operator as its command, on the embedded API server on a socket.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createApiServer } from "@farwatch/apiserver";
import {
  createCertificateAuthority,
  freePort,
  kubeconfigFor,
  serveKind,
  startNatsServer,
  startVersitygw,
  type Versitygw,
  writeKubeconfig,
} from "@farwatch/testing";
import { type ConnectedClient, createClient, createHttpTransport, parseTime, Secret, systemClock } from "farwatch";
import { credentialsSecretType, StorageBucket, type StorageBucketStatus } from "storage-bucket";
import { type ChildProgram, startCommand } from "../e2e/child-program.ts";
import { eventually } from "../eventually.ts";
import { availableServer } from "../sources/available-server.ts";

const { server: nats, skip } = await availableServer(startNatsServer);

const key = { namespace: "default", name: "photos" };
const hook = "/versitygw/x7Hq2LmVb9TzKc4RwN8sYd";

interface Stage extends AsyncDisposable {
  readonly client: ConnectedClient;
  readonly operator: ChildProgram;
  /** Puts an object, and gives when, on the clock of this machine. */
  put(name: string): Promise<number>;
}

/** The operator with events of a bucket of this server, which it watches and does not probe but when asked. */
async function startStage(s3: Versitygw, events: object, args: readonly string[] = []): Promise<Stage> {
  await using undo = new AsyncDisposableStack();
  const { path: folder } = undo.use(await mkdtempDisposable(join(tmpdir(), "farwatch-bucket-events-")));
  const server = undo.use(createApiServer());
  const { url } = undo.use(await server.listen());
  const client = undo.use(createClient({ transport: server.transport, config: server.config }));
  await serveKind(client, StorageBucket);

  await s3.createBucket("photos");
  const { accessKeyId, secretAccessKey } = s3.admin;
  const stringData = { accessKeyId, secretAccessKey, allowedEndpoints: new URL(s3.url).host };
  await client.create(Secret, { metadata: key, type: credentialsSecretType, stringData });
  await client.create(StorageBucket, {
    metadata: key,
    spec: {
      s3: { bucket: "photos", endpoint: s3.url, addressing: "Path" },
      credentials: { secretRef: { name: "photos" } },
      probe: { periodSeconds: 0 },
    },
  });

  const eventsFile = join(folder, "bucket-events.json");
  await writeFile(eventsFile, JSON.stringify([{ name: "photos", endpoint: s3.url, buckets: ["photos"], ...events }]));
  const kubeconfigFile = join(folder, "kubeconfig");
  await writeKubeconfig(kubeconfigFile, kubeconfigFor({ url, user: { token: server.token() }, namespace: "default" }));
  const main = fileURLToPath(import.meta.resolve("storage-bucket/main"));
  const run = [
    "run",
    "--kubeconfig",
    kubeconfigFile,
    "--allow-endpoint",
    "default=127.0.0.1",
    "--bucket-events",
    eventsFile,
  ];
  const operator = undo.use(
    await startCommand({ command: process.execPath, args: ["--conditions=farwatch-source", main, ...run, ...args] }),
  );
  const owned = undo.move();
  return {
    client,
    operator,
    async put(name): Promise<number> {
      const atMs = systemClock.now().getTime();
      const { status } = await s3.request(s3.admin, { method: "PUT", path: `/photos/${name}`, body: "hello" });
      assert.equal(status, 200);
      return atMs;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const probedMs = ({ lastProbeTime = "" }: StorageBucketStatus): number => parseTime(lastProbeTime)?.getTime() ?? 0;

/**
 * Puts objects, each when the floor of the probe before is over, until one was answered within a second: a machine that is busy may take
 * longer once, but not each time.
 */
async function probedWithinASecond({ client, put }: Stage): Promise<void> {
  const statusOf = async (): Promise<StorageBucketStatus> => (await client.get(StorageBucket, key)).status ?? {};
  const took: number[] = [];
  for (let n = 1; n <= 5; n += 1) {
    const before = await eventually("the bucket was probed, and more than 5 s ago", async () => {
      const status = await statusOf();
      return probedMs(status) > 0 && systemClock.now().getTime() - probedMs(status) > 5_500 && status;
    });
    const putMs = await put(`object-${n}.jpg`);
    const status = await eventually("the bucket is probed again", async () => {
      const now = await statusOf();
      return now.lastHandledRequest !== before.lastHandledRequest && now;
    });
    assert.equal(status.available, true);
    const { metadata } = await client.get(StorageBucket, key);
    assert.equal(metadata.annotations?.["farwatch.dev/requested-at"], status.lastHandledRequest);
    took.push(probedMs(status) - putMs);
    if (probedMs(status) - putMs < 1_000) return;
  }
  assert.fail(`probes came ${took.join(", ")} ms after the objects were put`);
}

test("operator probes within a second of an object that is put into versitygw, which tells by webhook", async () => {
  const port = await freePort();
  // Somebody must be there for versitygw to start: until the operator is, a server that takes anything.
  const standIn = createServer((_request, response) => response.end()).listen(port, "127.0.0.1");
  await once(standIn, "listening");
  await using s3 = await startVersitygw({ flags: ["--event-webhook-url", `http://127.0.0.1:${port}${hook}`] });
  standIn.closeAllConnections();
  await new Promise((resolve) => standIn.close(resolve));
  const ingress = ["--ingress-address", `127.0.0.1:${port}`];
  await using stage = await startStage(s3, { webhook: { path: hook } }, ingress);
  await stage.operator.said("Serving the ingress");
  await stage.operator.said("Starting controller");
  // It sends s3:TestEvent, and would not come up if nobody answered.
  await s3.restart();
  await probedWithinASecond(stage);
  assert.doesNotMatch(stage.operator.stdout, new RegExp(hook), "the path is a secret");
});

test("operator probes within a second of an object that is put into versitygw, which tells by NATS", {
  skip,
}, async () => {
  assert.ok(nats);
  const flags = ["--event-nats-url", nats.url, "--event-nats-topic", "buckets"];
  await using s3 = await startVersitygw({ flags });
  await using stage = await startStage(s3, { nats: { servers: [nats.url], subject: "buckets" } });
  await stage.operator.said("Starting controller");
  await eventually("the operator listens", async () =>
    (await nats.clients()).some((name) => name === "farwatch bucket-events-photos"),
  );
  await probedWithinASecond(stage);
});

test("operator serves its ingress with TLS, and takes notifications from whoever shows a listed certificate", async () => {
  await using s3 = await startVersitygw();
  await using temp = await mkdtempDisposable(join(tmpdir(), "farwatch-ingress-tls-"));
  const authority = await createCertificateAuthority();
  const server = await authority.issue({ commonName: "operator", hosts: ["127.0.0.1"], usage: "server" });
  const [minio, stranger] = [
    await authority.issue({ commonName: "minio", usage: "client" }),
    await authority.issue({ commonName: "stranger", usage: "client" }),
  ];
  const files = { "tls.crt": server.cert, "tls.key": server.key, "ca.crt": authority.cert };
  for (const [name, text] of Object.entries(files)) await writeFile(join(temp.path, name), text);
  const port = await freePort();
  const ingress = ["--ingress-address", `127.0.0.1:${port}`, "--ingress-tls", temp.path];
  await using stage = await startStage(
    s3,
    { webhook: { path: "/minio", mutualTls: { subjects: ["CN=minio"] } } },
    ingress,
  );
  await stage.operator.said("Serving the ingress");
  const before = await eventually("the bucket is probed", async () => {
    const { status } = await stage.client.get(StorageBucket, key);
    return status?.available === true && status;
  });

  await using transport = createHttpTransport();
  const record = {
    eventName: "s3:ObjectCreated:Put",
    eventTime: "2030-01-01T00:00:00Z",
    s3: { bucket: { name: "photos" }, object: { key: "a" } },
  };
  const send = async (shown: typeof minio | undefined): Promise<number> => {
    const { status, body } = await transport.request({
      method: "POST",
      url: `https://127.0.0.1:${port}/minio`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ Records: [record] }),
      tls: { ca: authority.cert, ...(shown && { cert: shown.cert, key: shown.key }) },
    });
    for await (const _ of body);
    return status;
  };
  await eventually("the source is open", async () => (await send(minio)) === 202);
  assert.deepEqual([await send(undefined), await send(stranger)], [401, 401]);
  await eventually("the bucket is probed again", async () => {
    const { status } = await stage.client.get(StorageBucket, key);
    return status?.lastHandledRequest !== before.lastHandledRequest;
  });
});
