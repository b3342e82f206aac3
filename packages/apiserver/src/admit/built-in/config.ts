import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  addErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../../failure/field-error.ts";
import { JsonProblem, readJson } from "../../failure/read-json.ts";
import { jsonKindText } from "../../patch/go-text.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { isObject } from "../../schema/plain-object.ts";
import { checkImmutable } from "../field-check.ts";
import { configKey, dnsSubdomain } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { metaErrors, metaUpdateErrors } from "./object-kind.ts";

type Data = Record<string, string>;

const maxDataBytes = 1_024 * 1_024;
const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const frozenText = "field is immutable when `immutable` is set";

/** Of base64 with or without padding. */
function decodedBytes(text: string): number {
  return Buffer.byteLength(text, "base64");
}

/** Fields that may not change, and `immutable` itself, once it has been set. */
function checkFrozen(errors: FieldError[], object: DraftObject, old: StoredObject, ...fields: readonly string[]): void {
  if (old.immutable !== true) return;
  if (object.immutable !== true) errors.push(forbiddenField("immutable", frozenText));
  for (const field of fields) {
    if (!semanticEqual(object[field], old[field])) errors.push(forbiddenField(field, frozenText));
  }
}

function validateConfigMap(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, rules);
  const data = (object.data ?? {}) as Data;
  const binaryData = (object.binaryData ?? {}) as Data;
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    pushFaults(errors, `data[${key}]`, key, configKey(key));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    bytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    pushFaults(errors, `binaryData[${key}]`, key, configKey(key));
    bytes += decodedBytes(value);
  }
  if (bytes > maxDataBytes) errors.push(tooLong("[]", maxDataBytes));
  return errors;
}

/** ConfigMap of core/v1. */
export const configMapStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  validate: validateConfigMap,
  validateUpdate(object, old): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    checkFrozen(errors, object, old, "data", "binaryData");
    addErrors(errors, validateConfigMap(object));
    return errors;
  },
};

/** Keys that a Secret of a type must have. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

function validateSecret(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, rules);
  const data = (object.data ?? {}) as Data;
  const type = (object.type ?? "") as string;
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    pushFaults(errors, `data[${key}]`, key, configKey(key));
    bytes += decodedBytes(value);
  }
  if (bytes > maxDataBytes) errors.push(tooLong("data", maxDataBytes));
  const has = (key: string): boolean =>
    Object.hasOwn(data, key) && (type !== "kubernetes.io/ssh-auth" || data[key] !== "");
  const account = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !object.metadata.annotations?.[account]) {
    errors.push(required(`metadata.annotations[${account}]`));
  }
  if (type === "kubernetes.io/basic-auth" && !has("username") && !has("password")) {
    errors.push(required("data[username]"), required("data[password]"));
  }
  const keys = Object.hasOwn(requiredKeys, type) ? (requiredKeys[type] ?? []) : [];
  for (const key of keys) {
    if (!has(key)) errors.push(required(`data[${key}]`));
    else if (key.startsWith(".dockerc")) checkDockerConfig(errors, key, data[key] ?? "");
  }
  return errors;
}

function checkDockerConfig(errors: FieldError[], key: string, base64: string): void {
  const text = Buffer.from(base64, "base64").toString();
  const fault = jsonObjectFault(text);
  if (fault !== undefined) errors.push(invalidValue(`data[${key}]`, "<secret contents redacted>", fault));
}

/** What Go's JSON decoder says of a text that is no object. */
function jsonObjectFault(text: string): string | undefined {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return error.message;
  }
  if (value === null || isObject(value)) return undefined;
  return `json: cannot unmarshal ${jsonKindText(value)} into Go value of type map[string]interface {}`;
}

/** What Go says of a key pair that is none. */
function certificateWarnings(object: DraftObject): readonly string[] {
  if (object.type !== "kubernetes.io/tls") return [];
  const data = (object.data ?? {}) as Data;
  const pem = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("latin1");
  const [certificate, key] = [pem("tls.crt"), pem("tls.key")];
  const problem = pemProblem(certificate, key);
  if (problem !== undefined) return [problem];
  try {
    const matches = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return matches ? [] : ["tls: private key does not match public key"];
  } catch {
    // OpenSSL's words for it are not Go's, which are the same for whatever is wrong.
    return ["tls: failed to parse private key"];
  }
}

/** What is wrong with the blocks of the two texts, before any of them is read. */
function pemProblem(certificate: string, key: string): string | undefined {
  const typesIn = (text: string): readonly string[] =>
    [...text.matchAll(/-----BEGIN ([^-]+)-----/g)].map(([, type = ""]) => type);
  const isKey = (type: string): boolean => type.endsWith("PRIVATE KEY");
  const isCertificate = (type: string): boolean => type === "CERTIFICATE";
  const skipping = (types: readonly string[]): string =>
    `after skipping PEM blocks of the following types: [${types.join(" ")}]`;
  const inCertificate = typesIn(certificate);
  if (inCertificate.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (!inCertificate.some(isCertificate)) {
    return inCertificate.length === 1 && inCertificate.every(isKey)
      ? "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
      : `tls: failed to find "CERTIFICATE" PEM block in certificate input ${skipping(inCertificate)}`;
  }
  const inKey = typesIn(key);
  if (inKey.length === 0) return "tls: failed to find any PEM data in key input";
  if (inKey.some(isKey)) return undefined;
  return inKey.length === 1 && inKey.every(isCertificate)
    ? "tls: found a certificate rather than a key in the PEM for the private key"
    : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipping(inKey)}`;
}

/** Secret of core/v1: stringData goes into data. */
export const secretStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const stringData = object.stringData as Data | undefined;
    if (stringData !== undefined) {
      const data = { ...(object.data as Data | undefined) };
      for (const [key, value] of Object.entries(stringData)) {
        Object.defineProperty(data, key, {
          value: Buffer.from(value).toString("base64"),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      if (Object.keys(data).length > 0) object.data = data;
      Reflect.deleteProperty(object, "stringData");
    }
    if ((object.type ?? "") === "") object.type = "Opaque";
  },
  warnings: certificateWarnings,
  validate: validateSecret,
  prepareForUpdate(object, old): void {
    // Read without a version it has no default.
    if (object.type === undefined) object.type = old.type;
  },
  validateUpdate(object, old): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    checkImmutable(errors, "type", { value: object.type, old: old.type });
    checkFrozen(errors, object, old, "data");
    addErrors(errors, validateSecret(object));
    return errors;
  },
};
