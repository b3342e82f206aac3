import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formatTime, instantOf } from "../clock/instant.ts";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { silentLogger } from "../observe/logger.ts";
import { createRestClient } from "./create-rest-client.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";
import { diskReader } from "./read-file.ts";
import type { CommandOutcome, RunCommand } from "./run-command.ts";

const fixture = (name: string): Promise<string> =>
  diskReader(createVirtualClock())(join(import.meta.dirname, "fixtures", name));
const [ca, cert, key, shortCert, otherKey] = (await Promise.all(
  ["ca.pem", "client.pem", "client-key.pem", "client-until-2030-01-01T01.pem", "other-client-key.pem"].map(fixture),
)) as [string, string, string, string, string];
const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

const printed = (status: object, apiVersion = v1): string =>
  JSON.stringify({ kind: "ExecCredential", apiVersion, status });
const ended = (stdout: string): CommandOutcome => ({ exit: 0, stdout, stderr: "" });

type Command = Parameters<RunCommand>[0];

interface Setup extends Omit<LoadConfigOptions, "clock" | "kubeconfig" | "cluster" | "user"> {
  readonly exec?: object;
  readonly cluster?: object;
  readonly user?: object;
}

/** A client of a plugin that `run` plays: it is handed how often it was run before. */
async function plugin(
  run: (turn: number, command: Command, signal: AbortSignal) => CommandOutcome | Promise<CommandOutcome>,
  setup: Setup = {},
) {
  const { exec, cluster, user, ...options } = setup;
  const clock = createVirtualClock();
  const commands: Command[] = [];
  const runCommand: RunCommand = async (command, signal) => {
    commands.push(command);
    return run(commands.length - 1, command, signal);
  };
  const config = await loadConfig({
    clock,
    env: {},
    runCommand,
    ...options,
    kubeconfig: {
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: "https://c.example", ...cluster } }],
      users: [
        {
          name: "u",
          user: { exec: { apiVersion: v1, command: "plugin", interactiveMode: "Never", ...exec }, ...user },
        },
      ],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    },
  });
  const token = async () => (await config.credentials.current()).headers.authorization;
  return { clock, commands, config, token };
}

// Promise 11
// B54
test("a plugin's token of 2 minutes costs at most 6 runs in 10 minutes of calls, and no 401", async () => {
  const { clock, commands, config } = await plugin(async (turn) => {
    await clock.sleep("1s");
    return ended(
      printed({ token: `t${turn}`, expirationTimestamp: formatTime(instantOf(clock.now().getTime() + 120_000)) }),
    );
  });
  const endOf = new Map<string, number>();
  const transport = createScriptedTransport(clock);
  const statuses: number[] = [];
  transport.on({}, ({ headers, at }) => {
    const token = String(headers?.authorization);
    if (!endOf.has(token)) endOf.set(token, at + 120_000);
    statuses.push(at < (endOf.get(token) ?? 0) ? 200 : 401);
    return { status: statuses.at(-1) ?? 0, body: {} };
  });
  await using rest = createRestClient({ config: async () => config, transport, clock, log: silentLogger });
  for (let call = 0; call < 20; call += 1) {
    const got = rest.json({ method: "GET", path: "/api" });
    await clock.advance("30s");
    await got;
  }
  assert.deepEqual(
    statuses,
    Array.from({ length: 20 }, () => 200),
  );
  assert.ok(commands.length <= 6, `${commands.length} runs`);
  assert.ok(commands.length >= 5, `${commands.length} runs`);
});

// B54
test("20 parallel calls at expiry cost one run of the plugin", async () => {
  const { clock, commands, token } = await plugin(async (turn) => {
    await clock.sleep("2s");
    return ended(
      printed({ token: `t${turn}`, expirationTimestamp: formatTime(instantOf(clock.now().getTime() + 120_000)) }),
    );
  });
  const together = async (): Promise<unknown[]> => {
    const asked = Promise.all(Array.from({ length: 20 }, token));
    await clock.advance("2s");
    return asked;
  };
  assert.deepEqual(new Set(await together()), new Set(["Bearer t0"]));
  await clock.advance("120s");
  assert.deepEqual(new Set(await together()), new Set(["Bearer t1"]));
  assert.equal(commands.length, 2);
});

// B54
test("a plugin's client certificate is used, and renewed before its own end", async () => {
  const { clock, commands, config } = await plugin((turn) =>
    ended(printed({ clientCertificateData: turn === 0 ? shortCert : cert, clientKeyData: key })),
  );
  assert.deepEqual(await config.credentials.current(), { headers: {}, tls: { cert: shortCert, key } });
  await clock.advance("59m");
  await config.credentials.current();
  assert.equal(commands.length, 1);
  await clock.advance("50s");
  assert.deepEqual((await config.credentials.current()).tls, { cert, key });
  assert.equal(commands.length, 2);
});

