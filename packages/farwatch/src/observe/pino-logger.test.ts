import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError } from "../error/coded-error.ts";
import type { LogFields } from "./logger.ts";
import { createPinoLogger, type PinoLoggerOptions } from "./pino-logger.ts";

function recordingLogger(options: PinoLoggerOptions = {}) {
  const text: string[] = [];
  const log = createPinoLogger({
    clock: createVirtualClock(),
    destination: { write: (line) => text.push(line) },
    ...options,
  });
  return { log, text, lines: () => text.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** What the logger makes of these fields. */
function logged(fields: LogFields): Record<string, unknown> {
  const { log, lines } = recordingLogger();
  log.info("Message", fields);
  const { level: _level, time: _time, msg: _msg, ...rest } = lines()[0] ?? {};
  return rest;
}

test("pino logger writes one JSON object a line with level, clock time, message and fields", () => {
  const { log, text } = recordingLogger();
  log.warn("Cannot probe", { bucket: "media", attempt: 2 });
  assert.deepEqual(text, [
    '{"level":"warn","time":"2030-01-01T00:00:00.000Z","bucket":"media","attempt":2,"msg":"Cannot probe"}\n',
  ]);
});

test("pino logger leaves out what is below its level", () => {
  const { log, lines } = recordingLogger({ level: "warn" });
  log.debug("1");
  log.info("2");
  log.warn("3");
  log.error("4");
  assert.deepEqual(
    lines().map(({ msg }) => msg),
    ["3", "4"],
  );
});

test("pino logger gives its fields to children, whose own fields win", () => {
  const { log, lines } = recordingLogger();
  log.child({ controller: "bucket", attempt: 1 }).child({ key: "a/b" }).info("Run", { attempt: 2 });
  assert.deepEqual(lines()[0], {
    level: "info",
    time: "2030-01-01T00:00:00.000Z",
    controller: "bucket",
    attempt: 2,
    key: "a/b",
    msg: "Run",
  });
});

test("pino logger keeps level, time and msg its own", () => {
  const { log, text } = recordingLogger();
  log.info("Message", { level: "x", time: 0, msg: "y" });
  assert.deepEqual(text, [
    '{"level":"info","time":"2030-01-01T00:00:00.000Z","level-":"x","time-":0,"msg-":"y","msg":"Message"}\n',
  ]);
});

test("pino logger writes an error with its code, stack and every cause", () => {
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", errno: -104 });
  const error = new CodedError("ConnectionFailed", "Cannot list buckets: the connection broke, try again", {
    cause: reset,
  });
  const { error: written } = logged({ error }) as {
    error: Record<string, unknown> & { cause: Record<string, unknown> };
  };
  assert.equal(written.name, "CodedError");
  assert.equal(written.code, "ConnectionFailed");
  assert.equal(written.message, error.message);
  assert.match(String(written.stack), /^CodedError: Cannot list buckets[\s\S]*pino-logger\.test/);
  assert.equal(written.cause.code, "ECONNRESET");
  assert.equal(written.cause.errno, -104);
});

test("pino logger survives causes in a circle, groups of errors and thrown texts", () => {
  const a = new Error("a");
  a.cause = new Error("b", { cause: a });
  const { error: circle } = logged({ error: a }) as { error: { cause: { cause: { message: string; cause: string } } } };
  assert.equal(circle.cause.cause.message, "a");
  assert.equal(circle.cause.cause.cause, "[cyclic]");

  const { error: group } = logged({ error: new AggregateError([new Error("one"), "two"], "both") }) as {
    error: { errors: { message: string }[] };
  };
  assert.deepEqual(
    group.errors.map(({ message }) => message),
    ["one", "two"],
  );
  assert.deepEqual(logged({ error: "just text" }), { error: { message: "just text", thrown: "just text" } });
});

test("pino logger hides fields that are named like credentials, at any depth", () => {
  const hidden = [
    "authorization",
    "Proxy-Authorization",
    "token",
    "bearerToken",
    "access_token",
    "password",
    "client-secret",
  ];
  hidden.push(
    "secretAccessKey",
    "accessKey",
    "apiKey",
    "client-key-data",
    "sessionToken",
    "set-cookie",
    "X-Amz-Signature",
  );
  for (const name of hidden) assert.deepEqual(logged({ a: [{ [name]: "hush" }] }), { a: [{ [name]: "[redacted]" }] });
});

test("pino logger shows fields that only sound like credentials", () => {
  const shown = {
    secretName: "media",
    tokenFile: "/var/run/token",
    key: "ns/name",
    keys: 3,
    tokens: 5,
    passwordless: true,
  };
  assert.deepEqual(logged(shown), shown);
});

test("pino logger hides the data of a Secret", () => {
  const secret = { kind: "Secret", metadata: { name: "media" }, data: { a: "aHVzaA==" }, stringData: { b: "hush" } };
  assert.deepEqual(logged({ secret2: secret }), {
    secret2: { kind: "Secret", metadata: { name: "media" }, data: "[redacted]", stringData: "[redacted]" },
  });
});

test("pino logger takes user, password, query and fragment out of URLs, in texts, errors and messages", () => {
  const url = "https://user:hush@s3.example:9000/media/a?X-Amz-Signature=hush#hush";
  const error = new Error(`Cannot get ${url}: refused`, { cause: new Error(`tried "${url}"`) });
  const { log, text } = recordingLogger();
  log.error(`At ${url}`, { url, parsed: new URL(url), error });
  assert.doesNotMatch(text.join(""), /hush|Signature|user:/);
  const [line] = text.map((each) => JSON.parse(each) as Record<string, unknown>);
  assert.equal(line?.url, "https://s3.example:9000/media/a");
  assert.equal(line?.parsed, "https://s3.example:9000/media/a");
  assert.equal(line?.msg, "At https://s3.example:9000/media/a");
});

test("pino logger takes bearer tokens, web tokens and private keys out of texts", () => {
  const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";
  const pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----";
  assert.deepEqual(
    logged({
      a: "got Bearer abcdefghijklmnop1234 back",
      b: `token was ${jwt}.`,
      c: `${pem} after`,
      d: pem.slice(0, 40),
    }),
    { a: "got Bearer [redacted] back", b: "token was [redacted].", c: "[redacted] after", d: "[redacted]" },
  );
});

test("pino logger names what it cannot show", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const unreadable = Object.defineProperty({}, "x", {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
  const fields = { bytes: Buffer.from("hush"), big: 10n, call: () => {}, cyclic, unreadable, map: new Map([["a", 1]]) };
  assert.deepEqual(logged(fields), {
    bytes: "[4 bytes]",
    big: "10",
    call: "[function]",
    cyclic: { self: "[cyclic]" },
    unreadable: "[unreadable]",
    map: { a: 1 },
  });
});

test("pino logger writes a line for an error that cannot be read", () => {
  const error = Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("no");
    },
  });
  assert.deepEqual(logged({ error }), { error: { message: "something that cannot be read" } });
});

