import { parseTime } from "../clock/instant.ts";
import { certificateOf, certificateProblem, keyProblem, tokenProblem } from "./credential-material.ts";

export const execVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
export type ExecVersion = (typeof execVersions)[number];

/** What a plugin gave: a token, a client certificate with its key, or both. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Epoch milliseconds on the wall clock; undefined: good until refused. */
  readonly expiresAtMs: number | undefined;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name] ?? undefined;
}

/** Reads what a plugin printed, or says what is wrong with it, as the end of a sentence that repeats nothing of it. */
export function readExecCredential(
  stdout: string,
  version: ExecVersion,
): ExecCredential | { readonly problem: string } {
  let output: unknown;
  try {
    output = JSON.parse(stdout);
  } catch {
    // The parser's error quotes its input, which is a secret.
    return { problem: stdout.trim() === "" ? "it printed nothing" : "what it printed is no JSON" };
  }
  if (property(output, "kind") !== "ExecCredential") return { problem: "what it printed is no ExecCredential" };
  if (property(output, "apiVersion") !== version) return { problem: `it did not answer in the version ${version}` };

  const status = property(output, "status");
  const texts = new Map<string, string>();
  for (const name of ["token", "clientCertificateData", "clientKeyData", "expirationTimestamp"]) {
    const value = property(status, name);
    if (value === undefined || value === "") continue;
    if (typeof value !== "string") return { problem: `its status.${name} is no string` };
    texts.set(name, value);
  }
  const token = texts.get("token");
  const cert = texts.get("clientCertificateData");
  const key = texts.get("clientKeyData");
  if (token === undefined && cert === undefined && key === undefined) {
    return { problem: "its status has neither a token nor a client certificate" };
  }
  if (cert === undefined && key !== undefined) return { problem: "its status has a client key without a certificate" };
  if (cert !== undefined && key === undefined) return { problem: "its status has a client certificate without a key" };

  const checks = {
    token: tokenProblem(token),
    clientCertificateData: certificateProblem(cert),
    clientKeyData: keyProblem(key, cert),
  };
  for (const [name, problem] of Object.entries(checks)) {
    if (problem !== undefined) return { problem: `its status.${name} ${problem}` };
  }

  const timestamp = texts.get("expirationTimestamp");
  const expiration = timestamp === undefined ? undefined : parseTime(timestamp);
  if (timestamp !== undefined && expiration === undefined)
    return { problem: "its status.expirationTimestamp is no RFC 3339 time" };
  // A server answers an expired certificate with a TLS alert, not with a 401, so its end counts whether or not it is
  // named.
  const ends = [expiration, cert === undefined ? undefined : certificateOf(cert)?.validToDate].flatMap(
    (at) => at?.getTime() ?? [],
  );
  return { token, cert, key, expiresAtMs: ends.length === 0 ? undefined : Math.min(...ends) };
}
