import { duplicate, type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { checkLabelSelector, checkPort } from "../field-check.ts";
import { dnsLabel1035, dnsSubdomain } from "../name-rule.ts";
import { pushFaults, validateMeta } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { checkMatchConditions, type MatchCondition } from "./match-condition.ts";
import { applyRuleDefaults, checkRules, type MatchRule } from "./match-rule.ts";
import { countGeneration, setDefault } from "./object-kind.ts";

/** Where a webhook is reached. */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace?: string; name?: string; path?: string; port?: number };
  caBundle?: string;
}

/** One webhook of a configuration. */
export interface Webhook {
  name?: string;
  clientConfig?: WebhookClientConfig;
  rules?: MatchRule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  matchConditions?: MatchCondition[];
  /** Of mutating ones. */
  reinvocationPolicy?: string;
}

/** The webhooks of a configuration, in their order. */
export function webhooksOf(object: DraftObject | StoredObject): readonly Webhook[] {
  return (object.webhooks ?? []) as readonly Webhook[];
}

const reviewVersions = ["v1", "v1beta1"];
const quietClasses = ["None", "NoneOnDryRun"];

function checkClient(errors: FieldError[], path: string, { url, service }: WebhookClientConfig): void {
  if ((url === undefined) === (service === undefined)) {
    errors.push(required(path, "exactly one of url or service is required"));
  } else if (url !== undefined) checkUrl(errors, `${path}.url`, url);
  else if (service !== undefined) {
    const at = `${path}.service`;
    // The real server looks at the two in the other order, under the other's names.
    if ((service.namespace ?? "") === "") errors.push(required(`${at}.name`));
    if ((service.name ?? "") === "") errors.push(required(`${at}.namespace`));
    const portErrors: FieldError[] = [];
    checkPort(portErrors, `${at}.port`, service.port);
    for (const error of portErrors) errors.push({ ...error, detail: `port is not valid: ${error.detail}` });
    if (service.path !== undefined) checkServicePath(errors, `${at}.path`, service.path);
  }
}

function checkServicePath(errors: FieldError[], path: string, text: string): void {
  if (text === "/" || text === "") return;
  if (text === "//") {
    errors.push(invalidValue(path, text, "segment[0] may not be empty"));
    return;
  }
  if (!text.startsWith("/")) errors.push(invalidValue(path, text, "must start with a '/'"));
  const segments = text.slice(1).split("/");
  if (segments.at(-1) === "") segments.pop();
  for (const [index, segment] of segments.entries()) {
    if (segment === "") errors.push(invalidValue(path, text, `segment[${index}] may not be empty`));
    else {
      for (const fault of dnsSubdomain(segment)) errors.push(invalidValue(path, text, `segment[${index}]: ${fault}`));
    }
  }
}

