import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Logger } from "../observe/logger.ts";
import type { Credential, CredentialSource } from "./cluster-config.ts";
import { type FieldPlace, invalidConfig } from "./config-field.ts";
import { fileProblem, type ReadFile } from "./read-file.ts";
import { type LoadedCredential, renewedCredential } from "./renewed-credential.ts";

/** One piece of a credential: in the configuration itself, or in a file that is read again. */
export type Material =
  | { readonly type: "inline"; readonly text: string; readonly place: FieldPlace }
  | { readonly type: "file"; readonly path: string; readonly place: FieldPlace };

export interface CredentialMaterial {
  readonly token?: Material | undefined;
  readonly ca?: Material | undefined;
  readonly cert?: Material | undefined;
  readonly key?: Material | undefined;
  /** Sent with each request beside the token. */
  readonly headers: Credential["headers"];
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface MaterialOptions {
  readonly clock: Clock;
  readonly readFile: ReadFile;
  readonly log: Logger;
}

/** Files are read again when this much time has passed since they were last read. */
const rereadAfterMs = 60_000;

/**
 * The credential that this material makes. Files are read again at most every 60 s, and once more after a 401; what is
 * read must be whole (a token, PEM, a key that belongs to its certificate), or the old credential stays in use.
 *
 * `current` throws CodedError `CredentialFailed`, naming the file, or `InvalidConfig`, naming the field.
 */
export function materialCredential(material: CredentialMaterial, options: MaterialOptions): CredentialSource {
  const { clock, readFile, log } = options;
  const pieces = [material.token, material.ca, material.cert, material.key];
  const rereads = pieces.some((piece) => piece?.type === "file");

  const load = async (): Promise<LoadedCredential> => {
    // Counted from before the read: what changes while it is under way must not be missed for longer.
    const readMs = clock.elapsed();
    const [token, ca, cert, key] = await Promise.all([
      textOf(material.token, "token", readFile),
      textOf(material.ca, "certificate authority", readFile),
      textOf(material.cert, "client certificate", readFile),
      textOf(material.key, "client key", readFile),
    ]);
    check(material.token, "token", tokenProblem(token?.trim()));
    check(material.ca, "certificate authority", certificateProblem(ca));
    check(material.cert, "client certificate", certificateProblem(cert));
    check(material.key, "client key", keyProblem(key, cert));
    return {
      credential: {
        headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token.trim()}` }), ...material.headers },
        tls: {
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert, key }),
          ...(material.serverName === undefined ? {} : { serverName: material.serverName }),
          ...(material.insecureSkipVerify === true ? { insecureSkipVerify: true } : {}),
        },
      },
      due: () => rereads && clock.elapsed() - readMs >= rereadAfterMs,
      usable: () => true,
    };
  };
  return renewedCredential({ clock, log, load });
}

async function textOf(material: Material | undefined, what: string, readFile: ReadFile): Promise<string | undefined> {
  if (material?.type !== "file") return material?.text;
  try {
    return await readFile(material.path);
  } catch (error) {
    throw new CodedError("CredentialFailed", cannotRead(material, what, fileProblem(error)), { cause: error });
  }
}

function cannotRead(
  material: { readonly path: string; readonly place: FieldPlace },
  what: string,
  problem: string,
): string {
  const { source, path } = material.place;
  return `Cannot read the ${what} file ${material.path} of ${source}${path === "" ? "" : `, ${path}`}: ${problem}`;
}

function check(material: Material | undefined, what: string, problem: string | undefined): void {
  if (material === undefined || problem === undefined) return;
  if (material.type === "inline") throw invalidConfig(material.place, problem);
  throw new CodedError("CredentialFailed", cannotRead(material, what, `it ${problem}`));
}

/** What keeps a text from being a bearer token, as the end of a sentence. */
export function tokenProblem(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  if (token === "") return "holds no token";
  return /^[\x21-\x7e]+$/.test(token) ? undefined : "has characters that no HTTP header may hold";
}

/** The first certificate of a PEM text; undefined when there is none. */
export function certificateOf(pem: string): X509Certificate | undefined {
  if (!pem.includes("-----BEGIN ")) return undefined;
  try {
    return new X509Certificate(pem);
  } catch {
    // OpenSSL's own words say less than the caller's.
    return undefined;
  }
}

/** What keeps a text from being one or more PEM certificates, as the end of a sentence. */
export function certificateProblem(pem: string | undefined): string | undefined {
  return pem === undefined || certificateOf(pem) !== undefined ? undefined : "holds no certificate in PEM form";
}

/** What keeps a text from being the private key of this certificate. */
export function keyProblem(key: string | undefined, cert: string | undefined): string | undefined {
  if (key === undefined || cert === undefined) return undefined;
  try {
    return certificateOf(cert)?.checkPrivateKey(createPrivateKey(key)) === true
      ? undefined
      : "holds the key of another certificate";
  } catch {
    return "holds no unencrypted private key in PEM form";
  }
}
