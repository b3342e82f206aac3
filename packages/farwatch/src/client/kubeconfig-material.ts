import type { Credential } from "./cluster-config.ts";
import { type FieldPlace, fieldOf, invalidConfig } from "./config-field.ts";
import type { CredentialMaterial, Material } from "./credential-material.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./kubeconfig.ts";

/** The certificate authority that a cluster names. @throws CodedError `InvalidConfig`. */
export function caOf({ place, caFile, caData }: KubeconfigCluster): Material | undefined {
  return pick(place, "certificate-authority", { file: caFile, data: caData });
}

/** Material that a field gives as a file, or its twin with `-data` gives in base64. */
function pick(
  place: FieldPlace,
  name: string,
  { file, data }: { readonly file: string | undefined; readonly data: string | undefined },
): Material | undefined {
  if (data === undefined)
    return file === undefined ? undefined : { type: "file", path: file, place: fieldOf(place, name) };
  const at = fieldOf(place, `${name}-data`);
  if (file !== undefined) throw invalidConfig(at, `stands beside ${name}, give only one`);
  const packed = data.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || packed.length % 4 !== 0) throw invalidConfig(at, "is no base64");
  return { type: "inline", text: Buffer.from(packed, "base64").toString("utf8"), place: at };
}

/** What a user brings without a plugin. @throws CodedError `InvalidConfig` that names the field. */
export function userMaterial(user: KubeconfigUser): CredentialMaterial {
  const { place } = user;
  if (user.hasAuthProvider) {
    throw invalidConfig(
      fieldOf(place, "auth-provider"),
      "is a way in that Kubernetes has removed, use exec with the provider's plugin",
    );
  }
  const cert = pick(place, "client-certificate", { file: user.certFile, data: user.certData });
  const key = pick(place, "client-key", { file: user.keyFile, data: user.keyData });
  if (cert !== undefined && key === undefined)
    throw invalidConfig(fieldOf(place, "client-key"), "is missing beside a client certificate");
  if (key !== undefined && cert === undefined)
    throw invalidConfig(fieldOf(place, "client-certificate"), "is missing beside a client key");
  const token = tokenOf(user);
  return { token, cert, key, headers: { ...basicHeader(user, token), ...impersonationHeaders(user) } };
}

function tokenOf({ token, tokenFile, place }: KubeconfigUser): Material | undefined {
  // As in client-go: the file wins, since it can be renewed.
  if (tokenFile !== undefined) return { type: "file", path: tokenFile, place: fieldOf(place, "tokenFile") };
  return token === undefined ? undefined : { type: "inline", text: token, place: fieldOf(place, "token") };
}

function basicHeader(
  { username, password, place }: KubeconfigUser,
  token: Material | undefined,
): Credential["headers"] {
  if (username === undefined && password === undefined) return {};
  if (token !== undefined) throw invalidConfig(fieldOf(place, "username"), "stands beside a token, give only one");
  if (username === undefined) throw invalidConfig(fieldOf(place, "username"), "is missing beside a password");
  if (username.includes(":"))
    throw invalidConfig(fieldOf(place, "username"), "has a colon, which basic authentication cannot send");
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}` };
}

function impersonationHeaders({ as, asUid, asGroups, asUserExtra, place }: KubeconfigUser): Credential["headers"] {
  const extras = Object.entries(asUserExtra);
  if (as === undefined) {
    if (asUid === undefined && asGroups.length === 0 && extras.length === 0) return {};
    throw invalidConfig(fieldOf(place, "as"), "is missing beside the groups, uid or extras of whom to act as");
  }
  const sendable = (name: string, values: readonly string[]): readonly string[] => {
    if (values.every((value) => /^[\t\x20-\x7e]*$/.test(value))) return values;
    throw invalidConfig(fieldOf(place, name), "has characters that no HTTP header may hold");
  };
  sendable("as", [as]);
  sendable("as-uid", [asUid ?? ""]);
  return {
    "impersonate-user": as,
    ...(asUid === undefined ? {} : { "impersonate-uid": asUid }),
    ...(asGroups.length === 0 ? {} : { "impersonate-group": sendable("as-groups", asGroups) }),
    ...Object.fromEntries(extras.map(([key, values]) => [extraHeader(key), sendable(`as-user-extra.${key}`, values)])),
  };
}

/** The server reads what follows the prefix percent-decoded and in lower case. */
function extraHeader(key: string): string {
  const escaped = encodeURIComponent(key).replace(/[()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `impersonate-extra-${escaped.toLowerCase()}`;
}
