import { compareQuantities, formatQuantity, type Quantity } from "farwatch";
import { aggregatedText } from "../../failure/aggregated-text.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { ObjectReader } from "../../registry/object-reader.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { draftSpec, specOf } from "../built-in/object-kind.ts";
import type { Container, ResourceList, ResourceRequirements } from "../built-in/pod-shape.ts";
import { quantityOf } from "../built-in/resource-check.ts";
import type { Limit } from "../built-in/resource-limit.ts";
import { type AdmissionPlugin, refusal, writtenObject } from "./admission-plugin.ts";

interface Pod {
  containers?: Container[];
  initContainers?: (Container & { restartPolicy?: string })[];
  resources?: ResourceRequirements;
}

const ranges = { group: "", resource: "limitranges" } as const;
const annotation = "kubernetes.io/limit-ranger";

/** Gives containers the defaults of their namespace's LimitRanges, and holds pods and claims to the bounds in them. */
export function createLimitRanger(reader: ObjectReader): AdmissionPlugin {
  const limitsFor = ({ namespace = "", old }: AdmissionAttributes): readonly (readonly Limit[])[] => {
    if (old?.metadata.deletionTimestamp !== undefined) return [];
    return reader
      .list(ranges, namespace)
      .map((range: StoredObject) => specOf<{ limits?: Limit[] }>(range).limits ?? []);
  };
  return {
    admit(attributes): void {
      const pod = attributes.operation === "CREATE" ? writtenObject(attributes, "", "pods") : undefined;
      if (pod === undefined) return;
      for (const limits of limitsFor(attributes)) setDefaults(pod, limits);
    },
    validate(attributes): void {
      const pod = attributes.operation === "CREATE" ? writtenObject(attributes, "", "pods") : undefined;
      const claim = writtenObject(attributes, "", "persistentvolumeclaims");
      if (pod === undefined && claim === undefined) return;
      for (const limits of limitsFor(attributes)) {
        const faults = [
          ...(pod === undefined ? [] : podFaults(specOf<Pod>(pod), limits)),
          ...(claim === undefined ? [] : claimFaults(specOf<{ resources?: ResourceRequirements }>(claim), limits)),
        ];
        if (faults.length > 0) throw refusal(attributes, aggregatedText(faults));
      }
    },
  };
}

function setDefaults(pod: DraftObject, limits: readonly Limit[]): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const wanted = {
    requests: Object.assign({}, ...ofContainers.map(({ defaultRequest }) => defaultRequest)) as ResourceList,
    limits: Object.assign({}, ...ofContainers.map((limit) => limit.default)) as ResourceList,
  };
  const spec = draftSpec<Pod>(pod);
  const notes: string[] = [];
  // A list that nobody gave is null as Go writes it.
  for (const [what, containers] of [
    ["container", spec.containers],
    ["init container", spec.initContainers],
  ] as const) {
    for (const container of containers ?? []) {
      for (const [field, noun] of [
        ["requests", "request"],
        ["limits", "limit"],
      ] as const) {
        const has = container.resources?.[field] ?? {};
        const missing = Object.keys(wanted[field])
          .filter((name) => has[name] === undefined)
          .sort();
        if (missing.length === 0) continue;
        const added = missing.map((name) => [name, wanted[field][name] ?? "0"] as const);
        container.resources = { ...container.resources, [field]: { ...has, ...Object.fromEntries(added) } };
        notes.push(`${missing.join(", ")} ${noun} for ${what} ${container.name ?? ""}`);
      }
    }
  }
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

function podFaults(pod: Pod, limits: readonly Limit[]): readonly string[] {
  return limits.flatMap((limit) => {
    if (limit.type === "Container") {
      const all = [...(pod.containers ?? []), ...(pod.initContainers ?? [])];
      return all.flatMap(({ resources = {} }) =>
        boundFaults(limit, quantitiesOf(resources.requests), quantitiesOf(resources.limits)),
      );
    }
    return limit.type === "Pod" ? boundFaults(limit, podTotal(pod, "requests"), podTotal(pod, "limits")) : [];
  });
}

type Amounts = ReadonlyMap<string, Quantity>;

function quantitiesOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, quantityOf(amount)]));
}

function sum(one: Amounts, other: Amounts): Amounts {
  const total = new Map(one);
  for (const [name, amount] of other) {
    const has = total.get(name);
    total.set(name, has === undefined ? amount : { ...has, nano: has.nano + amount.nano });
  }
  return total;
}

