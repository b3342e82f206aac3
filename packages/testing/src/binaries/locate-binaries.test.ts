import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isCodedError } from "farwatch";
import { createTempFolder, type TempFolder } from "../process/temp-folder.ts";
import { type BinaryName, cacheFolder, recipes } from "./binary.ts";
import { locateBinaries } from "./locate-binaries.ts";

/** Builds like Go as far as this package sees it: writes its arguments down, and a file for each package into the folder of -o. */
const goodGo = `#!/bin/sh
PATH=/usr/bin:/bin
here=$(dirname "$0")
echo "$@" >> "$here/calls"
while [ "$1" != -o ]; do shift; done
out=$2
shift 2
mkdir "$out"
for package in "$@"; do
  binary=$out/$(basename "$package")
  echo "$CGO_ENABLED $GOWORK" > "$binary"
  chmod +x "$binary"
done
`;
/** Has made one binary, and half of the next, when it goes on with these lines. */
const halfOfGo = `#!/bin/sh
PATH=/usr/bin:/bin
while [ "$1" != -o ]; do shift; done
mkdir "$2"
echo done > "$2/etcd"
chmod +x "$2/etcd"
echo half > "$2/kubectl"
`;
const brokenGo = `${halfOfGo}
echo "go: module lookup disabled"
exit 7
`;
const endlessGo = `${halfOfGo}
sleep 1000
`;

interface Machine extends AsyncDisposable {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Puts a `go` on the PATH. */
  installGo(script: string): Promise<void>;
  /** Puts an executable file at the path. */
  install(path: string): Promise<void>;
  /** Where builds of the binary are kept. */
  cacheOf(name: BinaryName): Promise<string>;
  /** The arguments of each call of Go. */
  calls(): Promise<readonly string[]>;
}

