import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { GcsAccount } from "./gcs-options.ts";

/** The JSON key of a service account, as Google hands it out once and a Secret holds it. */
export interface GcsServiceAccountKey {
  readonly type: "service_account";
  readonly project_id: string;
  readonly private_key_id: string;
  /** PKCS #8, PEM. */
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly token_uri: string;
  readonly universe_domain: "googleapis.com";
}

/** A service account with both halves of its key. */
export interface GcsServiceAccount {
  /** For `accounts` of a GCS store. */
  readonly account: GcsAccount & { readonly publicKey: string; readonly keyId: string };
  /** For its client. */
  readonly key: GcsServiceAccountKey;
}

export interface GcsServiceAccountOptions {
  /** Default: Google's own, `https://oauth2.googleapis.com/token`. */
  readonly tokenUri?: string;
  readonly admin?: boolean;
}

const generateKeys = promisify(generateKeyPair);

/** Makes a service account with a key of its own. In virtual time, await it within `clock.outside`. */
export async function createGcsServiceAccount(
  email: string,
  { tokenUri = "https://oauth2.googleapis.com/token", admin }: GcsServiceAccountOptions = {},
): Promise<GcsServiceAccount> {
  const { publicKey, privateKey } = await generateKeys("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const keyId = randomBytes(20).toString("hex");
  return {
    account: { email, publicKey, keyId, ...(admin === undefined ? {} : { admin }) },
    key: {
      type: "service_account",
      project_id: /@([^.]+)\./.exec(email)?.[1] ?? "project",
      private_key_id: keyId,
      private_key: privateKey,
      client_email: email,
      client_id: "100000000000000000000",
      token_uri: tokenUri,
      universe_domain: "googleapis.com",
    },
  };
}