// B54
test("a plugin that names no expiry is run once, and again after a 401", async () => {
  const { clock, commands, config, token } = await plugin((turn) => ended(printed({ token: `t${turn}` })));
  for (let hour = 0; hour < 48; hour += 1) {
    assert.equal(await token(), "Bearer t0");
    await clock.advance("1h");
  }
  assert.equal(commands.length, 1);
  const credential = await config.credentials.current();
  assert.deepEqual(
    await Promise.all(Array.from({ length: 20 }, () => config.credentials.refused(credential))),
    Array.from({ length: 20 }, () => true),
  );
  assert.equal(await token(), "Bearer t1");
  assert.equal(commands.length, 2);
});

test("a server that refuses everything runs the plugin again no more often than every 10 s", async () => {
  const { clock, commands, config } = await plugin((turn) => ended(printed({ token: `t${turn}` })));
  for (let second = 0; second < 60; second += 1) {
    const credential = await config.credentials.current();
    await config.credentials.refused(credential);
    await clock.advance("1s");
  }
  assert.equal(commands.length, 7, "the first run and one every 10 s");
});

test("a token that has expired on arrival, as a wrong clock sees it, is used and does not run the plugin for each call", async () => {
  const { clock, commands, token } = await plugin((turn) =>
    ended(printed({ token: `t${turn}`, expirationTimestamp: "2029-12-31T23:59:00Z" })),
  );
  for (let call = 0; call < 100; call += 1) assert.equal(await token(), "Bearer t0");
  await clock.advance("1s");
  assert.equal(await token(), "Bearer t1");
  assert.equal(commands.length, 2);
});

test("a token is renewed when the wall clock jumps past its end, as after a suspend", async () => {
  const { clock, token } = await plugin((turn) =>
    ended(printed({ token: `t${turn}`, expirationTimestamp: "2030-01-01T01:00:00Z" })),
  );
  assert.equal(await token(), "Bearer t0");
  clock.jump(2 * 3_600_000);
  await clock.advance("1s");
  assert.equal(await token(), "Bearer t1");
});

test("a token stays in use until its end when the plugin fails to renew it", async () => {
  const { clock, token } = await plugin((turn) =>
    turn === 0
      ? ended(printed({ token: "t0", expirationTimestamp: "2030-01-01T00:02:00Z" }))
      : { exit: 1, stdout: "", stderr: "offline" },
  );
  assert.equal(await token(), "Bearer t0");
  await clock.advance("115s");
  assert.equal(await token(), "Bearer t0");
  await clock.advance("5s");
  await assert.rejects(token(), {
    code: "CredentialFailed",
    message:
      "Cannot get credentials from the exec plugin plugin of the given kubeconfig, users[0].user.exec: it exited with 1 and said: offline",
  });
});

test("a plugin is handed its arguments, its environment over the process's, and what it is run for", async () => {
  const { commands, token } = await plugin(
    (_turn, command) => ended(printed({ token: "t" }, JSON.parse(command.env.KUBERNETES_EXEC_INFO ?? "").apiVersion)),
    {
      env: { PATH: "/bin", REGION: "old" },
      exec: {
        apiVersion: v1beta1,
        interactiveMode: undefined,
        args: ["get-token", "--verbose"],
        env: [{ name: "REGION", value: "new" }, { name: "EMPTY" }],
      },
    },
  );
  await token();
  const [command] = commands;
  assert.deepEqual([command?.command, command?.args], ["plugin", ["get-token", "--verbose"]]);
  const { KUBERNETES_EXEC_INFO: info, ...env } = command?.env ?? {};
  assert.deepEqual(env, { PATH: "/bin", REGION: "new", EMPTY: "" });
  assert.deepEqual(JSON.parse(info ?? ""), {
    kind: "ExecCredential",
    apiVersion: v1beta1,
    spec: { interactive: false },
  });
});

test("a plugin that asks for it is told of the cluster", async () => {
  const { commands, token } = await plugin(() => ended(printed({ token: "t" })), {
    exec: { provideClusterInfo: true },
    cluster: {
      "certificate-authority": "/ca",
      "tls-server-name": "inner.example",
      "proxy-url": "http://proxy.example:3128",
      extensions: [
        { name: "other", extension: 1 },
        { name: "client.authentication.k8s.io/exec", extension: { audience: "a" } },
      ],
    },
    readFile: async () => ca,
  });
  await token();
  assert.deepEqual(JSON.parse(commands[0]?.env.KUBERNETES_EXEC_INFO ?? "").spec, {
    interactive: false,
    cluster: {
      server: "https://c.example",
      "tls-server-name": "inner.example",
      "certificate-authority-data": Buffer.from(ca).toString("base64"),
      "proxy-url": "http://proxy.example:3128",
      config: { audience: "a" },
    },
  });
});