function checkUrl(errors: FieldError[], path: string, text: string): void {
  const form = "; desired format: https://host[/path]";
  if (!URL.canParse(text)) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1] ?? "";
    if (scheme !== "https") errors.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${form}`));
    errors.push(invalidValue(path, "", `host must be specified${form}`));
    return;
  }
  const { protocol, host, username, password, hash, search } = new URL(text);
  const scheme = protocol.slice(0, -1);
  if (scheme !== "https") errors.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === "") errors.push(invalidValue(path, "", `host must be specified${form}`));
  if (username !== "" || password !== "") {
    const user = password === "" ? username : `${username}:${password}`;
    errors.push(invalidValue(path, user, "user information is not permitted in the URL"));
  }
  if (hash.length > 1) errors.push(invalidValue(path, hash.slice(1), "fragments are not permitted in the URL"));
  if (search.length > 1)
    errors.push(invalidValue(path, search.slice(1), "query parameters are not permitted in the URL"));
}

function checkFullName(errors: FieldError[], path: string, name: string): void {
  const faults = dnsSubdomain(name);
  if (name === "") errors.push(required(path));
  else if (faults.length > 0) errors.push(invalidValue(path, name, faults.join(",")));
  else if (name.split(".").length < 3) {
    errors.push(invalidValue(path, name, "should be a domain with at least three segments separated by dots"));
  }
}

function checkReviewVersions(errors: FieldError[], path: string, versions: readonly string[]): void {
  if (versions.length === 0) {
    errors.push(required(path, `must specify one of ${reviewVersions.join(", ")}`));
    return;
  }
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalidValue(`${path}[${index}]`, version, "duplicate version"));
    else pushFaults(errors, `${path}[${index}]`, version, dnsLabel1035(version));
    seen.add(version);
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidValue(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  }
}

function checkWebhook(
  errors: FieldError[],
  path: string,
  { hook, mutating, old }: { readonly hook: Webhook; readonly mutating: boolean; readonly old: Webhook | undefined },
): void {
  checkFullName(errors, `${path}.name`, hook.name ?? "");
  checkRules(errors, `${path}.rules`, hook.rules);
  const oneOf = (field: "failurePolicy" | "matchPolicy" | "reinvocationPolicy", known: readonly string[]): void => {
    const value = hook[field];
    if (value !== undefined && !known.includes(value)) errors.push(notSupported(`${path}.${field}`, value, known));
  };
  oneOf("failurePolicy", ["Fail", "Ignore"]);
  oneOf("matchPolicy", ["Equivalent", "Exact"]);
  const { sideEffects, timeoutSeconds } = hook;
  if (sideEffects === undefined)
    errors.push(required(`${path}.sideEffects`, `must specify one of ${quietClasses.join(", ")}`));
  else if (!quietClasses.includes(sideEffects))
    errors.push(notSupported(`${path}.sideEffects`, sideEffects, quietClasses));
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    const detail = "the timeout value must be between 1 and 30 seconds";
    errors.push(invalidValue(`${path}.timeoutSeconds`, timeoutSeconds, detail));
  }
  checkLabelSelector(errors, `${path}.namespaceSelector`, hook.namespaceSelector);
  checkLabelSelector(errors, `${path}.objectSelector`, hook.objectSelector);
  if (mutating) oneOf("reinvocationPolicy", ["IfNeeded", "Never"]);
  checkClient(errors, `${path}.clientConfig`, hook.clientConfig ?? {});
  if (old === undefined || !semanticEqual(hook.matchConditions, old.matchConditions)) {
    checkMatchConditions(errors, `${path}.matchConditions`, { conditions: hook.matchConditions, hasParams: false });
  }
  checkReviewVersions(errors, `${path}.admissionReviewVersions`, hook.admissionReviewVersions ?? []);
}

function configurationStrategy(mutating: boolean): Strategy {
  const validate = (object: DraftObject, old?: StoredObject): FieldError[] => {
    const errors = [...validateMeta(object.metadata, { namespaced: false, nameRule: dnsSubdomain })];
    const names = new Set<string>();
    webhooksOf(object).forEach((hook, index) => {
      const path = `webhooks[${index}]`;
      checkWebhook(errors, path, { hook, mutating, old: old === undefined ? undefined : webhooksOf(old)[index] });
      const { name = "" } = hook;
      if (name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
    });
    return errors;
  };
  return {
    applyDefaults(object): void {
      for (const hook of webhooksOf(object)) {
        setDefault(hook, "failurePolicy", "Fail");
        setDefault(hook, "matchPolicy", "Equivalent");
        setDefault(hook, "namespaceSelector", {});
        setDefault(hook, "objectSelector", {});
        setDefault(hook, "timeoutSeconds", 10);
        if (mutating) setDefault(hook, "reinvocationPolicy", "Never");
        applyRuleDefaults(hook.rules);
        if (hook.clientConfig?.service !== undefined) setDefault(hook.clientConfig.service, "port", 443);
      }
    },
    prepareForCreate(object): void {
      object.metadata.generation = 1;
    },
    prepareForUpdate(object, old): void {
      countGeneration(object, old, "webhooks");
    },
    validate: (object) => validate(object),
    validateUpdate: (object, old) => validate(object, old),
  };
}

/** ValidatingWebhookConfiguration of admissionregistration.k8s.io/v1. */
export const validatingWebhookStrategy: Strategy = configurationStrategy(false);
/** MutatingWebhookConfiguration of admissionregistration.k8s.io/v1. */
export const mutatingWebhookStrategy: Strategy = configurationStrategy(true);
