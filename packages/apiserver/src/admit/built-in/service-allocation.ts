import type { Random } from "farwatch";
import { ApiError, invalid } from "../../failure/api-error.ts";
import { type FieldError, invalidValue } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { ObjectReader } from "../../registry/object-reader.ts";
import { semanticEqual } from "../semantic-equal.ts";
import { draftSpec, specOf } from "./object-kind.ts";
import { checkClusterIps } from "./service-address.ts";
import {
  isHeadless,
  needsClusterIp,
  needsHealthCheck,
  needsNodePort,
  type ServicePort,
  type ServiceSpec,
} from "./service-shape.ts";

export interface ServiceAllocatorOptions {
  readonly reader: ObjectReader;
  readonly random: Random;
}

/** Gives services what comes from a pool: cluster IPs and node ports. */
export interface ServiceAllocator {
  /**
   * Completes a service that is about to be written, in place.
   *
   * @throws ApiError 422 for what is taken or out of range.
   */
  allocate(object: DraftObject, request: { readonly old: StoredObject | undefined; readonly dryRun: boolean }): void;
}

interface Pool {
  readonly first: number;
  readonly last: number;
  nameOf(number: number): string;
}

/** 10.0.0.0/24, whose first address is that of the API server. */
const network = "10.0.0";
const firstNodePort = 30_000;
const lastNodePort = 32_767;
/** What the real server writes into answers of dry runs, which take nothing from a pool. */
const dryRunAddress = `${network}.0`;
const dryRunNodePort = lastNodePort + 2;
const addresses: Pool = { first: 2, last: 254, nameOf: (number) => `${network}.${number}` };
const nodePorts: Pool = { first: firstNodePort, last: lastNodePort, nameOf: String };
const services = { group: "", resource: "services" } as const;

/**
 * An allocator that remembers nothing: what is taken is read from the services that are stored. A number that was given
 * to a service on its way is given to no other until that one is stored or 256 more have been given.
 */
