import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedStream, createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { messageOf } from "../error/coded-error.ts";
import { silentLogger } from "../observe/logger.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createRestClient } from "./create-rest-client.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.fixture.ts";
import { diskReader } from "./read-file.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const env = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
const account = "/account";
const minuteMs = 60_000;

async function authorities(): Promise<{ readonly ca: string; readonly otherCa: string }> {
  const read = diskReader(createVirtualClock());
  return { ca: await read(join(fixtures, "ca.pem")), otherCa: await read(join(fixtures, "other-ca.pem")) };
}

interface Pod {
  readonly ca: string;
  readonly otherCa: string;
  readonly clock: VirtualClock;
  readonly files: MemoryFiles;
  readonly config: ClusterConfig;
  /** How often a file of the account was asked for. */
  reads(name: string): number;
  /** The authorization header of now. */
  token(): Promise<unknown>;
}

async function pod(options: LoadConfigOptions = {}): Promise<Pod> {
  const { ca, otherCa } = await authorities();
  const clock = createVirtualClock();
  const files = createMemoryFiles({
    [`${account}/token`]: "first\n",
    [`${account}/ca.crt`]: ca,
    [`${account}/namespace`]: "team",
  });
  const config = await loadConfig({ clock, env, serviceAccountPath: account, readFile: files.readFile, ...options });
  const reads = (name: string): number => files.reads.filter((path) => path === `${account}/${name}`).length;
  const token = async () => (await config.credentials.current()).headers.authorization;
  return { ca, otherCa, clock, files, config, reads, token };
}

// Promise 11
// B35
test("Tokens and certificates are read again before they expire; a 401 causes one reload and one retry", async () => {
  const { ca, otherCa, clock, files, config, reads } = await pod();
  const transport = createScriptedTransport(clock);
  const watch = createScriptedStream();
  let accepted = ["Bearer first", "Bearer second"];
  const answer = ({ headers }: { readonly headers?: { readonly authorization?: unknown } }) =>
    accepted.includes(String(headers?.authorization))
      ? { body: {} }
      : { status: 401, body: { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401 } };
  transport.on({ path: "/api/v1/pods" }, answer);
  transport.on({ path: "/api/v1/pods", query: { watch: "true" } }, { body: watch });
  await using rest = createRestClient({ config: async () => config, transport, clock, log: silentLogger });
  const get = () => rest.json({ method: "GET", path: "/api/v1/pods" });
  const opened = rest.request({ method: "GET", path: "/api/v1/pods", query: { watch: "true" }, streaming: true });
  await clock.settle();
  const events = (await opened).body[Symbol.asyncIterator]();

  // The kubelet swaps the token after 50 minutes, the authority too; the server refuses the old one after 60.
  const sentWith = async () => {
    await get();
    const { headers, tls } = transport.requests.at(-1) ?? {};
    return [headers?.authorization, tls?.ca === otherCa ? "other" : "first"];
  };
  for (let minute = 0; minute < 50; minute += 1) {
    assert.deepEqual(await sentWith(), ["Bearer first", "first"]);
    await clock.advance(minuteMs);
  }
  const readBefore = reads("token");
  assert.ok(readBefore <= 51, `${readBefore} reads in 50 minutes`);
  await get();
  files.write(`${account}/token`, "second\n");
  files.write(`${account}/ca.crt`, otherCa);
  await clock.advance(minuteMs);
  assert.deepEqual(await sentWith(), ["Bearer second", "other"]);
  assert.equal(
    transport.requests.filter(({ tls }) => tls?.ca === ca).length,
    52,
    "one authority until the swap, the watch included",
  );

  // Of the next token the kubelet's swap and the server's refusal come at once: nothing is seen of it but one more
  // request.
  await clock.advance(10 * minuteMs);
  await get();
  files.write(`${account}/token`, "third\n");
  accepted = ["Bearer third"];
  const requestsBefore = transport.requests.length;
  const tokenReadsBefore = reads("token");
  await get();
  assert.deepEqual(
    transport.requests.slice(requestsBefore).map(({ headers }) => headers?.authorization),
    ["Bearer second", "Bearer third"],
  );
  assert.equal(reads("token") - tokenReadsBefore, 1);

  // A server that refuses what the file holds gets one try, then the caller gets the 401.
  accepted = [];
  const before = transport.requests.length;
  await assert.rejects(get(), { code: "Unauthorized" });
  assert.equal(transport.requests.length - before, 1);

  watch.write({ type: "BOOKMARK" });
  const event = await events.next();
  assert.equal(Buffer.from(event.value ?? "").toString(), '{"type":"BOOKMARK"}\n');
});

