import { CodedError } from "../error/coded-error.ts";

/** The names that place a kind in an API. */
export interface ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const label = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const labelRule =
  "lower-case letters, digits and dashes, at most 63, that begin with a letter and end with a letter or a digit (DNS-1035)";
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Checks names as an API server would.
 *
 * @throws CodedError `InvalidResource` that names the first wrong one.
 */
export function checkNames(names: ResourceNames): void {
  const { group, version, kind, plural, singular, shortNames = [], categories = [] } = names;
  const refuse = (what: string, value: string, rule: string): never => {
    throw new CodedError(
      "InvalidResource",
      `Cannot define ${kind === "" ? "a resource" : kind}: ${what} is ${JSON.stringify(value)}, give ${rule}`,
    );
  };
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind))
    refuse("kind", kind, "letters and digits, at most 63, that begin with a capital");
  if (group !== "" && (group.length > 253 || !subdomain.test(group))) {
    refuse("group", group, "a DNS name in lower case, such as storage.example.com");
  }
  if (!label.test(version)) refuse("version", version, `a version such as v1 or v1alpha1: ${labelRule}`);
  if (!label.test(plural)) refuse("plural", plural, labelRule);
  if (!label.test(singular)) refuse("singular", singular, labelRule);
  for (const name of shortNames) if (!label.test(name)) refuse("a short name", name, labelRule);
  for (const name of categories) if (!label.test(name)) refuse("a category", name, labelRule);
}

/**
 * Checks what the API server asks of names in a CustomResourceDefinition, beyond `checkNames`.
 *
 * @throws CodedError `InvalidResource`.
 */
export function checkCustomNames(names: ResourceNames): void {
  checkNames(names);
  const { group, kind, plural, shortNames = [] } = names;
  const refuse = (state: string): never => {
    throw new CodedError("InvalidResource", `Cannot define ${kind}: ${state}`);
  };
  if (!group.includes("."))
    refuse(`group is ${JSON.stringify(group)}, give a DNS name with a dot that you own, such as storage.example.com`);
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) {
    refuse(
      `group ${group} belongs to the Kubernetes project, and its API server refuses a CRD there without an approval; give a DNS name that you own`,
    );
  }
  if (`${plural}.${group}`.length > 253)
    refuse(`the CRD's name ${plural}.${group} is longer than 253 characters, shorten the group`);
  const seen = new Set<string>();
  for (const name of shortNames) {
    if (seen.has(name)) refuse(`the short name ${name} is given twice, drop one`);
    seen.add(name);
  }
}