test("a plugin is not run when the user has a token or a login beside it", async () => {
  for (const [user, header] of [
    [{ token: "own" }, "Bearer own"],
    [{ username: "me" }, `Basic ${Buffer.from("me:").toString("base64")}`],
  ] as const) {
    const { commands, token } = await plugin(() => ended(printed({ token: "plugin's" })), { user });
    assert.equal(await token(), header);
    assert.equal(commands.length, 0);
  }
});

const badOutput: readonly (readonly [stdout: string, problem: string])[] = [
  ["", "it printed nothing"],
  ["hunter2", "what it printed is no JSON"],
  ['"hunter2"', "what it printed is no ExecCredential"],
  [JSON.stringify({ kind: "Secret" }), "what it printed is no ExecCredential"],
  [printed({ token: "hunter2" }, v1beta1), `it did not answer in the version ${v1}`],
  [
    JSON.stringify({ kind: "ExecCredential", apiVersion: v1 }),
    "its status has neither a token nor a client certificate",
  ],
  [printed({ token: "" }), "its status has neither a token nor a client certificate"],
  [printed({ token: 123 }), "its status.token is no string"],
  [printed({ token: "hunter2\n" }), "its status.token has characters that no HTTP header may hold"],
  [printed({ clientKeyData: key }), "its status has a client key without a certificate"],
  [printed({ clientCertificateData: cert }), "its status has a client certificate without a key"],
  [
    printed({ clientCertificateData: "hunter2", clientKeyData: key }),
    "its status.clientCertificateData holds no certificate in PEM form",
  ],
  [
    printed({ clientCertificateData: cert, clientKeyData: otherKey }),
    "its status.clientKeyData holds the key of another certificate",
  ],
  [
    printed({ token: "hunter2", expirationTimestamp: "tomorrow" }),
    "its status.expirationTimestamp is no RFC 3339 time",
  ],
];

test("a plugin whose output is of no use is named with what is wrong, and nothing of the output", async () => {
  for (const [stdout, problem] of badOutput) {
    const { token } = await plugin(() => ended(stdout));
    await assert.rejects(token(), (error: unknown) => {
      assert.ok(isCodedError(error, "CredentialFailed"));
      assert.equal(
        error.message,
        `Cannot get credentials from the exec plugin plugin of the given kubeconfig, users[0].user.exec: ${problem}`,
      );
      assert.equal(error.cause, undefined);
      return true;
    });
  }
});

test("a plugin that fails is quoted without its secrets", async () => {
  const { token } = await plugin(
    () => ({
      exit: 3,
      stdout: "hunter2",
      stderr: "Login of my-own-value and env-secret failed,\ntoken=hunter2 was \u001b[31mrefused\u001b[0m\n",
    }),
    {
      env: { AWS_SECRET_ACCESS_KEY: "env-secret" },
      exec: { env: [{ name: "ANY", value: "my-own-value" }] },
    },
  );
  await assert.rejects(token(), {
    message:
      "Cannot get credentials from the exec plugin plugin of the given kubeconfig, users[0].user.exec: " +
      "it exited with 3 and said: Login of [redacted] and [redacted] failed, token=[redacted] was refused",
  });
});

test("a plugin that hangs is ended after 60 s", async () => {
  const signals: AbortSignal[] = [];
  const { clock, token } = await plugin((_turn, _command, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
  });
  const asked = token();
  asked.catch(() => {});
  await clock.advance("59s");
  assert.equal(signals[0]?.aborted, false);
  await clock.advance("1s");
  await assert.rejects(asked, {
    code: "CredentialFailed",
    message:
      "Cannot get credentials from the exec plugin plugin of the given kubeconfig, users[0].user.exec: it has not ended within 60s, and was killed",
  });
});

test("a plugin is ended when nobody waits for it any more", async () => {
  const signals: AbortSignal[] = [];
  const { clock, config } = await plugin((_turn, _command, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
  });
  const controller = new AbortController();
  const asked = config.credentials.current(controller.signal);
  await clock.settle();
  controller.abort("shutdown");
  await assert.rejects(asked, (reason) => reason === "shutdown");
  assert.equal(signals[0]?.aborted, true);
  assert.equal(clock.pendingTimers, 0);
});

