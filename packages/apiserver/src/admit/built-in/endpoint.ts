import { isIPv4, isIPv6 } from "node:net";
import {
  addErrors,
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { checkImmutable, checkOneOf, checkPort } from "../field-check.ts";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { pushEndpointIpErrors, pushIpErrors } from "./ip-check.ts";
import { metaErrors, metaUpdateErrors, setDefault, setDefaultText } from "./object-kind.ts";

interface EndpointAddress {
  ip?: string;
  hostname?: string;
  nodeName?: string;
}

interface EndpointPort {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

interface Subset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const protocols = ["SCTP", "TCP", "UDP"];
const subsetsOf = (object: DraftObject | StoredObject): readonly Subset[] =>
  (object.subsets ?? []) as readonly Subset[];

function checkAddress(errors: FieldError[], path: string, { ip = "", hostname = "", nodeName }: EndpointAddress): void {
  const before = errors.length;
  pushIpErrors(errors, `${path}.ip`, ip);
  const bad = errors.length > before;
  if (hostname !== "") pushFaults(errors, `${path}.hostname`, hostname, dnsLabel(hostname));
  if (nodeName !== undefined) pushFaults(errors, `${path}.nodeName`, nodeName, dnsSubdomain(nodeName));
  if (bad) errors.push(invalidValue(`${path}.ip`, ip, "must be a valid IP address"));
  else pushEndpointIpErrors(errors, `${path}.ip`, ip);
}

function subsetErrors(subsets: readonly Subset[]): FieldError[] {
  const errors: FieldError[] = [];
  subsets.forEach(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = `subsets[${index}]`;
    if (addresses.length === 0 && notReadyAddresses.length === 0) {
      errors.push(required(at, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (const [position, address] of addresses.entries())
      checkAddress(errors, `${at}.addresses[${position}]`, address);
    for (const [position, address] of notReadyAddresses.entries()) {
      checkAddress(errors, `${at}.notReadyAddresses[${position}]`, address);
    }
    ports.forEach((port, position) => {
      const path = `${at}.ports[${position}]`;
      const { name = "", appProtocol } = port;
      if (name === "" && ports.length > 1) errors.push(required(`${path}.name`));
      else if (name !== "") pushFaults(errors, `${path}.name`, name, dnsLabel(name));
      checkPort(errors, `${path}.port`, port.port);
      checkOneOf(errors, `${path}.protocol`, { value: port.protocol, of: protocols });
      if (appProtocol !== undefined) pushFaults(errors, `${path}.appProtocol`, appProtocol, qualifiedName(appProtocol));
    });
  });
  return errors;
}

function validateEndpoints(object: DraftObject, old: StoredObject | undefined): FieldError[] {
  const errors = metaErrors(object, rules);
  const kept = old !== undefined && semanticEqual(subsetsOf(object), subsetsOf(old));
  if (!kept) addErrors(errors, subsetErrors(subsetsOf(object)));
  return errors;
}

/** Endpoints of core/v1. */
export const endpointsStrategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    for (const { ports = [] } of subsetsOf(object)) for (const port of ports) setDefaultText(port, "protocol", "TCP");
  },
  validate: (object) => validateEndpoints(object, undefined),
  validateUpdate: (object, old) => [...metaUpdateErrors(object, old), ...validateEndpoints(object, old)],
};

interface Endpoint {
  addresses?: string[];
  hostname?: string;
  nodeName?: string;
  hints?: { forZones?: { name?: string }[] };
}

interface SliceObject {
  addressType?: string;
  endpoints?: Endpoint[];
  ports?: EndpointPort[];
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const sliceOf = (object: DraftObject | StoredObject): SliceObject => object as SliceObject;

function checkSliceAddress(
  errors: FieldError[],
  path: string,
  { address, type, list }: { readonly address: string; readonly type: string; readonly list: string },
): void {
  if (type === "FQDN") {
    const name = address.replace(/\.$/, "");
    const faults = dnsSubdomain(name);
    if (name === "") errors.push(required(path));
    else if (faults.length > 0) errors.push(invalidValue(path, name, faults.join(",")));
    else if (!name.includes(".")) {
      errors.push(invalidValue(path, name, "should be a domain with at least two segments separated by dots"));
    }
  } else if (type === "IPv4" || type === "IPv6") {
    const before = errors.length;
    pushIpErrors(errors, path, address);
    if (errors.length > before) return;
    const matches = type === "IPv4" ? !isIPv6(address) : !isIPv4(address);
    if (!matches) errors.push(invalidValue(list, address, `must be an ${type} address`));
    pushEndpointIpErrors(errors, path, address);
  }
}

function sliceEndpointErrors({ endpoints = [], addressType = "" }: SliceObject): FieldError[] {
  if (endpoints.length > 1_000) return [tooMany("endpoints", endpoints.length, 1_000)];
  const errors: FieldError[] = [];
  endpoints.forEach(({ addresses = [], nodeName, hostname, hints }, index) => {
    const at = `endpoints[${index}]`;
    const list = `${at}.addresses`;
    if (addresses.length === 0) errors.push(required(list, "must contain at least 1 address"));
    else if (addresses.length > 100) errors.push(tooMany(list, addresses.length, 100));
    for (const [position, address] of addresses.entries()) {
      checkSliceAddress(errors, `${list}[${position}]`, { address, type: addressType, list });
    }
    if (nodeName !== undefined) pushFaults(errors, `${at}.nodeName`, nodeName, dnsSubdomain(nodeName));
    if (hostname !== undefined) pushFaults(errors, `${at}.hostname`, hostname, dnsLabel(hostname));
    const zones = hints?.forZones ?? [];
    if (zones.length > 8) errors.push(tooMany(`${at}.hints.forZones`, zones.length, 8));
    else {
      for (const [position, { name = "" }] of zones.entries()) {
        pushFaults(errors, `${at}.hints.forZones[${position}].name`, name, labelValue(name));
      }
    }
  });
  return errors;
}

function validateSlice(object: DraftObject, old: StoredObject | undefined): FieldError[] {
  const errors = metaErrors(object, rules);
  const { addressType = "", ports = [], endpoints = [] } = sliceOf(object);
  if (addressType === "") errors.push(required("addressType"));
  else if (!addressTypes.includes(addressType)) errors.push(notSupported("addressType", addressType, addressTypes));
  const names = new Set<string>();
  ports.forEach(({ name = "", protocol, appProtocol }, index) => {
    const at = `ports[${index}]`;
    if (name !== "") pushFaults(errors, `${at}.name`, name, dnsLabel(name));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (protocol === undefined) errors.push(required(`${at}.protocol`));
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
    if (appProtocol !== undefined) pushFaults(errors, `${at}.appProtocol`, appProtocol, qualifiedName(appProtocol));
  });
  const kept = old !== undefined && semanticEqual(endpoints, sliceOf(old).endpoints ?? []);
  if (!kept) addErrors(errors, sliceEndpointErrors(sliceOf(object)));
  return errors;
}

/** Everything but metadata, and of that labels and annotations, counts. */
function sliceContent(object: DraftObject | StoredObject): object {
  const { addressType, endpoints, ports } = sliceOf(object);
  const { labels = {}, annotations = {} } = object.metadata;
  return { addressType, endpoints, ports, labels, annotations };
}

/** EndpointSlice of discovery.k8s.io/v1. */
export const endpointSliceStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    for (const port of sliceOf(object).ports ?? []) {
      setDefault(port, "name", "");
      setDefault(port, "protocol", "TCP");
    }
  },
  prepareForCreate(object): void {
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old): void {
    if (semanticEqual(sliceContent(object), sliceContent(old))) return;
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: (object) => validateSlice(object, undefined),
  validateUpdate(object, old): FieldError[] {
    const errors = validateSlice(object, old);
    checkImmutable(errors, "addressType", { value: sliceOf(object).addressType, old: sliceOf(old).addressType });
    return errors;
  },
};
