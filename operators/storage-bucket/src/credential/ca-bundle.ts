import { X509Certificate } from "node:crypto";
import { type Client, ConfigMap, Secret } from "farwatch";
import { credentialsSecretType, type StorageBucketSpec } from "../resource/storage-bucket.ts";

/** Why a CA bundle cannot be used; the text never holds what was found in it. */
export class UnusableCaBundle extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnusableCaBundle";
  }
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const secretTypes: readonly string[] = ["kubernetes.io/tls", credentialsSecretType];

/**
 * Reads the certificate authorities that a spec names, from the server: bundles are few, and a cache of them would be a cache of
 * every ConfigMap. Of a Secret only the key ca.crt is read, and only of types that hold certificates.
 *
 * @throws UnusableCaBundle
 */
export async function readCaBundle(
  client: Client,
  namespace: string,
  ref: NonNullable<StorageBucketSpec["caBundleRef"]>,
  signal: AbortSignal,
): Promise<string> {
  const { kind, name, key } = ref;
  const where = `${kind} ${name}, key ${key}`;
  if (kind === "Secret" && key !== "ca.crt")
    throw new UnusableCaBundle(`${where}: of a Secret only the key ca.crt is read`);
  const text = await (kind === "ConfigMap" ? readConfigMap : readSecret)(client, { namespace, name }, key, signal);
  if (text === undefined) throw new UnusableCaBundle(`${where} does not exist`);
  const found = text.match(certificatePattern) ?? [];
  // What stands between certificates may be a comment, but a private key in a bundle is an accident to refuse.
  if (found.length === 0 || /PRIVATE KEY/.test(text))
    throw new UnusableCaBundle(`${where} does not hold PEM certificates alone`);
  for (const pem of found) {
    try {
      new X509Certificate(pem);
    } catch {
      throw new UnusableCaBundle(`${where} holds a certificate that cannot be read`);
    }
  }
  return found.join("\n");
}

type Key = { readonly namespace: string; readonly name: string };

async function readConfigMap(
  client: Client,
  key: Key,
  entry: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await client.find(ConfigMap, key, { live: true, signal });
  return found?.data?.[entry];
}

async function readSecret(client: Client, key: Key, entry: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await client.find(Secret, key, { live: true, signal });
  if (found !== undefined && !secretTypes.includes(found.type ?? "Opaque")) {
    throw new UnusableCaBundle(`Secret ${key.name} must have type ${secretTypes.join(" or ")}`);
  }
  const encoded = found?.data?.[entry];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}
