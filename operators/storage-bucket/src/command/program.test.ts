import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crdYaml } from "./crd-yaml.ts";
import { type ExitCode, runProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "storage-bucket-program-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Ended> {
  const said = { out: "", err: "" };
  const code = await runProgram(args, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("program refuses wrong usage with exit code 2 and a text that says what is right", async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["run", "--bogus"], "error: unknown option '--bogus'"],
    [["run", "--namespce", "a"], "error: unknown option '--namespce'\n(Did you mean --namespace?)"],
    [["run", "extra"], "error: too many arguments for 'run'. Expected 0 arguments but got 1: extra."],
    [["frob"], "error: unknown command 'frob'"],
    [["run", "--namespace"], "error: option '--namespace <name>' argument missing"],
    [
      ["run", "--namespace", "a", "--all-namespaces"],
      "error: option '--namespace <name>' cannot be used with option '--all-namespaces'",
    ],
    [
      ["run", "--allow-endpoint", "minio:9000"],
      "error: option '--allow-endpoint <target>' argument 'minio:9000' is invalid. Give NAMESPACE=CIDR or NAMESPACE=host[:port], such as storage=10.0.0.0/8 or default=minio.store.svc:9000.",
    ],
    [
      ["run", "--allow-endpoint", "default=10.0.0.0/33"],
      "error: option '--allow-endpoint <target>' argument 'default=10.0.0.0/33' is invalid. Give NAMESPACE=CIDR or NAMESPACE=host[:port], such as storage=10.0.0.0/8 or default=minio.store.svc:9000.",
    ],
    [
      ["run", "--http-address", "localhost"],
      "error: option '--http-address <host:port>' argument 'localhost' is invalid. Give host:port, such as 0.0.0.0:8080.",
    ],
    [
      ["run", "--http-address", "0.0.0.0:80800"],
      "error: option '--http-address <host:port>' argument '0.0.0.0:80800' is invalid. Give host:port, such as 0.0.0.0:8080.",
    ],
    [
      ["run", "--concurrency", "1e3"],
      "error: option '--concurrency <number>' argument '1e3' is invalid. Give a whole number of at least 1.",
    ],
    [
      ["run", "--namespace-concurrency", "0"],
      "error: option '--namespace-concurrency <number>' argument '0' is invalid. Give a whole number of at least 1.",
    ],
    [
      ["run", "--namespace-probes-per-second", "0"],
      "error: option '--namespace-probes-per-second <number>' argument '0' is invalid. Give a number from 0.001 to 1000000.",
    ],
    [
      ["run", "--endpoint-probes-per-second", "Infinity"],
      "error: option '--endpoint-probes-per-second <number>' argument 'Infinity' is invalid. Give a number from 0.001 to 1000000.",
    ],
    [
      ["run", "--log-level", "loud"],
      "error: option '--log-level <level>' argument 'loud' is invalid. Allowed choices are debug, info, warn, error.",
    ],
  ];
  for (const [args, text] of cases) {
    assert.deepEqual(await run(...args), { code: 2, out: "", err: `${text}\n(add --help for the options)\n` });
  }
});

test("program without a command says what there is, with exit code 2", async () => {
  const { code, out, err } = await run();
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /^Usage: storage-bucket \[options\] \[command\]/);
});

test("program ends with 1 and names file and field when the kubeconfig is broken", async () => {
  const missing = join(folder, "missing");
  const noYaml = fileOf("no-yaml", "{ clusters: [");
  const noCluster = fileOf(
    "no-cluster",
    JSON.stringify({ "current-context": "a", contexts: [{ name: "a", context: { cluster: "b", user: "c" } }] }),
  );
  const wrongServer = fileOf(
    "wrong-server",
    JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "b", user: "c" } }],
      users: [{ name: "c", user: {} }],
      clusters: [{ name: "b", cluster: { server: "nowhere" } }],
    }),
  );
  const cases: readonly (readonly [string, RegExp])[] = [
    [missing, /^storage-bucket: Cannot read kubeconfig \S+missing: it does not exist\n$/],
    [noYaml, /^storage-bucket: Cannot read kubeconfig \S+no-yaml: .*\n$/],
    [noCluster, /^storage-bucket: .*no-cluster.*clusters.*\n$/],
    [wrongServer, /^storage-bucket: .*wrong-server.*server.*\n$/],
  ];
  for (const [file, text] of cases) {
    const { code, out, err } = await run("run", "--kubeconfig", file);
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, text);
  }
});

test("program ends with 1 when the proxy of its environment is none", async (t) => {
  const before = process.env.HTTPS_PROXY;
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, "HTTPS_PROXY");
    else process.env.HTTPS_PROXY = before;
  });
  process.env.HTTPS_PROXY = "socks5://proxy.example:1080";
  assert.deepEqual(await run("run"), {
    code: 1,
    out: "",
    err: "storage-bucket: Cannot use HTTPS_PROXY: its value is a socks5 proxy, give an http or https one\n",
  });
});

test("program ends with 2 when bucket events come by HTTP and nobody said where, or their file is wrong", async () => {
  const webhook = { path: "/minio/x7Hq2LmVb9TzKc4RwN8sYd" };
  const good = fileOf("events", JSON.stringify([{ name: "photos", buckets: ["photos"], webhook }]));
  const bad = fileOf("no-events", "[]");
  for (const [args, text] of [
    [
      ["--bucket-events", good],
      /^error: some events of \S+ '--bucket-events \S+events' come by HTTP, .*--ingress-address/,
    ],
    [["--bucket-events", bad], /^error: Cannot read bucket events from \S+no-events: entries: /],
    [["--bucket-events", join(folder, "missing")], /^error: Cannot read bucket events from \S+missing: ENOENT/],
    [["--ingress-address", ":8443"], /^error: option '--ingress-address <host:port>' is of no use without /],
    [
      ["--bucket-events", good, "--ingress-tls", folder],
      /^error: option '--ingress-tls <folder>' is of no use without /,
    ],
  ] as const) {
    const { code, out, err } = await run("run", ...args);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, text);
    assert.match(err, /\(add --help for the options\)\n$/);
    assert.doesNotMatch(err, /x7Hq2LmVb9TzKc4RwN8sYd/);
  }
});

test("program prints help for every command, with exit code 0", async () => {
  const main = await run("--help");
  assert.deepEqual([main.code, main.err], [0, ""]);
  for (const command of ["run", "crd"]) {
    assert.match(main.out, new RegExp(`^  ${command} `, "m"));
    const { code, out, err } = await run(command, "--help");
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, new RegExp(`^Usage: storage-bucket ${command} `));
  }
});

test("README lists every option of run", async () => {
  const { out } = await run("run", "--help");
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const options = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+(?: <[^>]+>)?)/gm)].map(([, option]) => option ?? "");
  assert.ok(options.length > 8);
  for (const option of options) if (option !== "--help") assert.ok(readme.includes(`\`${option}\``), option);
});

test("manifests hold the CustomResourceDefinition that the command prints", async () => {
  const { code, out } = await run("crd");
  assert.equal(code, 0);
  assert.equal(out, crdYaml());
  assert.equal(readFileSync(new URL("../../manifests/crd.yaml", import.meta.url), "utf8"), out);
});
