import { CodedError } from "../error/coded-error.ts";
import type { Verifier } from "./verifier.ts";

/** 22 characters of base64url, or 32 of hexadecimal, are 128 bits. */
const leastCharacters = 22;
/** Fewer different characters are no random text. */
const leastDifferent = 8;

/**
 * For senders that can authenticate in no other way, such as the webhook of versitygw: whoever knows the path may send.
 * Its last part must be at least 22 random characters. Nothing of ours shows such a path; proxies and the sender's own
 * logs may. Where the sender can, use mutual TLS or a signature instead.
 *
 * @example
 * webhookSource({ path: `/buckets/${process.env.HOOK_TOKEN}`, auth: unguessablePath() })
 */
export function unguessablePath(): Verifier {
  return {
    covers: "request",
    challenge: "Path",
    secretPath: true,
    verify: async () => ({ identity: "path" }),
  };
}

/** @throws CodedError `InvalidOption`, without the path, when it could be guessed. */
export function checkUnguessable(source: string, path: string): void {
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (/^[A-Za-z0-9_-]+$/.test(last) && last.length >= leastCharacters && new Set(last).size >= leastDifferent) return;
  throw new CodedError(
    "InvalidOption",
    `Cannot make source ${source}: its path can be guessed, end it with at least ${leastCharacters} random letters and digits`,
  );
}
