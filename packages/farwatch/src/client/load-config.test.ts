import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import type { KubeconfigObject } from "./kubeconfig.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";
import { createMemoryFiles } from "./memory-files.fixture.ts";

const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const podEnv = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
const podFiles = { [`${account}/token`]: "pod-token\n", [`${account}/namespace`]: "pod-space\n" };

/** A kubeconfig in which every name is this one. */
function kubeconfig(
  name: string,
  more: { readonly cluster?: object; readonly user?: object; readonly context?: object } = {},
): KubeconfigObject {
  return {
    "current-context": name,
    clusters: [{ name, cluster: { server: `https://${name}.example`, ...more.cluster } }],
    users: [{ name, user: { token: `${name}-token`, ...more.user } }],
    contexts: [{ name, context: { cluster: name, user: name, ...more.context } }],
  };
}

const text = (content: unknown): string => JSON.stringify(content);

function load(options: LoadConfigOptions & { readonly files?: Readonly<Record<string, string>> } = {}) {
  const { files, ...rest } = options;
  return loadConfig({ clock: createVirtualClock(), env: {}, readFile: createMemoryFiles(files).readFile, ...rest });
}

async function authorization(options: Parameters<typeof load>[0]): Promise<unknown> {
  return (await (await load(options)).credentials.current()).headers.authorization;
}

test("loadConfig looks at the option, KUBECONFIG, the service account and the home directory, in this order", async () => {
  const files = {
    ...podFiles,
    "/k/option": text(kubeconfig("option")),
    "/k/env": text(kubeconfig("env")),
    "/home/me/.kube/config": text(kubeconfig("home")),
  };
  const env = { ...podEnv, KUBECONFIG: "/k/env", HOME: "/home/me" };
  assert.equal(await authorization({ files, env, kubeconfig: "/k/option" }), "Bearer option-token");
  assert.equal(await authorization({ files, env }), "Bearer env-token");
  assert.equal(await authorization({ files, env: { ...podEnv, HOME: "/home/me" } }), "Bearer pod-token");
  assert.equal(await authorization({ files, env: { HOME: "/home/me" } }), "Bearer home-token");
  assert.equal(await authorization({ files, env: { USERPROFILE: "/home/me" } }), "Bearer home-token");
});

test("loadConfig takes empty KUBECONFIG and an empty option as not given", async () => {
  const files = { "/home/me/.kube/config": text(kubeconfig("home")) };
  assert.equal(
    await authorization({ files, env: { HOME: "/home/me", KUBECONFIG: "" }, kubeconfig: "" }),
    "Bearer home-token",
  );
});

test("loadConfig says what it looked for when there is no cluster", async () => {
  await assert.rejects(load({ env: { HOME: "/home/me" } }), {
    code: "InvalidConfig",
    message:
      "Cannot find a cluster: KUBECONFIG is not set, this is no pod (KUBERNETES_SERVICE_HOST is not set), and " +
      "/home/me/.kube/config does not exist; set KUBECONFIG or give the option kubeconfig",
  });
  await assert.rejects(load({ env: { KUBERNETES_SERVICE_HOST: "10.96.0.1" } }), {
    message:
      "Cannot find a cluster: KUBECONFIG is not set, this is no pod (KUBERNETES_SERVICE_PORT is not set), and " +
      "HOME is not set; set KUBECONFIG or give the option kubeconfig",
  });
  await assert.rejects(load({ env: podEnv }), {
    message:
      "Cannot find a cluster: KUBECONFIG is not set, the service account is of no use (Cannot read the token file " +
      `${account}/token of the pod's service account: it does not exist), and HOME is not set; set KUBECONFIG or give the option kubeconfig`,
  });
});

test("loadConfig reads the pod's service account", async () => {
  const config = await load({ env: podEnv, files: podFiles });
  assert.deepEqual(
    { ...config, credentials: (await config.credentials.current()).headers },
    {
      server: "https://10.96.0.1",
      namespace: "pod-space",
      proxy: undefined,
      credentials: { authorization: "Bearer pod-token" },
      origin: "the pod's service account",
      inCluster: true,
    },
  );
});

test("loadConfig puts an IPv6 service address in brackets", async () => {
  const env = { KUBERNETES_SERVICE_HOST: "fd00:10:96::1", KUBERNETES_SERVICE_PORT: "6443" };
  assert.equal((await load({ env, files: podFiles })).server, "https://[fd00:10:96::1]:6443");
});