// B35
test("a rotated token is used within 60 s however often it is asked for, and no file is read more often", async () => {
  const { clock, files, reads, token } = await pod();
  await clock.advance("30s");
  assert.equal(await token(), "Bearer first");
  files.write(`${account}/token`, "second");
  await clock.advance("29s");
  assert.equal(await token(), "Bearer first");
  await clock.advance("1s");
  assert.equal(await token(), "Bearer second");
  assert.deepEqual([reads("token"), reads("ca.crt")], [2, 3], "ca.crt is looked for once more at the start");
});

// B35
test("twenty parallel 401s cause one reload", async () => {
  const { files, config, reads } = await pod();
  const refused = await config.credentials.current();
  files.write(`${account}/token`, "second");
  const before = reads("token");
  const again = await Promise.all(Array.from({ length: 20 }, () => config.credentials.refused(refused)));
  assert.deepEqual(
    again,
    Array.from({ length: 20 }, () => true),
  );
  assert.equal(reads("token") - before, 1);
  assert.equal(await config.credentials.refused(refused), true, "a late 401 of the old token");
  assert.equal(reads("token") - before, 1);
});

test("a 401 is not tried again when the token on disk is the same", async () => {
  const { config } = await pod();
  assert.equal(await config.credentials.refused(await config.credentials.current()), false);
});

test("a credential whose files have not changed stays the same object, so that connections stay in use", async () => {
  const { clock, config } = await pod();
  const first = await config.credentials.current();
  await clock.advance("5m");
  assert.equal(await config.credentials.current(), first);
  assert.equal(await config.credentials.refused(first), false);
  assert.equal(await config.credentials.current(), first);
});

test("a token file that vanishes, is empty or broken leaves the old token in use, says so, and is tried again", async () => {
  const log = createRecordingLogger();
  const { clock, files, token } = await pod({ log });
  for (const damage of [
    () => files.remove(`${account}/token`),
    () => files.write(`${account}/token`, ""),
    () => files.write(`${account}/token`, "a\nb"),
  ]) {
    damage();
    await clock.advance("60s");
    assert.equal(await token(), "Bearer first");
    assert.equal(await token(), "Bearer first");
  }
  files.write(`${account}/token`, "second");
  await clock.advance("9s");
  assert.equal(await token(), "Bearer first", "tried again no sooner than after 10 s");
  await clock.advance("1s");
  assert.equal(await token(), "Bearer second");
  const cannot =
    "Cannot renew credentials, the old ones stay in use: Cannot read the token file /account/token of the pod's service account: it";
  const said = log.lines.map(({ message, fields }) => `${message}: ${messageOf(fields.error)}`);
  assert.deepEqual(said, [
    `${cannot} does not exist`,
    `${cannot} holds no token`,
    `${cannot} has characters that no HTTP header may hold`,
  ]);
});

test("a 401 with an unreadable token file says what is wrong with the file", async () => {
  const { files, config } = await pod();
  const credential = await config.credentials.current();
  files.remove(`${account}/token`);
  await assert.rejects(config.credentials.refused(credential), {
    code: "CredentialFailed",
    message: "Cannot read the token file /account/token of the pod's service account: it does not exist",
  });
});

test("a service account without ca.crt trusts the system's authorities and says so", async () => {
  const log = createRecordingLogger();
  const readFile = createMemoryFiles({ [`${account}/token`]: "t" }).readFile;
  const config = await loadConfig({ clock: createVirtualClock(), env, serviceAccountPath: account, readFile, log });
  assert.deepEqual((await config.credentials.current()).tls, {});
  const said = log.lines.map(({ message }) => message);
  assert.deepEqual(said, ["The service account has no ca.crt, the system's authorities are trusted"]);
});

// B35
test("a projected volume's swapped symlink is followed on a real disk", async (t) => {
  const { ca, otherCa } = await authorities();
  const root = await mkdtemp(join(tmpdir(), "farwatch-account-"));
  t.after(() => rm(root, { recursive: true }));
  const project = async (version: string, token: string, authority: string) => {
    await mkdir(join(root, version));
    await writeFile(join(root, version, "token"), token);
    await writeFile(join(root, version, "ca.crt"), authority);
    await symlink(version, join(root, "..data_tmp"));
    await rename(join(root, "..data_tmp"), join(root, "..data"));
  };
  await project("..1", "first", ca);
  for (const name of ["token", "ca.crt"]) await symlink(join("..data", name), join(root, name));

  const clock = createVirtualClock();
  const config = await loadConfig({ clock, env, serviceAccountPath: root });
  assert.deepEqual(await config.credentials.current(), { headers: { authorization: "Bearer first" }, tls: { ca } });
  assert.equal(config.namespace, "default");
  await project("..2", "second", otherCa);
  await clock.advance("60s");
  assert.deepEqual(await config.credentials.current(), {
    headers: { authorization: "Bearer second" },
    tls: { ca: otherCa },
  });
});
