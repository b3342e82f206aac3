import { X509Certificate } from "node:crypto";
import {
  addErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import { dnsLabel1035, dnsSubdomain, rangeText } from "../name-rule.ts";
import type { DefinitionSpec, DefinitionWebhook } from "./definition.ts";

type Conversion = NonNullable<DefinitionSpec["conversion"]>;
type ClientConfig = NonNullable<DefinitionWebhook["clientConfig"]>;

const reviewVersions = ["v1", "v1beta1"];
const urlForm = "; desired format: https://host[/path]";

export interface ConversionOptions {
  /** A bundle that cannot be read is only told in a condition. */
  readonly allowInvalidCaBundle: boolean;
  /** A version that the server knows must be among the review versions. */
  readonly requireKnownVersion: boolean;
}

export function validateConversion(
  conversion: Conversion | undefined,
  at: string,
  options: ConversionOptions,
): readonly FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${at}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook") {
    errors.push(notSupported(`${at}.strategy`, strategy, ["None", "Webhook"]));
  }
  const config = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (config !== undefined) errors.push(forbiddenField(`${at}.webhookClientConfig`, why));
    if (versions.length > 0) errors.push(forbiddenField(`${at}.conversionReviewVersions`, why));
    return errors;
  }
  const field = `${at}.webhookClientConfig`;
  if (config === undefined) errors.push(required(field, "required when strategy is set to Webhook"));
  else errors.push(...clientErrors(config, field, options));
  addErrors(errors, versionErrors(versions, `${at}.conversionReviewVersions`, options));
  return errors;
}

function clientErrors(
  config: ClientConfig,
  at: string,
  { allowInvalidCaBundle }: ConversionOptions,
): readonly FieldError[] {
  const { url, service, caBundle = "" } = config;
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined))
    errors.push(required(at, "exactly one of url or service is required"));
  else if (url !== undefined) errors.push(...urlErrors(url, `${at}.url`));
  else if (service !== undefined) errors.push(...serviceErrors(service, `${at}.service`));
  if (caBundle !== "" && !allowInvalidCaBundle && !isCaBundle(caBundle)) {
    const why = "unable to load root certificates: unable to parse bytes as PEM block";
    errors.push(invalidValue(`${at}.caBundle`, caBundle, why));
  }
  return errors;
}

/** Whether a bundle, base64 as it stands, is empty or holds certificates in PEM. */
export function isCaBundle(caBundle: string): boolean {
  if (caBundle === "") return true;
  const text = Buffer.from(caBundle, "base64").toString("utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    // What cannot be parsed is no certificate; why does not matter to the answer.
    return false;
  }
}

function urlErrors(text: string, at: string): readonly FieldError[] {
  const url = URL.parse(text);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase() ?? "";
  const errors: FieldError[] = [];
  if (scheme !== "https") errors.push(invalidValue(at, scheme, `'https' is the only allowed URL scheme${urlForm}`));
  if ((url?.host ?? "") === "") errors.push(invalidValue(at, "", `host must be specified${urlForm}`));
  if (url === null) return errors;
  const user = url.password === "" ? url.username : `${url.username}:${url.password}`;
  if (user !== "") errors.push(invalidValue(at, user, "user information is not permitted in the URL"));
  if (url.hash !== "") errors.push(invalidValue(at, url.hash.slice(1), "fragments are not permitted in the URL"));
  if (url.search !== "") {
    errors.push(invalidValue(at, url.search.slice(1), "query parameters are not permitted in the URL"));
  }
  return errors;
}

function serviceErrors(service: NonNullable<ClientConfig["service"]>, at: string): readonly FieldError[] {
  const { name = "", namespace = "", path = "", port = 443 } = service;
  const errors: FieldError[] = [];
  // The real server takes the one for the other.
  if (namespace === "") errors.push(required(`${at}.name`));
  if (name === "") errors.push(required(`${at}.namespace`));
  if (port < 1 || port > 65_535)
    errors.push(invalidValue(`${at}.port`, port, `port is not valid: ${rangeText(1, 65_535)}`));
  if (path === "" || path === "/") return errors;
  if (path === "//") return [...errors, invalidValue(`${at}.path`, path, "segment[0] may not be empty")];
  if (!path.startsWith("/")) errors.push(invalidValue(`${at}.path`, path, "must start with a '/'"));
  for (const [index, step] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    const faults =
      step === ""
        ? [`segment[${index}] may not be empty`]
        : dnsSubdomain(step).map((fault) => `segment[${index}]: ${fault}`);
    for (const fault of faults) errors.push(invalidValue(`${at}.path`, path, fault));
  }
  return errors;
}

function versionErrors(
  versions: readonly string[],
  at: string,
  { requireKnownVersion }: ConversionOptions,
): readonly FieldError[] {
  if (versions.length === 0) return [required(at)];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) errors.push(invalidValue(`${at}[${index}]`, version, "duplicate version"));
    else for (const fault of dnsLabel1035(version)) errors.push(invalidValue(`${at}[${index}]`, version, fault));
  }
  if (requireKnownVersion && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidValue(at, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  }
  return errors;
}

/** Whether a definition names a review version that the server knows, or none at all. */
export function hasKnownReviewVersion({ conversion }: DefinitionSpec): boolean {
  const versions = conversion?.webhook?.conversionReviewVersions ?? [];
  return versions.length === 0 || versions.some((version) => reviewVersions.includes(version));
}