test("loadConfig names a service address that is none", async () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "https" };
  await assert.rejects(load({ env, files: podFiles }), {
    code: "InvalidConfig",
    message:
      "Cannot read the pod's environment: KUBERNETES_SERVICE_HOST is no URL of an API server, give one such as https://host:6443",
  });
});

test("loadConfig in a pod takes the option's namespace before the file's, and default without either", async () => {
  assert.equal((await load({ env: podEnv, files: podFiles, namespace: "mine" })).namespace, "mine");
  assert.equal((await load({ env: podEnv, files: { [`${account}/token`]: "t" } })).namespace, "default");
});

test("loadConfig passes over the service account when an option names an entry of a kubeconfig", async () => {
  const files = { ...podFiles, "/home/me/.kube/config": text(kubeconfig("home")) };
  const config = await load({ files, env: { ...podEnv, HOME: "/home/me" }, context: "home" });
  assert.equal(config.server, "https://home.example");
  await assert.rejects(load({ files: podFiles, env: podEnv, context: "home" }), {
    message:
      "Cannot find a cluster: KUBECONFIG is not set, the options name an entry of a kubeconfig, and HOME is not set; " +
      "set KUBECONFIG or give the option kubeconfig",
  });
});

test("loadConfig merges the files of KUBECONFIG: the first that has a name, or a current-context, wins whole", async () => {
  const files = {
    "/k/1": text({
      clusters: [{ name: "shared", cluster: { server: "https://first.example" } }],
      users: [{ name: "shared", user: { token: "first" } }],
    }),
    "/k/2": text({
      "current-context": "two",
      clusters: [{ name: "shared", cluster: { server: "https://second.example", "tls-server-name": "second" } }],
      contexts: [{ name: "two", context: { cluster: "shared", user: "shared", namespace: "second" } }],
    }),
    "/k/3": text({ ...kubeconfig("three"), contexts: [{ name: "two", context: { cluster: "three", user: "three" } }] }),
  };
  const config = await load({
    files,
    env: { KUBECONFIG: ["/k/missing", "/k/1", "", "/k/2", "/k/3", "/k/1"].join(delimiter) },
  });
  assert.deepEqual(
    [config.server, config.namespace, config.origin],
    ["https://first.example", "second", 'context "two" of kubeconfig /k/2'],
  );
  const { headers, tls } = await config.credentials.current();
  assert.deepEqual([headers, tls], [{ authorization: "Bearer first" }, {}]);
});

test("loadConfig skips missing and empty files of KUBECONFIG, and lists them when there is no other", async () => {
  const files = { "/k/empty": " \n# nothing\n---\n", "/k/env": text(kubeconfig("env")) };
  assert.equal(await authorization({ files, env: { KUBECONFIG: "/k/missing:/k/empty:/k/env" } }), "Bearer env-token");
  await assert.rejects(load({ files, env: { ...podEnv, KUBECONFIG: "/k/missing:/k/empty" } }), {
    code: "InvalidConfig",
    message: "Cannot read any file of KUBECONFIG: /k/missing does not exist, /k/empty is empty",
  });
});

