import { type Client, ConfigMap, isCodedError, type ObjectKey, Secret } from "farwatch";
import { credentialsSecretType, type StorageBucketSpec } from "../resource/storage-bucket.ts";
import type { Unusable } from "./bucket-secret.ts";
import { type CaBundle, parseCaBundle } from "./certificate-authorities.ts";

type CaBundleRef = NonNullable<StorageBucketSpec["caBundleRef"]>;

const secretTypes: readonly string[] = ["kubernetes.io/tls", credentialsSecretType];
/** Of a Secret nothing else is read: no spec may make the operator look at a private key. */
const secretKey = "ca.crt";

/**
 * Reads the certificate authorities that a spec names, from the server: bundles are few, and a cache of them would be a cache of
 * every ConfigMap. Rejects when the server cannot be asked.
 */
export async function readCaBundle(
  client: Client,
  { namespace, ref }: { readonly namespace: string; readonly ref: CaBundleRef },
  signal: AbortSignal,
): Promise<CaBundle | Unusable> {
  const { kind, name, key } = ref;
  const where = `${kind} ${name}, key ${key}`;
  if (kind === "Secret" && key !== secretKey)
    return { problem: `${where}: of a Secret only the key ${secretKey} is read` };
  try {
    const read = kind === "ConfigMap" ? readConfigMap : readSecret;
    const text = await read(client, { namespace, name }, key, signal);
    if (text === undefined) return { problem: `${where} does not exist` };
    return typeof text === "string" ? parseCaBundle(text, where) : text;
  } catch (error) {
    if (!isCodedError(error, "Forbidden")) throw error;
    return {
      problem: `${where} cannot be read: the operator has no permission to get ${kind}s in namespace ${namespace}`,
    };
  }
}

async function readConfigMap(
  client: Client,
  key: ObjectKey,
  entry: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await client.find(ConfigMap, key, { live: true, signal });
  return found?.data?.[entry];
}

async function readSecret(
  client: Client,
  key: ObjectKey,
  entry: string,
  signal: AbortSignal,
): Promise<string | Unusable | undefined> {
  const found = await client.find(Secret, key, { live: true, signal });
  if (found !== undefined && !secretTypes.includes(found.type ?? "Opaque")) {
    return { problem: `Secret ${key.name} must have type ${secretTypes.join(" or ")} to hold a CA bundle` };
  }
  const encoded = found?.data?.[entry];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}
