import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type ExitCode, runProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "farwatch-apiserver-"));
after(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string): string => join(folder, name);

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly "certificate-authority-data"?: string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

interface Run {
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<ExitCode>;
  /** Resolves when the program has printed something. */
  readonly ready: Promise<unknown>;
  readonly stop: () => void;
}

function run(...args: readonly string[]): Run {
  const stopping = new AbortController();
  const printed = new EventTarget();
  const ready = once(printed, "print");
  const said = { out: "", err: "" };
  const print = (where: "err" | "out") => (text: string) => {
    said[where] += text;
    printed.dispatchEvent(new Event("print"));
  };
  const ended = runProgram(args, { out: print("out"), err: print("err"), signal: stopping.signal });
  return { out: () => said.out, err: () => said.err, ended, ready, stop: () => stopping.abort() };
}

/** What a run that ends by itself has said. */
async function whole(
  ...args: readonly string[]
): Promise<{ readonly code: ExitCode; readonly out: string; readonly err: string }> {
  const { ended, out, err } = run(...args);
  return { code: await ended, out: out(), err: err() };
}

async function ask(
  { clusters, users }: Kubeconfig,
  path: string,
  body?: object,
): Promise<{ readonly kind: string; readonly items?: readonly object[] }> {
  const { server } = clusters[0]?.cluster ?? { server: "" };
  const headers = { authorization: `Bearer ${users[0]?.user.token}`, "content-type": "application/json" };
  const answer = await fetch(`${server}${path}`, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  return (await answer.json()) as { readonly kind: string };
}

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
`;

test("farwatch-apiserver prints its help, and ends well", async () => {
  const { code, out, err } = await whole("--help");
  assert.deepEqual([code, err], [0, ""]);
  for (const option of ["--port", "--host", "--tls", "--data", "--kubeconfig", "--crd"])
    assert.ok(out.includes(option), option);
});

test("farwatch-apiserver tells of options that it does not know or cannot read, and ends with 2", async () => {
  for (const [args, said] of [
    [["--nothing"], /unknown option '--nothing'/],
    [["--port", "many"], /It must be a number from 0 to 65535/],
    [["--port", "65536"], /It must be a number from 0 to 65535/],
    [["--port"], /argument missing/],
    [["surplus"], /too many arguments/],
  ] as const) {
    const { code, err, out } = await whole(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, said);
    assert.match(err, /add --help for the options/);
    assert.equal(out, "");
  }
});

test("farwatch-apiserver prints a kubeconfig that its server takes, and ends when it is asked to", async () => {
  const server = run();
  await server.ready;
  const kubeconfig = JSON.parse(server.out()) as Kubeconfig;
  assert.equal((await ask(kubeconfig, "/api/v1/namespaces")).kind, "NamespaceList");
  server.stop();
  assert.equal(await server.ended, 0);
  await assert.rejects(ask(kubeconfig, "/api/v1/namespaces"));
});

test("farwatch-apiserver writes the kubeconfig where it is told, for its owner alone", async () => {
  const file = fileOf("admin.kubeconfig");
  const server = run("--kubeconfig", file);
  await server.ready;
  assert.equal(server.out(), "");
  assert.match(
    server.err(),
    new RegExp(`use it with KUBECONFIG=${file}, but for kubectl, which sends no token over plain HTTP: add --tls\n$`),
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await ask(JSON.parse(readFileSync(file, "utf8")) as Kubeconfig, "/apis")).kind, "APIGroupList");
  server.stop();
  assert.equal(await server.ended, 0);
});

test("farwatch-apiserver speaks TLS under an authority that the kubeconfig names", async () => {
  const file = fileOf("tls.kubeconfig");
  const server = run("--tls", "--kubeconfig", file);
  await server.ready;
  assert.match(server.err(), new RegExp(`use it with KUBECONFIG=${file}\n$`));
  const { clusters, users } = JSON.parse(readFileSync(file, "utf8")) as Kubeconfig;
  const { server: url, "certificate-authority-data": data = "" } = clusters[0]?.cluster ?? { server: "" };
  const headers = { authorization: `Bearer ${users[0]?.user.token}` };
  const sent = httpsRequest(`${url}/version`, { ca: Buffer.from(data, "base64"), headers, agent: false });
  sent.end();
  const [response] = await once(sent, "response");
  response.resume();
  assert.equal(response.statusCode, 200);
  server.stop();
  assert.equal(await server.ended, 0);
});

test("farwatch-apiserver serves what its files define, and keeps its state in a file from one run to the next", async () => {
  writeFileSync(fileOf("crd.yaml"), crd);
  const widgets = "/apis/example.com/v1/namespaces/default/widgets";
  const data = ["--data", fileOf("state.db")];
  const first = run(...data, "--crd", fileOf("crd.yaml"));
  await first.ready;
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } };
  assert.equal((await ask(JSON.parse(first.out()) as Kubeconfig, widgets, widget)).kind, "Widget");
  first.stop();
  await first.ended;
  const second = run(...data);
  await second.ready;
  const { items } = await ask(JSON.parse(second.out()) as Kubeconfig, widgets);
  assert.equal(items?.length, 1);
  second.stop();
  assert.equal(await second.ended, 0);
});

test("farwatch-apiserver says in a sentence why it cannot serve, and ends with 1", async (context) => {
  const taken = createServer().listen(0, "127.0.0.1");
  context.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  writeFileSync(fileOf("none.yaml"), "kind: 5\n");
  for (const [args, said] of [
    [["--port", String(port)], /^farwatch-apiserver: Cannot listen on .*; choose another port, or 0 for a free one\n$/],
    [["--data", fileOf("no/such/folder.db")], /^farwatch-apiserver: Cannot keep the server's state in .*\n$/],
    [
      ["--crd", fileOf("none.yaml")],
      /^farwatch-apiserver: Cannot apply manifest 1: an object needs apiVersion, kind and metadata\.name/,
    ],
    [["--crd", fileOf("missing.yaml")], /^farwatch-apiserver: Cannot read .*missing\.yaml: name a file/],
  ] as const) {
    const { code, err } = await whole(...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(err, said);
  }
});
