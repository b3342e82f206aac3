import {
  age,
  aged,
  type BuiltInColumns,
  type ColumnsByKind,
  count,
  firstOf,
  ingressAddresses,
  labelSelectorText,
  labelsText,
  none,
  orNone,
  type Reading,
  unset,
} from "./column.ts";

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly nodePort?: number;
}

interface Subset {
  readonly addresses?: readonly { readonly ip: string }[];
  readonly ports?: readonly Port[];
}

/** `[::1]:80`. */
function hostPort(ip: string, port: number | undefined): string {
  return `${ip.includes(":") ? `[${ip}]` : ip}:${port ?? 0}`;
}

/** Each address of each port. */
function endpointsText(subsets: readonly Subset[]): string {
  const texts = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );
  return subsets.length === 0 ? none : firstOf(texts, { most: 3 });
}

function externalText({ spec = {}, status = {} }: Reading["object"]): string {
  const external: readonly string[] = spec.externalIPs ?? [];
  const balanced = ingressAddresses(status);
  switch (spec.type) {
    case "ExternalName":
      return spec.externalName;
    case "LoadBalancer":
      return [...balanced, ...external].join(",") || "<pending>";
    default:
      return orNone(external.join(","));
  }
}

const service: BuiltInColumns = {
  names: ["Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*"],
  cells(reading) {
    const { spec = {} } = reading.object;
    const ports = (spec.ports ?? []).map(({ port, protocol = "TCP", nodePort = 0 }: Port) =>
      nodePort === 0 ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
    );
    return [
      spec.type ?? "ClusterIP",
      orNone(spec.clusterIP),
      externalText(reading.object),
      orNone(ports.join(",")),
      age(reading),
      labelsText(spec.selector),
    ];
  },
};

/** Services, and what leads to them. */
export const networkColumns: ColumnsByKind = {
  "/Endpoints": aged(["Endpoints"], ({ subsets }) => [endpointsText(subsets ?? [])]),
  "/Service": service,
  "discovery.k8s.io/EndpointSlice": aged(["AddressType", "Ports", "Endpoints"], ({ addressType, ports, endpoints }) => [
    addressType,
    firstOf(
      (ports ?? []).map(({ port, name }: Port) => String(port ?? name ?? "*")),
      { most: 3 },
    ) || unset,
    firstOf(
      (endpoints ?? []).flatMap(({ addresses }: { readonly addresses?: readonly string[] }) => addresses ?? []),
      { most: 3 },
    ) || unset,
  ]),
  "networking.k8s.io/Ingress": aged(["Class", "Hosts", "Address", "Ports"], ({ spec = {}, status = {} }) => {
    const hosts = (spec.rules ?? []).flatMap(({ host }: { readonly host?: string }) => (host ? [host] : []));
    return [
      orNone(spec.ingressClassName),
      hosts.length === 0 ? "*" : firstOf(hosts, { most: 3 }),
      ingressAddresses(status).join(","),
      count(spec.tls) > 0 ? "80, 443" : "80",
    ];
  }),
  "networking.k8s.io/IngressClass": aged(["Controller", "Parameters"], ({ spec = {} }) => [
    spec.controller ?? "",
    spec.parameters === undefined
      ? none
      : `${spec.parameters.kind}${spec.parameters.apiGroup ? `.${spec.parameters.apiGroup}` : ""}/${spec.parameters.name}`,
  ]),
  "networking.k8s.io/NetworkPolicy": aged(["Pod-Selector"], ({ spec = {} }) => [labelSelectorText(spec.podSelector)]),
};
