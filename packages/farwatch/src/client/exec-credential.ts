import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Logger } from "../observe/logger.ts";
import { systemCodeOf } from "../transport/failure.ts";
import type { CredentialSource } from "./cluster-config.ts";
import type { FieldPlace } from "./config-field.ts";
import { type ExecCredential, type ExecVersion, readExecCredential } from "./exec-output.ts";
import type { Environment } from "./proxy-choice.ts";
import { redactedEnd, secretValuesOf } from "./redacted-end.ts";
import { type LoadedCredential, renewedCredential } from "./renewed-credential.ts";
import type { CommandOutcome, RunCommand } from "./run-command.ts";

/** A program that prints credentials (client.authentication.k8s.io, KEP-541). */
export interface ExecPlugin {
  readonly apiVersion: ExecVersion;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the process's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Said when the command is not found. */
  readonly installHint: string | undefined;
  readonly place: FieldPlace;
  /** The cluster as the plugin is told of it; undefined when it is not. */
  readonly cluster: ((signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>) | undefined;
}

export interface ExecOptions {
  readonly clock: Clock;
  readonly runCommand: RunCommand;
  readonly env: Environment;
  readonly log: Logger;
  /** A plugin that runs longer is killed; default 60 s. */
  readonly timeout?: Duration | undefined;
}

const maxOutputBytes = 1_048_576;
const maxQuotedLength = 400;
/** A credential is renewed this long before it expires, or a tenth of its life when that is less. */
const earlyMs = 10_000;
/**
 * A plugin whose credentials have expired on arrival, as a clock that is ahead sees them, is not run more often than
 * this.
 */
const leastLifeMs = 1_000;

/**
 * Credentials that a plugin prints: kept until shortly before they expire (the `expirationTimestamp`, or the end of the
 * client certificate), or until a 401 when they say nothing; one run for all who ask meanwhile. A server that refuses
 * what came of a 401 causes another run no sooner than after 10 s.
 *
 * `current` throws CodedError `CredentialFailed` that names plugin, file and field; what the plugin wrote to stderr is
 * quoted with secrets hidden, what it wrote to stdout never.
 */
export function execCredential(plugin: ExecPlugin, options: ExecOptions): CredentialSource {
  const { clock, log } = options;

  const load = async (signal: AbortSignal): Promise<LoadedCredential> => {
    const { token, cert, key, expiresAtMs } = await runPlugin(plugin, { ...options, signal });
    const loadedMs = clock.elapsed();
    const lifeMs = expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - clock.now().getTime());
    const marginMs = Math.min(earlyMs, lifeMs / 10);
    return {
      credential: {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        tls: cert === undefined ? {} : { cert, key },
      },
      due: () =>
        expiresAtMs !== undefined &&
        clock.now().getTime() >= expiresAtMs - marginMs &&
        clock.elapsed() - loadedMs >= leastLifeMs,
      usable: () => expiresAtMs === undefined || clock.now().getTime() < expiresAtMs,
    };
  };
  return renewedCredential({ clock, log, load, refusedEvery: "10s" });
}

async function runPlugin(
  plugin: ExecPlugin,
  options: ExecOptions & { readonly signal: AbortSignal },
): Promise<ExecCredential> {
  const { clock, runCommand, signal } = options;
  const timeout = options.timeout ?? "60s";
  const failed = (problem: string, cause?: unknown): CodedError =>
    new CodedError(
      "CredentialFailed",
      `Cannot get credentials from the exec plugin ${plugin.command} of ${plugin.place.source}, ${plugin.place.path}: ${problem}`,
      { cause },
    );

  const cluster = await plugin.cluster?.(signal);
  const info = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    // A controller has nobody at the terminal, so the plugin's input is empty, whatever interactiveMode allows.
    spec: { interactive: false, ...(cluster === undefined ? {} : { cluster }) },
  };
  const env = { ...options.env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };

  using deadline = clock.timeout(timeout, signal);
  let outcome: CommandOutcome;
  try {
    outcome = await runCommand({ command: plugin.command, args: plugin.args, env, maxOutputBytes }, deadline);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw failed(`it has not ended within ${timeout}, and was killed`, error);
    // No cause: Node's errors of child processes carry arguments and output, which may be secret.
    throw failed(startProblem(error, plugin));
  }
  if (outcome.exit !== 0) {
    const how =
      typeof outcome.exit === "number" ? `it exited with ${outcome.exit}` : `it was killed by ${outcome.exit}`;
    const secrets = [...Object.values(plugin.env), ...secretValuesOf(options.env)];
    const said = redactedEnd(outcome.stderr, { secrets, maxLength: maxQuotedLength });
    throw failed(said === "" ? `${how} and said nothing` : `${how} and said: ${said}`);
  }
  const read = readExecCredential(outcome.stdout, plugin.apiVersion);
  if ("problem" in read) throw failed(read.problem);
  return read;
}

function startProblem(error: unknown, { command, installHint }: ExecPlugin): string {
  switch (systemCodeOf(error)) {
    case "ENOENT": {
      const where =
        command.includes("/") || command.includes("\\") ? "the file does not exist" : "the command is not in PATH";
      return installHint === undefined ? `${where}, install it` : `${where}: ${installHint.trim()}`;
    }
    case "EACCES":
      return "the file is not executable";
    case "ERR_CHILD_PROCESS_STDIO_MAXBUFFER":
      return `it wrote more than ${maxOutputBytes} bytes, and was killed`;
    default:
      return `it could not be run (${systemCodeOf(error) ?? "for no reason that the system gives"})`;
  }
}