/** A kubeconfig on a real disk whose plugin is this Node script, run as a real child process. */
async function realPlugin(t: { after(run: () => Promise<void>): void }, script: string, exec: object = {}) {
  const directory = await mkdtemp(join(tmpdir(), "farwatch-exec-"));
  t.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "plugin"), `#!${process.execPath}\n${script}`);
  await chmod(join(directory, "plugin"), 0o755);
  const path = join(directory, "config");
  await writeFile(
    path,
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: "https://c.example" } }],
      users: [
        { name: "u", user: { exec: { apiVersion: v1, command: "./plugin", interactiveMode: "IfAvailable", ...exec } } },
      ],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    }),
  );
  const config = await loadConfig({ clock: createVirtualClock(), kubeconfig: path, env: { PATH: "/nowhere" } });
  const cannot = (command: string, problem: string) => ({
    code: "CredentialFailed",
    message: `Cannot get credentials from the exec plugin ${command} of kubeconfig ${path}, users[0].user.exec: ${problem}`,
  });
  return { directory, config, cannot };
}

// B54
test("a real plugin beside its kubeconfig is run, with no input and what it is run for", async (t) => {
  const { config } = await realPlugin(
    t,
    `let input = "";
     process.stdin.on("data", (chunk) => (input += chunk)).on("end", () => {
       const { apiVersion, kind } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
       process.stderr.write("talking on the side");
       console.log(JSON.stringify({ apiVersion, kind, status: { token: [input.length, process.argv[2], process.env.WHO].join("-") } }));
     });`,
    { args: ["argument"], env: [{ name: "WHO", value: "me" }] },
  );
  assert.equal((await config.credentials.current()).headers.authorization, "Bearer 0-argument-me");
});

test("a real plugin that fails, floods or is killed is named", async (t) => {
  const failing = await realPlugin(t, "console.error('no session, run: login'); process.exit(7)");
  await assert.rejects(
    failing.config.credentials.current(),
    failing.cannot(join(failing.directory, "plugin"), "it exited with 7 and said: no session, run: login"),
  );
  const flooding = await realPlugin(t, "for (;;) require('node:fs').writeSync(1, 'hunter2'.repeat(1000))");
  await assert.rejects(
    flooding.config.credentials.current(),
    flooding.cannot(join(flooding.directory, "plugin"), "it wrote more than 1048576 bytes, and was killed"),
  );
  const killed = await realPlugin(t, "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)");
  await assert.rejects(
    killed.config.credentials.current(),
    killed.cannot(join(killed.directory, "plugin"), "it was killed by SIGTERM and said nothing"),
  );
});

test("a real plugin that the system refuses to run is named without its arguments", async (t) => {
  const { config, cannot, directory } = await realPlugin(t, "", { args: ["--password=hunter2\0"] });
  await assert.rejects(config.credentials.current(), (error: unknown) => {
    assert.ok(isCodedError(error, "CredentialFailed"));
    assert.equal(
      error.message,
      cannot(join(directory, "plugin"), "it could not be run (ERR_INVALID_ARG_VALUE)").message,
    );
    assert.equal(error.cause, undefined);
    return true;
  });
});

test("a real plugin that is missing or not executable is named, with the hint how to install it", async (t) => {
  const missing = await realPlugin(t, "", {
    command: "farwatch-no-such-plugin",
    installHint: "Install it with: brew install it\n",
  });
  await assert.rejects(
    missing.config.credentials.current(),
    missing.cannot("farwatch-no-such-plugin", "the command is not in PATH: Install it with: brew install it"),
  );
  const unhinted = await realPlugin(t, "", { command: "farwatch-no-such-plugin" });
  await assert.rejects(
    unhinted.config.credentials.current(),
    unhinted.cannot("farwatch-no-such-plugin", "the command is not in PATH, install it"),
  );
  const gone = await realPlugin(t, "", { command: "./gone" });
  await assert.rejects(
    gone.config.credentials.current(),
    gone.cannot(join(gone.directory, "gone"), "the file does not exist, install it"),
  );
  const plain = await realPlugin(t, "", { command: "./config" });
  await assert.rejects(
    plain.config.credentials.current(),
    plain.cannot(join(plain.directory, "config"), "the file is not executable"),
  );
});

test("a real plugin is killed when its caller leaves", async (t) => {
  const { config, directory } = await realPlugin(t, "require('node:net').connect(__dirname + '/socket')");
  const server = createServer().listen(join(directory, "socket"));
  t.after(() => server.close());
  const controller = new AbortController();
  const asked = config.credentials.current(controller.signal);
  asked.catch(() => {});
  const [socket] = (await once(server, "connection")) as [Socket];
  const closed = once(socket.resume(), "close");
  controller.abort("enough");
  await assert.rejects(asked, (reason) => reason === "enough");
  await closed;
});