function most(one: Amounts, other: Amounts): Amounts {
  const all = new Map(one);
  for (const [name, amount] of other) {
    const has = all.get(name);
    if (has === undefined || compareQuantities(amount, has) > 0) all.set(name, amount);
  }
  return all;
}

/** What a pod takes at most: its containers together, or one init container beside the sidecars that run by then. */
function podTotal(pod: Pod, field: "limits" | "requests"): Amounts {
  let running: Amounts = new Map();
  for (const { resources } of pod.containers ?? []) running = sum(running, quantitiesOf(resources?.[field]));
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const { resources, restartPolicy } of pod.initContainers ?? []) {
    const own = quantitiesOf(resources?.[field]);
    const together = sum(own, sidecars);
    if (restartPolicy === "Always") {
      running = sum(running, own);
      sidecars = together;
    }
    starting = most(starting, together);
  }
  return new Map([...most(running, starting), ...quantitiesOf(pod.resources?.[field])]);
}

const text = (quantity: Quantity): string => formatQuantity(quantity);

function boundFaults(limit: Limit, requests: Amounts, limits: Amounts): readonly string[] {
  const { type = "", min, max, maxLimitRequestRatio } = limit;
  const faults: string[] = [];
  for (const [name, least] of sorted(min)) {
    faults.push(...minFault(type, { name, least, request: requests.get(name), limit: limits.get(name) }));
  }
  for (const [name, bound] of sorted(max)) {
    const [request, asked] = [requests.get(name), limits.get(name)];
    const start = `maximum ${name} usage per ${type} is ${text(bound)}`;
    if (asked === undefined) faults.push(`${start}.  No limit is specified`);
    else if (compareQuantities(asked, bound) > 0) faults.push(`${start}, but limit is ${text(asked)}`);
    else if (request !== undefined && compareQuantities(request, bound) > 0) {
      faults.push(`${start}, but request is ${text(request)}`);
    }
  }
  for (const [name, bound] of sorted(maxLimitRequestRatio)) {
    const [request, asked] = [requests.get(name)?.nano ?? 0n, limits.get(name)?.nano ?? 0n];
    const start = `${name} max limit to request ratio per ${type} is ${text(bound)}`;
    const ratio = Number(asked) / Number(request);
    if (request === 0n) faults.push(`${start}, but no request is specified or request is 0`);
    else if (asked === 0n) faults.push(`${start}, but no limit is specified or limit is 0`);
    else if (ratio * 1e9 > Number(bound.nano)) faults.push(`${start}, but provided ratio is ${ratio.toFixed(6)}`);
  }
  return faults;
}

function sorted(list: ResourceList | undefined): readonly (readonly [string, Quantity])[] {
  return [...quantitiesOf(list)].sort(([one], [other]) => (one < other ? -1 : 1));
}

function minFault(
  type: string,
  bound: {
    readonly name: string;
    readonly least: Quantity;
    readonly request: Quantity | undefined;
    readonly limit?: Quantity | undefined;
  },
): readonly string[] {
  const { name, least, request, limit } = bound;
  const start = `minimum ${name} usage per ${type} is ${text(least)}`;
  if (request === undefined) return [`${start}.  No request is specified`];
  if (compareQuantities(request, least) < 0) return [`${start}, but request is ${text(request)}`];
  return limit !== undefined && compareQuantities(limit, least) < 0 ? [`${start}, but limit is ${text(limit)}`] : [];
}

function claimFaults(claim: { resources?: ResourceRequirements }, limits: readonly Limit[]): readonly string[] {
  const requests = quantitiesOf(claim.resources?.requests);
  return limits.flatMap(({ type = "", min, max }) => {
    if (type !== "PersistentVolumeClaim") return [];
    const faults = sorted(min).flatMap(([name, least]) => minFault(type, { name, least, request: requests.get(name) }));
    for (const [name, bound] of sorted(max)) {
      const request = requests.get(name);
      const start = `maximum ${name} usage per ${type} is ${text(bound)}`;
      if (request === undefined) faults.push(`${start}.  No request is specified`);
      else if (compareQuantities(request, bound) > 0) faults.push(`${start}, but request is ${text(request)}`);
    }
    return faults;
  });
}