test("loadConfig names a kubeconfig that is missing, empty or unreadable", async () => {
  await assert.rejects(load({ kubeconfig: "/k/missing" }), {
    code: "InvalidConfig",
    message: "Cannot read kubeconfig /k/missing: it does not exist",
  });
  await assert.rejects(load({ kubeconfig: "/k/empty", files: { "/k/empty": "" } }), {
    message: "Cannot read kubeconfig /k/empty: it is empty",
  });
  const readFile = () => Promise.reject(Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" }));
  await assert.rejects(load({ env: { KUBECONFIG: "/k/1:/k/2" }, readFile }), {
    code: "InvalidConfig",
    message: "Cannot read kubeconfig /k/1: permission was denied",
  });
});

test("loadConfig reads a hostile kubeconfig of nothing but comments in linear time", async () => {
  const comments = "# ".repeat(50_000) + "\n# x".repeat(50_000);
  await assert.rejects(load({ kubeconfig: "/k/1", files: { "/k/1": comments } }), {
    message: "Cannot read kubeconfig /k/1: it is empty",
  });
});

test("loadConfig takes relative paths from the directory of the file that names them", async () => {
  const files = {
    "/k/one/config": text({ users: [{ name: "me", user: { tokenFile: "token" } }] }),
    "/k/two/config": text({ ...kubeconfig("two", { context: { user: "me" } }) }),
    "/k/one/token": "one",
    "/k/two/token": "two",
  };
  assert.equal(await authorization({ files, env: { KUBECONFIG: "/k/one/config:/k/two/config" } }), "Bearer one");
  const given = { ...kubeconfig("given", { user: { token: undefined, tokenFile: "token" } }) };
  assert.equal(
    await authorization({ kubeconfig: given, files: { [join(process.cwd(), "token")]: "cwd" } }),
    "Bearer cwd",
  );
});

test("loadConfig lets options stand for the context, cluster, user and namespace", async () => {
  const [dev, prod] = [kubeconfig("dev", { context: { namespace: "dev-space" } }), kubeconfig("prod")];
  const both = Object.fromEntries(
    ["clusters", "users", "contexts"].map((list) => [list, [dev[list], prod[list]].flat()]),
  );
  const current = { ...both, "current-context": "dev" };
  const seen = async (options: LoadConfigOptions) => {
    const config = await load({ kubeconfig: current, ...options });
    return [config.server, (await config.credentials.current()).headers.authorization, config.namespace];
  };
  assert.deepEqual(await seen({}), ["https://dev.example", "Bearer dev-token", "dev-space"]);
  assert.deepEqual(await seen({ context: "prod" }), ["https://prod.example", "Bearer prod-token", "default"]);
  assert.deepEqual(await seen({ cluster: "prod" }), ["https://prod.example", "Bearer dev-token", "dev-space"]);
  assert.deepEqual(await seen({ user: "prod", namespace: "mine" }), [
    "https://dev.example",
    "Bearer prod-token",
    "mine",
  ]);
  assert.deepEqual(await seen({ kubeconfig: both, cluster: "dev", user: "prod" }), [
    "https://dev.example",
    "Bearer prod-token",
    "default",
  ]);
});

const unusable: readonly (readonly [options: LoadConfigOptions, problem: string])[] = [
  [{ context: "prod" }, 'it has no context "prod", the context; its contexts are dev, stage'],
  [
    { kubeconfig: { ...kubeconfig("dev"), "current-context": "gone" } },
    'it has no context "gone", the current-context; its contexts are dev',
  ],
  [
    { kubeconfig: { ...kubeconfig("dev"), "current-context": "" } },
    "it has no current-context, set one or give the option context; its contexts are dev",
  ],
  [{ kubeconfig: {} }, "it has no current-context, set one or give the option context; it has no contexts"],
  [
    { kubeconfig: { ...kubeconfig("dev"), clusters: [] } },
    'it has no cluster "dev", which contexts[0].context.cluster names; it has no clusters',
  ],
  [{ user: "her" }, 'it has no user "her", which the option user names; its users are dev, stage'],
];

test("loadConfig lists what there is when a context, cluster or user is unknown", async () => {
  const [dev, stage] = [kubeconfig("dev"), kubeconfig("stage")];
  const both = Object.fromEntries(
    ["clusters", "users", "contexts"].map((list) => [list, [stage[list], dev[list]].flat()]),
  );
  for (const [options, problem] of unusable) {
    await assert.rejects(load({ kubeconfig: { ...both, "current-context": "dev" }, ...options }), {
      code: "InvalidConfig",
      message: `Cannot use the given kubeconfig: ${problem}`,
    });
  }
});

test("loadConfig names a context without cluster or user", async () => {
  for (const field of ["cluster", "user"]) {
    await assert.rejects(load({ kubeconfig: kubeconfig("dev", { context: { [field]: null } }) }), {
      code: "InvalidConfig",
      message: `Cannot read the given kubeconfig: contexts[0].context.${field} is missing, give a string`,
    });
  }
});

const badClusters: readonly (readonly [cluster: object, problem: string])[] = [
  [{ server: null }, "server is missing, give the URL of the API server"],
  [{ server: "10.0.0.1:6443" }, "server is no URL of an API server, give one such as https://host:6443"],
  [{ server: "ftp://host" }, "server is no URL of an API server, give one such as https://host:6443"],
  [{ server: "https://host?a=b" }, "server is no URL of an API server, give one such as https://host:6443"],
  [{ server: "https://me:hunter2@host" }, "server holds a login, give username and password of the user"],
  [{ "certificate-authority-data": "not base64!" }, "certificate-authority-data is no base64"],
  [{ "certificate-authority-data": "aGVsbG8=" }, "certificate-authority-data holds no certificate in PEM form"],
  [
    { "certificate-authority-data": "aGVsbG8=", "certificate-authority": "/ca" },
    "certificate-authority-data stands beside certificate-authority, give only one",
  ],
  [
    { "insecure-skip-tls-verify": true, "certificate-authority": "/ca" },
    "insecure-skip-tls-verify is true beside a certificate authority, give only one",
  ],
  [{ "proxy-url": "socks5://me:hunter2@proxy.example:1080" }, "proxy-url is a socks5 proxy, give an http or https one"],
  [{ "proxy-url": "http://:hunter2@:x" }, "proxy-url is no URL, give one such as http://proxy.example:3128"],
];

test("loadConfig names the field of a cluster that it cannot use, and not its value", async () => {
  for (const [cluster, problem] of badClusters) {
    await assert.rejects(load({ kubeconfig: kubeconfig("dev", { cluster }) }), {
      code: "InvalidConfig",
      message: `Cannot read the given kubeconfig: clusters[0].cluster.${problem}`,
    });
  }
});

const badUsers: readonly (readonly [user: object, problem: string])[] = [
  [{ token: "two\nlines" }, "token has characters that no HTTP header may hold"],
  [{ token: " " }, "token holds no token"],
  [{ username: "me", password: "hunter2" }, "username stands beside a token, give only one"],
  [{ token: null, password: "hunter2" }, "username is missing beside a password"],
  [{ token: null, username: "a:b" }, "username has a colon, which basic authentication cannot send"],
  [{ "client-certificate": "/c" }, "client-key is missing beside a client certificate"],
  [{ "client-key": "/k" }, "client-certificate is missing beside a client key"],
  [{ "client-key": "/k", "client-key-data": "aGVsbG8=" }, "client-key-data stands beside client-key, give only one"],
  [{ "client-key-data": "hunter2" }, "client-key-data is no base64"],
  [
    { "auth-provider": { name: "gcp" } },
    "auth-provider is a way in that Kubernetes has removed, use exec with the provider's plugin",
  ],
  [{ "as-groups": ["a"] }, "as is missing beside the groups, uid or extras of whom to act as"],
  [{ "as-uid": "1" }, "as is missing beside the groups, uid or extras of whom to act as"],
  [{ as: "a", "as-groups": ["x\ny"] }, "as-groups has characters that no HTTP header may hold"],
  [{ as: "a", "as-user-extra": { k: ["x\ny"] } }, "as-user-extra.k has characters that no HTTP header may hold"],
  [
    { exec: { command: "p" } },
    "exec.apiVersion is none of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1",
  ],
  [
    { exec: { apiVersion: "client.authentication.k8s.io/v1alpha1", command: "p" } },
    "exec.apiVersion is none of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1",
  ],
  [{ exec: { apiVersion: "client.authentication.k8s.io/v1" } }, "exec.command is missing, give a string"],
  [
    { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "p" } },
    "exec.interactiveMode is none of Never, IfAvailable, Always",
  ],
  [
    { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "p", interactiveMode: "Always" } },
    "exec.interactiveMode is Always, but a controller has no terminal: use a plugin that asks nothing",
  ],
  [
    { exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "p", env: [{ value: "a" }] } },
    "exec.env[0].name is missing, give a string",
  ],
];

