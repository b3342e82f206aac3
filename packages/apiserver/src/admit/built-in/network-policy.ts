import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { type Cidr, contains, masked, unmapped, unmappedRange } from "../../schema/cel/network.ts";
import { checkLabelSelector, checkPort, type IntOrString } from "../field-check.ts";
import { dnsSubdomain, ianaServiceName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { rangeWarnings } from "./address-warning.ts";
import { pushRangeErrors, readRange } from "./ip-check.ts";
import { countGeneration, draftSpec, metaErrors, metaUpdateErrors, setDefault, specOf } from "./object-kind.ts";

interface PolicyPort {
  protocol?: string;
  port?: IntOrString;
  endPort?: number;
}

interface IpBlock {
  cidr?: string;
  except?: string[];
}

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: IpBlock;
}

interface NetworkPolicySpec {
  podSelector?: LabelSelector;
  ingress?: { ports?: PolicyPort[]; from?: Peer[] }[];
  egress?: { ports?: PolicyPort[]; to?: Peer[] }[];
  policyTypes?: string[];
}

const protocols = ["TCP", "UDP", "SCTP"];

function checkPolicyPort(errors: FieldError[], path: string, { protocol, port, endPort }: PolicyPort): void {
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(`${path}.protocol`, protocol, protocols));
  }
  const refuse = (detail: string): void => {
    if (endPort !== undefined) errors.push(invalidValue(`${path}.endPort`, endPort, detail));
  };
  if (port === undefined) refuse("may not be specified when `port` is not specified");
  else if (typeof port === "string") {
    refuse("may not be specified when `port` is non-numeric");
    pushFaults(errors, `${path}.port`, port, ianaServiceName(port));
  } else {
    checkPort(errors, `${path}.port`, port);
    if (endPort === undefined) return;
    if (endPort < port) errors.push(invalidValue(`${path}.endPort`, port, "must be greater than or equal to `port`"));
    checkPort(errors, `${path}.endPort`, endPort);
  }
}

function checkBlock(errors: FieldError[], path: string, { cidr = "", except = [] }: IpBlock): void {
  if (cidr === "") {
    errors.push(required(`${path}.cidr`));
    return;
  }
  pushRangeErrors(errors, `${path}.cidr`, cidr);
  const outer = readRange(cidr);
  if (outer === undefined) return;
  for (const [index, range] of except.entries()) {
    const at = `${path}.except[${index}]`;
    pushRangeErrors(errors, at, range);
    const inner = readRange(range);
    if (inner !== undefined && !isWithin(inner, outer)) {
      errors.push(invalidValue(at, range, "must be a strict subset of `cidr`"));
    }
  }
}

/** Whether a range is a part of another one, and not all of it. */
function isWithin(inner: Cidr, outer: Cidr): boolean {
  return inner.prefix > outer.prefix && contains(unmappedRange(masked(outer)), unmapped(inner));
}

function checkPeer(errors: FieldError[], path: string, { podSelector, namespaceSelector, ipBlock }: Peer): void {
  checkLabelSelector(errors, `${path}.podSelector`, podSelector);
  checkLabelSelector(errors, `${path}.namespaceSelector`, namespaceSelector);
  if (ipBlock !== undefined) checkBlock(errors, `${path}.ipBlock`, ipBlock);
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock === undefined && !selects) errors.push(required(path, "must specify a peer"));
  else if (ipBlock !== undefined && selects) {
    errors.push(forbiddenField(path, "may not specify both ipBlock and another peer"));
  }
}

function checkSpec(errors: FieldError[], spec: NetworkPolicySpec): FieldError[] {
  checkLabelSelector(errors, "spec.podSelector", spec.podSelector ?? {});
  const directions = [
    ["ingress", "from", (spec.ingress ?? []).map(({ ports, from }) => ({ ports, peers: from }))],
    ["egress", "to", (spec.egress ?? []).map(({ ports, to }) => ({ ports, peers: to }))],
  ] as const;
  for (const [field, peersField, rules] of directions) {
    rules.forEach(({ ports = [], peers = [] }, index) => {
      for (const [position, port] of ports.entries()) {
        checkPolicyPort(errors, `spec.${field}[${index}].ports[${position}]`, port);
      }
      for (const [position, peer] of peers.entries()) {
        checkPeer(errors, `spec.${field}[${index}].${peersField}[${position}]`, peer);
      }
    });
  }
  const { policyTypes = [] } = spec;
  const known = ["Ingress", "Egress"];
  if (policyTypes.length > 2) {
    errors.push(invalidValue("spec.policyTypes", policyTypes, "may not specify more than two policyTypes"));
    return errors;
  }
  for (const [index, type] of policyTypes.entries()) {
    if (!known.includes(type)) errors.push(notSupported(`spec.policyTypes[${index}]`, type, known));
  }
  return errors;
}

/** Ranges in a form that they should not have. */
function warnings(object: DraftObject): readonly string[] {
  const { ingress = [], egress = [] } = specOf<NetworkPolicySpec>(object);
  const ofPeers = (path: string, peers: readonly Peer[] = []): readonly string[] =>
    peers.flatMap(({ ipBlock: { cidr = "", except = [] } = {} }, index) => [
      ...rangeWarnings(`${path}[${index}].ipBlock.cidr`, cidr),
      ...except.flatMap((range, at) => rangeWarnings(`${path}[${index}].ipBlock.except[${at}]`, range)),
    ]);
  return [
    ...ingress.flatMap(({ from }, index) => ofPeers(`spec.ingress[${index}].from`, from)),
    ...egress.flatMap(({ to }, index) => ofPeers(`spec.egress[${index}].to`, to)),
  ];
}

/** NetworkPolicy of networking.k8s.io/v1. */
export const networkPolicyStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  warnings,
  applyDefaults(object): void {
    const spec = draftSpec<NetworkPolicySpec>(object);
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of ports) setDefault(port, "protocol", "TCP");
    }
    if ((spec.policyTypes ?? []).length === 0) {
      spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    }
  },
  prepareForCreate(object): void {
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old): void {
    countGeneration(object, old, "spec");
  },
  validate: (object) => checkSpec(metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }), specOf(object)),
  validateUpdate: (object, old) => checkSpec(metaUpdateErrors(object, old), specOf(object)),
};
