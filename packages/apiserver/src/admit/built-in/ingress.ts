import { isIP } from "node:net";
import {
  addErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { checkImmutable, checkPort } from "../field-check.ts";
import {
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  ianaServiceName,
  isLongerThan,
  pathSegment,
  wildcardSubdomain,
} from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { pushIpErrors } from "./ip-check.ts";
import {
  countGeneration,
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  specOf,
} from "./object-kind.ts";

interface TypedReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

interface Backend {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: TypedReference;
}

interface HttpPath {
  path?: string;
  pathType?: string;
  backend?: Backend;
}

interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: Backend;
  tls?: { hosts?: string[]; secretName?: string }[];
  rules?: { host?: string; http?: { paths?: HttpPath[] } }[];
}

function checkTypedReference(
  errors: FieldError[],
  path: string,
  { apiGroup, kind = "", name = "" }: TypedReference,
): void {
  if (apiGroup !== undefined) pushFaults(errors, `${path}.apiGroup`, apiGroup, dnsSubdomain(apiGroup));
  for (const [field, text] of [
    ["kind", kind],
    ["name", name],
  ] as const) {
    if (text === "") errors.push(required(`${path}.${field}`));
    else pushFaults(errors, `${path}.${field}`, text, pathSegment(text));
  }
}

function checkBackend(errors: FieldError[], path: string, { service, resource }: Backend): void {
  if (service !== undefined && resource !== undefined) {
    errors.push(invalidValue(path, "", "cannot set both resource and service backends"));
  } else if (resource !== undefined) checkTypedReference(errors, `${path}.resource`, resource);
  else if (service === undefined) errors.push(invalidValue(path, "", "resource or service backend is required"));
  else {
    const { name = "", port = {} } = service;
    if (name === "") errors.push(required(`${path}.service.name`));
    else pushFaults(errors, `${path}.service.name`, name, dnsLabel1035(name));
    const { name: portName = "", number = 0 } = port;
    if (portName !== "" && number !== 0) errors.push(invalidValue(path, "", "cannot set both port name & port number"));
    else if (portName !== "") pushFaults(errors, `${path}.service.port.name`, portName, ianaServiceName(portName));
    else if (number !== 0) checkPort(errors, `${path}.service.port.number`, number);
    else errors.push(required(path, "port name or number is required"));
  }
}

function checkPath(errors: FieldError[], at: string, { path = "", pathType, backend = {} }: HttpPath): void {
  if (pathType === undefined) {
    errors.push(required(`${at}.pathType`, "pathType must be specified"));
    return;
  }
  const field = `${at}.path`;
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!path.startsWith("/")) errors.push(invalidValue(field, path, "must be an absolute path"));
    for (const part of ["//", "/./", "/../", "%2f", "%2F"]) {
      if (path.includes(part)) errors.push(invalidValue(field, path, `must not contain '${part}'`));
    }
    for (const end of ["/..", "/."]) {
      if (path.endsWith(end)) errors.push(invalidValue(field, path, `cannot end with '${end}'`));
    }
  } else if (pathType === "ImplementationSpecific") {
    if (path !== "" && !path.startsWith("/")) errors.push(invalidValue(field, path, "must be an absolute path"));
  } else errors.push(notSupported(`${at}.pathType`, pathType, ["Exact", "ImplementationSpecific", "Prefix"]));
  checkBackend(errors, `${at}.backend`, backend);
}

function hostFaults(host: string): readonly string[] {
  return host.includes("*") ? wildcardSubdomain(host) : dnsSubdomain(host);
}

function checkSpec(errors: FieldError[], spec: IngressSpec): FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.push(invalidValue("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (defaultBackend !== undefined) checkBackend(errors, "spec.defaultBackend", defaultBackend);
  rules.forEach(({ host = "", http }, index) => {
    const at = `spec.rules[${index}]`;
    if (host !== "") {
      if (isIP(host) !== 0) errors.push(invalidValue(`${at}.host`, host, "must be a DNS name, not an IP address"));
      pushFaults(errors, `${at}.host`, host, hostFaults(host));
    }
    if (http === undefined) return;
    const { paths = [] } = http;
    if (paths.length === 0) errors.push(required(`${at}.http.paths`));
    for (const [position, path] of paths.entries()) checkPath(errors, `${at}.http.paths[${position}]`, path);
  });
  tls.forEach(({ hosts = [], secretName = "" }, index) => {
    for (const [position, host] of hosts.entries()) {
      pushFaults(errors, `spec.tls[${index}].hosts[${position}]`, host, hostFaults(host));
    }
    if (secretName !== "") pushFaults(errors, `spec.tls[${index}].secretName`, secretName, dnsSubdomain(secretName));
  });
  if (ingressClassName !== undefined) {
    pushFaults(errors, "spec.ingressClassName", ingressClassName, dnsSubdomain(ingressClassName));
  }
  return errors;
}

function validate(object: DraftObject): FieldError[] {
  return checkSpec(metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }), specOf(object));
}