test("loadConfig names the field of a user that it cannot use, and not its value", async () => {
  for (const [user, problem] of badUsers) {
    await assert.rejects(load({ kubeconfig: kubeconfig("dev", { user }) }), {
      code: "InvalidConfig",
      message: `Cannot read the given kubeconfig: users[0].user.${problem}`,
    });
  }
});

test("loadConfig names the file and the field of credentials that cannot be read", async () => {
  await assert.rejects(load({ kubeconfig: kubeconfig("dev", { user: { tokenFile: "/k/token" } }) }), {
    code: "CredentialFailed",
    message: "Cannot read the token file /k/token of the given kubeconfig, users[0].user.tokenFile: it does not exist",
  });
  await assert.rejects(
    load({
      kubeconfig: kubeconfig("dev", { cluster: { "certificate-authority": "/k/ca" } }),
      files: { "/k/ca": "hunter2" },
    }),
    {
      code: "CredentialFailed",
      message:
        "Cannot read the certificate authority file /k/ca of the given kubeconfig, clusters[0].cluster.certificate-authority: " +
        "it holds no certificate in PEM form",
    },
  );
});

test("loadConfig keeps the path of a server, without a slash at its end", async () => {
  const server = async (given: string) =>
    (await load({ kubeconfig: kubeconfig("dev", { cluster: { server: given } }) })).server;
  assert.equal(await server("https://rancher.example/k8s/clusters/c-1/"), "https://rancher.example/k8s/clusters/c-1");
  assert.equal(await server("http://localhost:8080/"), "http://localhost:8080");
});