export function createServiceAllocator({ reader, random }: ServiceAllocatorOptions): ServiceAllocator {
  const onTheirWay: string[] = [];
  const remember = (what: string): void => {
    onTheirWay.push(what);
    if (onTheirWay.length > 256) onTheirWay.shift();
  };
  const taken = (except: StoredObject | undefined): Set<string> => {
    const all = new Set<string>();
    for (const service of reader.list(services)) {
      if (service.metadata.uid === except?.metadata.uid) continue;
      for (const one of numbersOf(specOf(service))) all.add(one);
    }
    return all;
  };
  /** One that is free, by chance, so that a number does not come back soon. */
  const pick = (used: ReadonlySet<string>, { first, last, nameOf }: Pool): string => {
    const count = last - first + 1;
    const start = Math.floor(random() * count);
    const candidates = Array.from({ length: count }, (_, index) => nameOf(first + ((start + index) % count)));
    const unused = candidates.filter((one) => !used.has(one));
    const free = unused.find((one) => !onTheirWay.includes(one)) ?? unused[0];
    if (free === undefined) {
      const message = "Internal error occurred: failed to allocate a serviceIP: range is full";
      throw new ApiError({ code: 500, reason: "InternalError", message });
    }
    remember(free);
    return free;
  };

  return {
    allocate(object, { old, dryRun }): void {
      const spec = draftSpec<ServiceSpec>(object);
      const before = old === undefined ? undefined : specOf<ServiceSpec>(old);
      if (before !== undefined) keepAllocated(spec, before);
      completeAddresses(spec, before);
      const refuse = (errors: readonly FieldError[]): void => {
        if (errors.length > 0) throw invalid({ group: "", kind: "Service", name: object.metadata.name ?? "" }, errors);
      };
      if (needsClusterIp(spec)) refuse(setFamilies(spec, before));
      let used: Set<string> | undefined;
      const inUse = (): Set<string> => {
        used ??= dryRun ? new Set() : taken(old);
        return used;
      };
      const givePort = (): number => (dryRun ? dryRunNodePort : Number(pick(inUse(), nodePorts)));
      if (needsClusterIp(spec) && !isHeadless(spec)) {
        const [ip = ""] = spec.clusterIPs ?? [];
        if (ip === "") {
          const given = dryRun ? dryRunAddress : pick(inUse(), addresses);
          // The record of who has an address needs a name, and comes before names are looked at.
          if (!dryRun && isNameless(object)) refuse([addressOfNobody(spec, "", given)]);
          spec.clusterIP = given;
          spec.clusterIPs = [given];
        } else if (!dryRun && before?.clusterIPs?.includes(ip) !== true) {
          refuse(addressErrors(spec, ip, inUse()));
          if (isNameless(object)) refuse([addressOfNobody(spec, ` ${ip}`, ip)]);
          remember(ip);
        }
      }
      if (spec.type === "NodePort" || spec.type === "LoadBalancer") {
        refuse(setNodePorts(spec, before, dryRun ? { give: givePort } : { inUse: inUse(), give: givePort }));
      }
      if (needsHealthCheck(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
        spec.healthCheckNodePort = givePort();
      }
    },
  };
}

function numbersOf({ clusterIPs = [], ports = [], healthCheckNodePort = 0 }: ServiceSpec): readonly string[] {
  const numbers = [...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter((port) => port !== 0);
  return [...clusterIPs, ...numbers.map(String)];
}

/** Values that were given before stay where a client sends none. */
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if ((spec.clusterIP ?? "") === "" && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && old.clusterIPs !== undefined) spec.clusterIPs = [...old.clusterIPs];
  }
  if (needsNodePort(old) && needsNodePort(spec)) {
    const numbers = ({ ports = [] }: ServiceSpec): readonly number[] => ports.map(({ nodePort = 0 }) => nodePort);
    const used = new Set(numbers(old).filter((port) => port !== 0 && numbers(spec).includes(port)));
    const byName = new Map((old.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const known = byName.get(port.name ?? "") ?? 0;
      if ((port.nodePort ?? 0) === 0 && known !== 0 && !used.has(known)) port.nodePort = known;
    }
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
    if (old.healthCheckNodePort !== undefined) spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** Clients of old know of one address only. */
function completeAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (old === undefined) {
    if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const oldIp = old.clusterIP ?? "";
  if ((old.clusterIPs ?? []).length > 0 && clusterIPs.length === 0 && oldIp === clusterIP) {
    spec.clusterIPs = [...(old.clusterIPs ?? [])];
  }
  if (oldIp === clusterIP || !semanticEqual(spec.clusterIPs, old.clusterIPs)) return;
  if (oldIp !== "" && clusterIP === "") Reflect.deleteProperty(spec, "clusterIPs");
  else spec.clusterIPs = [clusterIP];
}

/** This cluster has IPv4 alone; headless services without a selector may have both. */
function setFamilies(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack");
  const errors: FieldError[] = [];
  checkClusterIps(errors, spec, old);
  if (errors.length > 0) return errors;
  const policy = spec.ipFamilyPolicy;
  const policyPath = "spec.ipFamilyPolicy";
  if (policy === "SingleStack") {
    for (const [field, what] of [
      ["clusterIPs", "cluster IPs"],
      ["ipFamilies", "IP families"],
    ] as const) {
      if ((spec[field] ?? []).length !== 2) continue;
      const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
      errors.push(invalidValue(policyPath, policy, detail));
    }
  }
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === "None") break;
    if (index < (spec.ipFamilies ?? []).length) continue;
    if (!ip.includes(":")) spec.ipFamilies = [...(spec.ipFamilies ?? []), "IPv4"];
    else
      errors.push(invalidValue(`spec.clusterIPs[${index}]`, spec.clusterIPs, "IPv6 is not configured on this cluster"));
  }
  if (errors.length > 0) return errors;
  if (isFree) {
    const [family = "IPv4"] = spec.ipFamilies ?? [];
    const other = family === "IPv4" ? "IPv6" : "IPv4";
    if ((spec.ipFamilies ?? []).length < 2) spec.ipFamilies = policy === "SingleStack" ? [family] : [family, other];
    return [];
  }
  if (policy === "RequireDualStack") {
    errors.push(invalidValue(policyPath, policy, "this cluster is not configured for dual-stack services"));
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (family !== "IPv4")
      errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  }
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = ["IPv4"];
  return errors;
}

function isNameless({ metadata: { name = "", generateName = "" } }: DraftObject): boolean {
  return name === "" && generateName === "";
}

function addressOfNobody({ clusterIPs = [""] }: ServiceSpec, asked: string, given: string): FieldError {
  const record = `IPAddress.networking.k8s.io ${JSON.stringify(given)} is invalid`;
  const why = `failed to allocate IP${asked}: ${record}: spec.parentRef.name: Required value`;
  return invalidValue("spec.clusterIPs", clusterIPs, why);
}

function addressErrors(spec: ServiceSpec, ip: string, used: ReadonlySet<string>): readonly FieldError[] {
  const last = ip.startsWith(`${network}.`) ? Number(ip.slice(network.length + 1)) : 0;
  const refuse = (why: string): readonly FieldError[] => [
    invalidValue("spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${ip}: ${why}`),
  ];
  if (last < 1 || last > 254) {
    return refuse("the provided network does not match the current range");
  }
  return used.has(ip) || last === 1 ? refuse("provided IP is already allocated") : [];
}

function setNodePorts(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  { inUse, give }: { readonly inUse?: ReadonlySet<string>; readonly give: () => number },
): readonly FieldError[] {
  const ports = spec.ports ?? [];
  const byPort = new Map<number, number>();
  const wanted = (number: number): number =>
    ports.find(({ port, nodePort = 0 }) => port === number && nodePort !== 0)?.nodePort ?? 0;
  const kept = new Set((old?.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const errors: FieldError[] = [];
  const check = (index: number, nodePort: number): void => {
    if (inUse === undefined || kept.has(nodePort)) return;
    const path = `spec.ports[${index}].nodePort`;
    if (nodePort < firstNodePort || nodePort > lastNodePort) {
      const range = `${firstNodePort}-${lastNodePort}`;
      errors.push(
        invalidValue(path, nodePort, `provided port is not in the valid range. The range of valid ports is ${range}`),
      );
    } else if (inUse.has(String(nodePort)))
      errors.push(invalidValue(path, nodePort, "provided port is already allocated"));
  };
  ports.forEach((port: ServicePort, index) => {
    const number = port.port ?? 0;
    const asked = port.nodePort ?? 0;
    if (asked === 0 && !needsNodePort(spec)) return;
    const shared = byPort.get(number);
    const nodePort = asked !== 0 ? asked : (shared ?? wanted(number));
    if (nodePort === 0) port.nodePort = give();
    else {
      if (nodePort !== shared) check(index, nodePort);
      port.nodePort = nodePort;
    }
    byPort.set(number, port.nodePort);
  });
  return errors.slice(0, 1);
}
