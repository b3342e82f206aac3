import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { KubeConfig } from "@kubernetes/client-node";
import fc from "fast-check";
import { dump } from "js-yaml";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";

// @kubernetes/client-node is asked only where it follows kubectl: it ignores tokenFile, never looks at as-groups, keeps
// a server's trailing slash, throws for http, and refuses a name that two files of KUBECONFIG share.

interface Access {
  readonly server: string;
  readonly namespace: string;
  readonly authorization: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly serverName: string | undefined;
  readonly insecure: boolean;
}

const fixture = (name: string): Promise<string> => readFile(join(import.meta.dirname, "fixtures", name), "utf8");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const [ca, cert, key] = (await Promise.all(["ca.pem", "client.pem", "client-key.pem"].map(fixture))) as [
  string,
  string,
  string,
];

async function ours(options: LoadConfigOptions): Promise<Access> {
  const { server, namespace, credentials } = await loadConfig({ clock: createVirtualClock(), env: {}, ...options });
  const { headers, tls } = await credentials.current();
  return {
    server,
    namespace,
    authorization: headers.authorization?.toString(),
    ca: tls.ca?.toString(),
    cert: tls.cert?.toString(),
    key: tls.key?.toString(),
    serverName: tls.serverName,
    insecure: tls.insecureSkipVerify ?? false,
  };
}

async function theirs(config: KubeConfig): Promise<Access> {
  const cluster = config.getCurrentCluster();
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { auth } = options;
  return {
    server: cluster?.server ?? "",
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    authorization: auth
      ? `Basic ${base64(auth)}`
      : (new Headers(options.headers as Record<string, string>).get("authorization") ?? undefined),
    ca: options.ca?.toString(),
    cert: options.cert?.toString(),
    key: options.key?.toString(),
    serverName: options.servername,
    insecure: cluster?.skipTLSVerify ?? false,
  };
}

function loaded(load: (config: KubeConfig) => void): KubeConfig {
  const config = new KubeConfig();
  load(config);
  return config;
}

const files: Readonly<Record<string, string>> = {
  "inline.yaml": `
apiVersion: v1
kind: Config
current-context: b
clusters:
- {name: one, cluster: {server: "https://one.example:6443", certificate-authority-data: ${base64(ca)}}}
- {name: two, cluster: {server: "https://two.example:8080/base"}}
users:
- {name: t, user: {token: some-token}}
- {name: c, user: {client-certificate-data: ${base64(cert)}, client-key-data: ${base64(key)}}}
contexts:
- {name: a, context: {cluster: two, user: t}}
- {name: b, context: {cluster: one, user: c, namespace: team}}
`,
  "files.yaml": `
current-context: a
clusters: [{name: one, cluster: {server: "https://one.example", certificate-authority: pki/ca.pem}}]
users: [{name: c, user: {client-certificate: ./pki/client.pem, client-key: pki/client-key.pem}}]
contexts: [{name: a, context: {cluster: one, user: c}}]
`,
  "basic.json": JSON.stringify({
    "current-context": "a",
    clusters: [{ name: "one", cluster: { server: "https://one.example", "tls-server-name": "inner.example" } }],
    users: [{ name: "b", user: { username: "me", password: "pass:word" } }],
    contexts: [{ name: "a", context: { cluster: "one", user: "b", namespace: "kube-system" } }],
  }),
  "insecure.yaml": `
# A cluster that nobody should have.
current-context: &name dev
clusters: [{name: *name, cluster: {insecure-skip-tls-verify: true, server: "https://10.0.0.1"}}]
users: [{name: *name, user: {token: "0123"}}]
contexts: [{name: *name, context: {cluster: *name, user: *name}}]
`,
  "anonymous.yaml": `
current-context: a
clusters: [{name: one, cluster: {server: "https://[fd00::1]:6443"}}]
users: [{name: nobody, user: {}}]
contexts: [{name: a, context: {cluster: one, user: nobody}}]
`,
};

test("loadConfig agrees with @kubernetes/client-node on files", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "farwatch-oracle-"));
  t.after(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, "pki"));
  await writeFile(join(directory, "pki", "ca.pem"), ca);
  await writeFile(join(directory, "pki", "client.pem"), cert);
  await writeFile(join(directory, "pki", "client-key.pem"), key);
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    await writeFile(path, text);
    assert.deepEqual(
      await ours({ kubeconfig: path }),
      await theirs(loaded((config) => config.loadFromFile(path))),
      name,
    );
  }
  const context = await ours({ kubeconfig: join(directory, "inline.yaml"), context: "a" });
  const theirContext = loaded((config) => {
    config.loadFromFile(join(directory, "inline.yaml"));
    config.setCurrentContext("a");
  });
  assert.deepEqual(context, await theirs(theirContext));
});

const name = fc.stringMatching(/^[a-zA-Z0-9:@./_-]{1,20}$/);
const token = fc.stringMatching(/^[!-~]{1,40}$/);

/** A kubeconfig with one context for each of these. */
const entries = fc.uniqueArray(
  fc.record(
    {
      name,
      host: fc.domain(),
      port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
      token,
      namespace: fc.option(fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z]$/), { nil: undefined }),
      hasCa: fc.boolean(),
    },
    { noNullPrototype: true },
  ),
  { selector: (entry) => entry.name, minLength: 1, maxLength: 5 },
);

function kubeconfigOf(
  list: typeof entries extends fc.Arbitrary<infer T> ? T : never,
): Readonly<Record<string, unknown>> {
  return {
    "current-context": list[0]?.name,
    clusters: list.map(({ name, host, port, hasCa }) => ({
      name,
      cluster: {
        server: new URL(`https://${host}${port === undefined ? "" : `:${port}`}`).origin,
        ...(hasCa ? { "certificate-authority-data": base64(ca) } : {}),
      },
    })),
    users: list.map(({ name, token }) => ({ name, user: { token } })),
    contexts: list.map(({ name, namespace }) => ({
      name,
      context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) },
    })),
  };
}

test("loadConfig agrees with @kubernetes/client-node on any names, tokens and namespaces, in YAML and JSON", async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.nat(), fc.boolean(), async (list, pick, yaml) => {
      const content = kubeconfigOf(list);
      const text = yaml ? dump(content) : JSON.stringify(content);
      const context = list[pick % list.length]?.name ?? "";
      const mine = await ours({ kubeconfig: "/k", readFile: async () => text, context });
      const theirConfig = loaded((config) => {
        config.loadFromString(text);
        config.setCurrentContext(context);
      });
      assert.deepEqual(mine, await theirs(theirConfig));
    }),
    { numRuns: 100 },
  );
});

test("loadConfig agrees with @kubernetes/client-node on files of KUBECONFIG that share no name", async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.nat(), async (list, cut) => {
      const parts = [list.slice(0, cut % list.length), list.slice(cut % list.length)].map((part) =>
        dump(kubeconfigOf(part)),
      );
      const paths = parts.map((_part, index) => `/k/${index}`);
      const mine = await ours({
        env: { KUBECONFIG: paths.join(delimiter) },
        readFile: async (path) => parts[paths.indexOf(path)] ?? "",
      });
      const [first, second] = parts.map((text) => loaded((config) => config.loadFromString(text)));
      assert.ok(first !== undefined && second !== undefined);
      first.mergeConfig(second, first.getCurrentContext() !== undefined);
      assert.deepEqual(mine, await theirs(first));
    }),
    { numRuns: 50 },
  );
});