test("loadConfig sends no credentials over http, other than straight to this machine, and says so", async () => {
  const log = createRecordingLogger();
  const sent = async (cluster: object, user = {}) =>
    authorization({ kubeconfig: kubeconfig("dev", { cluster, user }), log });
  assert.equal(await sent({ server: "http://api.example:8080" }), undefined);
  assert.equal(await sent({ server: "http://api.example" }, { token: null, username: "me", password: "p" }), undefined);
  assert.equal(await sent({ server: "http://127.0.0.1", "proxy-url": "http://proxy.example" }), undefined);
  assert.equal(log.lines.length, 3);
  assert.equal(await sent({ server: "http://127.0.0.1:8001" }), "Bearer dev-token");
  assert.equal(await sent({ server: "http://[::1]:8001" }), "Bearer dev-token");
  assert.equal(await sent({ server: "http://localhost:8001" }), "Bearer dev-token");
  assert.deepEqual(
    new Set(log.lines.map(({ message }) => message)),
    new Set(["Credentials are not sent to a server without TLS"]),
  );
});

test("loadConfig accepts disable-compression", async () => {
  assert.equal(
    (await load({ kubeconfig: kubeconfig("dev", { cluster: { "disable-compression": true } }) })).server,
    "https://dev.example",
  );
});

// B52 (a), (b), (c), (d)
test("loadConfig prefers a cluster's proxy-url to the environment's proxy, which NO_PROXY limits", async () => {
  const proxy = async (cluster: object, env: LoadConfigOptions["env"]) =>
    (await load({ kubeconfig: kubeconfig("dev", { cluster }), env })).proxy;
  const env = { HTTPS_PROXY: "http://env.example:3128", NO_PROXY: "10.96.0.0/12,.svc" };
  assert.equal(
    await proxy({ "proxy-url": "http://cluster.example:8888" }, { ...env, NO_PROXY: "*" }),
    "http://cluster.example:8888",
  );
  assert.equal(await proxy({}, env), "http://env.example:3128");
  assert.equal(await proxy({ server: "https://kubernetes.default.svc" }, env), undefined);
  assert.equal(await proxy({ server: "https://10.97.3.4:6443" }, env), undefined);
  assert.equal(await proxy({ "proxy-url": "cluster.example:8888" }, {}), "http://cluster.example:8888");
  assert.equal((await load({ env: { ...podEnv, ...env }, files: podFiles })).proxy, undefined);
  assert.equal(
    (await load({ env: { ...podEnv, ...env, NO_PROXY: "" }, files: podFiles })).proxy,
    "http://env.example:3128",
  );
});

test("loadConfig sends basic authentication as UTF-8", async () => {
  const user = { token: null, username: "me", password: "pässword:1" };
  assert.equal(
    await authorization({ kubeconfig: kubeconfig("dev", { user }) }),
    `Basic ${Buffer.from("me:pässword:1", "utf8").toString("base64")}`,
  );
});

test("loadConfig acts as the user that `as` names, one header line a group", async () => {
  const user = {
    as: "system:serviceaccount:a:b",
    "as-uid": "u-1",
    "as-groups": ["devs, all", "ops"],
    "as-user-extra": { "Acme.com/Project (a)": ["x", "y"] },
  };
  const config = await load({ kubeconfig: kubeconfig("dev", { user }) });
  assert.deepEqual((await config.credentials.current()).headers, {
    authorization: "Bearer dev-token",
    "impersonate-user": "system:serviceaccount:a:b",
    "impersonate-uid": "u-1",
    "impersonate-group": ["devs, all", "ops"],
    "impersonate-extra-acme.com%2fproject%20%28a%29": ["x", "y"],
  });
});

test("loadConfig ends with the signal's reason, whatever the disk does", async () => {
  const controller = new AbortController();
  const loading = load({ kubeconfig: "/k/1", readFile: () => new Promise(() => {}), signal: controller.signal });
  controller.abort("shutdown");
  await assert.rejects(loading, (reason) => reason === "shutdown");
  await assert.rejects(load({ kubeconfig: {}, signal: AbortSignal.abort("before") }), (reason) => reason === "before");
});