const classAnnotation = "kubernetes.io/ingress.class";

/** Ingress of networking.k8s.io/v1. */
export const ingressStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  ...preparesStatus({ empty: { loadBalancer: {} }, generation: ["spec"] }),
  validate(object): FieldError[] {
    const errors = validate(object);
    const { annotations = {} } = object.metadata;
    const { ingressClassName } = specOf<IngressSpec>(object);
    const annotated = Object.hasOwn(annotations, classAnnotation) ? annotations[classAnnotation] : undefined;
    if (annotated !== undefined && ingressClassName !== undefined && annotated !== ingressClassName) {
      const detail = "must match `ingressClassName` when both are specified";
      errors.push(invalidValue(`annotations.${classAnnotation}`, annotated, detail));
    }
    return errors;
  },
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === undefined) return [...errors, ...validate(object)];
    const status = object.status as { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } } | undefined;
    status?.loadBalancer?.ingress?.forEach(({ ip = "", hostname = "" }, index) => {
      const at = `status.loadBalancer.ingress[${index}]`;
      if (ip !== "") pushIpErrors(errors, `${at}.ip`, ip);
      if (hostname === "") return;
      pushFaults(errors, `${at}.hostname`, hostname, dnsSubdomain(hostname));
      if (isIP(hostname) !== 0) {
        errors.push(invalidValue(`${at}.hostname`, hostname, "must be a DNS name, not an IP address"));
      }
    });
    return errors;
  },
  warnings({ metadata }, old): readonly string[] {
    if (old !== undefined || metadata.annotations?.[classAnnotation] === undefined) return [];
    return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

interface IngressClassSpec {
  controller?: string;
  parameters?: TypedReference & { scope?: string; namespace?: string };
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** A path below a domain, such as a controller's name: `acme.io/foo`. */
function checkDomainPath(errors: FieldError[], path: string, text: string): void {
  const slash = text.indexOf("/");
  if (text === "") errors.push(required(path));
  else if (slash <= 0 || slash === text.length - 1) {
    errors.push(invalidValue(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  } else {
    const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
    pushFaults(errors, path, host, dnsSubdomain(host));
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) {
      errors.push(invalidValue(path, rest, `Invalid path (regex used for validation is '${pathPattern}')`));
    }
  }
}

function checkParameters(errors: FieldError[], parameters: NonNullable<IngressClassSpec["parameters"]>): void {
  const path = "spec.parameters";
  checkTypedReference(errors, path, parameters);
  const { scope, namespace } = parameters;
  const scopes = ["Cluster", "Namespace"];
  if (scope === undefined) {
    errors.push(required(`${path}.scope`));
    return;
  }
  if (!scopes.includes(scope)) errors.push(notSupported(`${path}.scope`, scope, scopes));
  if (scope === "Namespace") {
    if (namespace === undefined) {
      errors.push(required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    } else pushFaults(errors, `${path}.namespace`, namespace, dnsLabel(namespace));
  } else if (scope === "Cluster" && namespace !== undefined) {
    errors.push(forbiddenField(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  }
}

function validateClass(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, { namespaced: false, nameRule: dnsSubdomain });
  const { controller = "", parameters } = specOf<IngressClassSpec>(object);
  if (isLongerThan(controller, 250)) errors.push(tooLong("spec.controller", 250));
  checkDomainPath(errors, "spec.controller", controller);
  if (parameters !== undefined) checkParameters(errors, parameters);
  return errors;
}

/** IngressClass of networking.k8s.io/v1. */
export const ingressClassStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const { parameters } = draftSpec<IngressClassSpec>(object);
    if (parameters !== undefined) setDefault(parameters, "scope", "Cluster");
  },
  prepareForCreate(object): void {
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old): void {
    countGeneration(object, old, "spec");
  },
  validate: validateClass,
  validateUpdate(object, old): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    const [spec, before] = [specOf<IngressClassSpec>(object), specOf<IngressClassSpec>(old)];
    checkImmutable(errors, "spec.controller", { value: spec.controller, old: before.controller });
    addErrors(errors, validateClass(object));
    return errors;
  },
};
