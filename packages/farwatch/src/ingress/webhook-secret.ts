import { Buffer } from "node:buffer";
import type { Client } from "../client/client.ts";
import { CodedError } from "../error/coded-error.ts";
import { Secret } from "../resource/kind/secret.ts";
import type { VerifierContext } from "./verifier.ts";

type SecretValue = string | Uint8Array;

/**
 * The secrets that are valid now, read when they are needed: a function that is asked each time, or keys of a Secret,
 * which is read live and kept for 30 s, or 1 s once a signature did not match or it could not be read. While a secret
 * is exchanged give the old and the new one: both are accepted.
 */
export type WebhookSecret =
  | (() => SecretValue | readonly SecretValue[] | Promise<SecretValue | readonly SecretValue[]>)
  | { readonly secretRef: { readonly namespace: string; readonly name: string; readonly keys: readonly string[] } };

/** Gives the secrets that are valid now. */
export interface SecretReader {
  /**
   * `again`: the ones read before did not match, so they may be old.
   *
   * @throws what the function throws; StatusError; CodedError `CredentialFailed` when there is no secret, or an empty
   * one.
   */
  read(
    ctx: Pick<VerifierContext, "client" | "clock">,
    options?: { readonly again?: boolean },
  ): Promise<readonly Buffer[]>;
}

const keptMs = 30_000;
/** Whoever sends wrong signatures, or any while there is no secret, must not make us ask the API server each time. */
const keptWhenWrongMs = 1_000;

interface Kept {
  readonly atMs: number;
  readonly values: Promise<readonly Buffer[]>;
  failed: boolean;
}

/** @throws CodedError `InvalidOption` for what is neither; it is not shown, since it may be the secret itself. */
export function createSecretReader(secret: WebhookSecret): SecretReader {
  check(secret);
  if (typeof secret === "function") {
    return {
      async read({ clock }) {
        const given = await clock.outside((async () => secret())());
        if (given === undefined || given === null) return usable([]);
        return usable(Array.isArray(given) ? given : [given]);
      },
    };
  }
  const { namespace, name, keys } = secret.secretRef;
  /** By client: a verifier may serve several managers, each with rights of its own. */
  const kept = new WeakMap<Client, Kept>();

  const ask = async (client: Client): Promise<readonly Buffer[]> => {
    const { data = {} } = await client.get(Secret, { namespace, name }, { live: true });
    const values = keys.flatMap((key) => (Object.hasOwn(data, key) ? [Buffer.from(data[key] ?? "", "base64")] : []));
    if (values.length > 0) return usable(values);
    throw new CodedError(
      "CredentialFailed",
      `Cannot check a signature: Secret ${namespace}/${name} has none of the keys ${keys.join(", ")}, add one there or name others in \`secretRef\``,
    );
  };

  return {
    read({ client, clock }, { again = false } = {}) {
      const before = kept.get(client);
      const ageMs = before === undefined ? Number.POSITIVE_INFINITY : clock.elapsed() - before.atMs;
      if (before !== undefined && ageMs < (again || before.failed ? keptWhenWrongMs : keptMs)) return before.values;
      const entry: Kept = { atMs: clock.elapsed(), values: ask(client), failed: false };
      kept.set(client, entry);
      entry.values.catch(() => {
        entry.failed = true;
      });
      return entry.values;
    },
  };
}

/** An empty key would make everybody's signature valid. What a function gives, plain JavaScript may have got wrong. */
function usable(values: readonly unknown[]): readonly Buffer[] {
  const buffers = values.map((value) =>
    typeof value === "string" || value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0),
  );
  if (buffers.length > 0 && buffers.every(({ length }) => length > 0)) return buffers;
  throw new CodedError(
    "CredentialFailed",
    buffers.length === 0
      ? "Cannot check a signature: there is no secret, give at least one"
      : "Cannot check a signature: a secret is empty, or neither text nor bytes, give one that is",
  );
}

function check(secret: unknown): void {
  if (typeof secret === "function") return;
  const { secretRef } = (secret ?? {}) as { readonly secretRef?: Readonly<Record<string, unknown>> | null };
  const { namespace, name, keys } = secretRef ?? {};
  const isName = (value: unknown): boolean => typeof value === "string" && value !== "";
  if (isName(namespace) && isName(name) && Array.isArray(keys) && keys.length > 0 && keys.every(isName)) return;
  throw new CodedError(
    "InvalidOption",
    "Cannot check signatures: `secret` is neither, give a function that gives it, or { secretRef: { namespace, name, keys } }",
  );
}