/** An environment with an empty PATH and an empty cache. */
async function createMachine(): Promise<Machine> {
  const temp: TempFolder = await createTempFolder("farwatch-test-");
  const bin = join(temp.path, "bin");
  await mkdir(bin);
  const install = async (path: string, content = ""): Promise<void> => {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, content);
    await chmod(path, 0o755);
  };
  return {
    folder: temp.path,
    env: { PATH: bin, XDG_CACHE_HOME: join(temp.path, "cache") },
    installGo: (script) => install(join(bin, "go"), script),
    install: (path) => install(path),
    async cacheOf(name): Promise<string> {
      const folder = await cacheFolder(recipes[name], { XDG_CACHE_HOME: join(temp.path, "cache") });
      assert.ok(folder !== undefined);
      return folder;
    },
    calls: async () => (await readFile(join(bin, "calls"), "utf8")).trimEnd().split("\n"),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

test("locateBinaries takes what KUBEBUILDER_ASSETS has and looks in the cache for the rest", async () => {
  await using machine = await createMachine();
  const assets = join(machine.folder, "assets");
  const cached = join(await machine.cacheOf("versitygw"), "versitygw");
  await machine.install(join(assets, "etcd"));
  await machine.install(cached);
  const env = { ...machine.env, KUBEBUILDER_ASSETS: assets };
  assert.deepEqual(await locateBinaries(["etcd", "versitygw"], { env }), {
    etcd: join(assets, "etcd"),
    versitygw: cached,
  });
});

test("locateBinaries refuses a KUBEBUILDER_ASSETS that is no folder", async () => {
  await assert.rejects(locateBinaries(["etcd"], { env: { KUBEBUILDER_ASSETS: "/nowhere" } }), {
    code: "InvalidConfig",
    message:
      "Cannot use KUBEBUILDER_ASSETS: /nowhere is not a folder; set it to one that holds etcd and kube-apiserver",
  });
});

test("locateBinaries without binaries and Go says what is missing and how to get it", async () => {
  await using machine = await createMachine();
  await assert.rejects(locateBinaries(["etcd", "kube-apiserver"], { env: machine.env }), {
    code: "NotFound",
    message:
      "Cannot find etcd, kube-apiserver: not in the cache folder, and there is no Go to build with; " +
      "install Go 1.26 or later, or set KUBEBUILDER_ASSETS to a folder that holds them",
  });
});

test("locateBinaries builds what is missing once, says so, and finds it the next time", async () => {
  await using machine = await createMachine();
  await machine.installGo(goodGo);
  const lines: string[] = [];
  const options = { env: machine.env, log: (line: string) => lines.push(line) };
  const folder = await machine.cacheOf("etcd");
  const { etcd } = await locateBinaries(["etcd"], options);
  assert.equal(etcd, join(folder, "etcd"));
  // Nothing of the caller's environment decides about the build.
  assert.equal(await readFile(etcd, "utf8"), "0 off\n");
  assert.equal(lines[0], `Building etcd with Go: about 40 seconds the first time, kept in ${folder} for the next`);
  assert.match(lines[1] ?? "", /^Built etcd in \d+ s$/);
  assert.deepEqual(await locateBinaries(["etcd"], options), { etcd });
  assert.equal((await machine.calls()).length, 1);
  assert.deepEqual((await readdir(folder)).toSorted(), ["build.log", "etcd"]);
});

test("locateBinaries builds with the pinned modules and the version in the binary", async () => {
  await using machine = await createMachine();
  await machine.installGo(goodGo);
  await locateBinaries(["kube-apiserver"], { env: machine.env });
  const [call = ""] = await machine.calls();
  assert.ok(
    call.startsWith(
      `-C ${recipes["kube-apiserver"].module} build -mod=readonly -trimpath -gcflags=all=-dwarf=false -ldflags=-s -w -X `,
    ),
    call,
  );
  assert.match(call, /gitVersion=v1\.35\.4 .*gitMajor=1 .*gitMinor=35 -o \S+\.part\/ \.\/cmd\/kube-apiserver$/);
});

test("locateBinaries builds those of one module at once, and only what is missing", async () => {
  await using machine = await createMachine();
  await machine.installGo(goodGo);
  const lines: string[] = [];
  const options = { env: machine.env, log: (line: string) => lines.push(line) };
  await locateBinaries(["kubectl"], options);
  const names = ["etcd", "versitygw", "kube-apiserver", "kubectl"] as const;
  const found = await locateBinaries(names, options);
  const packages = (await machine.calls()).map((call) => call.replace(/^.* -o \S+ /, ""));
  const { versitygw } = recipes;
  assert.deepEqual(packages, ["./cmd/kubectl", "./cmd/etcd ./cmd/kube-apiserver", versitygw.goPackage]);
  for (const name of names) {
    assert.equal(found[name], join(await machine.cacheOf(name), name));
    assert.equal(await readFile(found[name], "utf8"), "0 off\n");
  }
  assert.match(lines[2] ?? "", /^Building etcd, kube-apiserver with Go: about 3 minutes the first time, /);
});

test("locateBinaries asked twice at once builds once", async () => {
  await using machine = await createMachine();
  await machine.installGo(goodGo);
  const options = { env: machine.env };
  const [first, second] = await Promise.all([locateBinaries(["etcd"], options), locateBinaries(["etcd"], options)]);
  assert.deepEqual(first, second);
  assert.equal((await machine.calls()).length, 1);
});

test("locateBinaries leaves nothing behind that looks like a binary when Go fails, and shows Go's words", async () => {
  await using machine = await createMachine();
  await machine.installGo(brokenGo);
  const folder = await machine.cacheOf("etcd");
  const names = ["etcd", "kubectl"] as const;
  await assert.rejects(locateBinaries(names, { env: machine.env }), {
    code: "Internal",
    message: `Cannot build etcd, kubectl: go ended with exit code 7; its output is ${join(folder, "build.log")} and ends:\ngo: module lookup disabled`,
  });
  assert.deepEqual(await readdir(folder), ["build.log"]);
  await machine.installGo(goodGo);
  assert.deepEqual(await locateBinaries(names, { env: machine.env }), {
    etcd: join(folder, "etcd"),
    kubectl: join(folder, "kubectl"),
  });
});

test("locateBinaries stops Go when its signal aborts, and gives the lock back", async () => {
  await using machine = await createMachine();
  await machine.installGo(endlessGo);
  const stop = new AbortController();
  const reason = new Error("stop");
  const log = (line: string): void => {
    if (line.startsWith("Building")) stop.abort(reason);
  };
  await assert.rejects(locateBinaries(["etcd", "kubectl"], { env: machine.env, log, signal: stop.signal }), reason);
  assert.deepEqual(
    (await readdir(await machine.cacheOf("etcd"))).filter((name) => name !== "build.log"),
    [],
  );
});

test("locateBinaries keeps binaries of another architecture, platform or pin in another folder", async () => {
  const env = { XDG_CACHE_HOME: "/cache" };
  const kube = await cacheFolder(recipes.etcd, env);
  assert.match(kube ?? "", /^\/cache\/farwatch\/[0-9a-f]{16}$/);
  assert.equal(await cacheFolder(recipes["kube-apiserver"], env), await cacheFolder(recipes.etcd, env));
  assert.notEqual(await cacheFolder(recipes.versitygw, env), kube);
  assert.notEqual(await cacheFolder({ ...recipes.etcd, flags: ["-race"] }, env), kube);
  assert.equal(await cacheFolder({ ...recipes.etcd, module: "/nowhere" }, env), undefined);
});

test("locateBinaries takes a folder of a binary's name, or a file that cannot run, for no binary", async () => {
  await using machine = await createMachine();
  const assets = join(machine.folder, "assets");
  await mkdir(join(assets, "etcd"), { recursive: true });
  await writeFile(join(assets, "kubectl"), "");
  const located = locateBinaries(["etcd", "kubectl"], { env: { ...machine.env, KUBEBUILDER_ASSETS: assets } });
  await assert.rejects(located, (error) => {
    assert.ok(isCodedError(error, "NotFound"));
    assert.match(error.message, new RegExp(`^Cannot find etcd, kubectl: not in ${assets} or the cache folder`));
    return true;
  });
});