test("pino logger cuts long texts, long lists and deep objects", () => {
  const text = "x".repeat(20_000);
  const cut = logged({ text, list: Array.from({ length: 200 }, () => 1) }) as { text: string; list: unknown[] };
  assert.equal(cut.text, `${"x".repeat(16_384)}… (20000 characters)`);
  assert.equal(cut.list.length, 101);
  assert.equal(cut.list.at(-1), "… (200 items)");
  const deep = Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), {});
  assert.match(JSON.stringify(logged({ deep })), /"\[deep\]"/);
});

test("pino logger writes one readable line whatever it is given, and never a field that is named password", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.dictionary(fc.string(), fc.anything()),
      fc.string({ minLength: 1 }),
      (message, fields, word) => {
        const { log, text, lines } = recordingLogger();
        log.info(message, { ...fields, inside: { password: `pw-${word}-pw` } });
        assert.equal(text.length, 1);
        assert.equal(text[0]?.indexOf("\n"), text[0]?.length === undefined ? -2 : text[0].length - 1);
        assert.equal((lines()[0]?.inside as { password?: unknown } | undefined)?.password, "[redacted]");
      },
    ),
  );
});

test("pino logger takes a password out of a URL, whatever stands before it", () => {
  fc.assert(
    fc.property(fc.string(), (before) => {
      const { log, text } = recordingLogger();
      log.info("Message", { at: `${before}https://u:hush-9@host/path?q=hush-9` });
      assert.doesNotMatch(text.join(""), /hush-9/);
    }),
  );
});

test("pino logger outlives a standard output that takes nothing, and leaves the exit code alone", {
  skip: !existsSync("/dev/full"),
}, () => {
  const logger = new URL("pino-logger.ts", import.meta.url).href;
  const program = `const { createPinoLogger } = await import(${JSON.stringify(logger)});
    const log = createPinoLogger();
    for (let i = 0; i < 2_000; i += 1) log.info("x".repeat(1_000));`;
  const full = openSync("/dev/full", "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", full, "pipe"],
    });
    assert.equal(status, 0, String(stderr));
  } finally {
    closeSync(full);
  }
});
