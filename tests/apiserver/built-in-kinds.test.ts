import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInKinds, type Kind, type KindVersion, type Subresource } from "@farwatch/apiserver/built-in";
import { httpCall, sharedKubeApiserver } from "@farwatch/testing";

const server = sharedKubeApiserver();

/** apidiscovery.k8s.io/v2, as far as it is compared. */
interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources: readonly ResourceDiscovery[] }[];
}

interface ResponseKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: "Cluster" | "Namespaced";
  readonly singularResource: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: ResponseKind;
    readonly verbs: readonly string[];
  }[];
}

/** What the real server has besides, each for a reason given at `builtInKinds`. */
const leftOut = [
  "/componentstatuses",
  "apiregistration.k8s.io/apiservices",
  "certificates.k8s.io/certificatesigningrequests",
  "flowcontrol.apiserver.k8s.io/flowschemas",
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  "networking.k8s.io/ipaddresses",
  "networking.k8s.io/servicecidrs",
  "node.k8s.io/runtimeclasses",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/resourceclaims",
  "resource.k8s.io/resourceclaimtemplates",
  "resource.k8s.io/resourceslices",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/csistoragecapacities",
  "storage.k8s.io/volumeattachments",
  "storage.k8s.io/volumeattributesclasses",
];

async function items<T>(path: string, accept: string): Promise<readonly T[]> {
  const headers = { accept, authorization: `Bearer ${server.token}` };
  const { status, text } = await httpCall(`${server.url}${path}`, { headers, ca: server.ca });
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { items: T[] }).items;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const definitions = await items<{ readonly spec: { readonly group: string } }>(
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "application/json",
);
/** Other suites use the server too. */
const customGroups = new Set(definitions.map(({ spec }) => spec.group));
const groups = [
  ...(await items<GroupDiscovery>("/api", aggregated)),
  ...(await items<GroupDiscovery>("/apis", aggregated)),
];
const real = groups
  .filter(({ metadata }) => !customGroups.has(metadata?.name ?? ""))
  .map((group) => ({
    group: group.metadata?.name ?? "",
    versions: group.versions.map(({ version, resources }) => ({
      version,
      resources: resources.filter(({ resource }) => !leftOut.includes(`${group.metadata?.name ?? ""}/${resource}`)),
    })),
  }));

function discovered(kind: Kind, version: KindVersion): ResourceDiscovery {
  const responseKind = (subresource?: Subresource): ResponseKind => {
    const body = subresource?.body;
    return {
      group: body?.group ?? "",
      version: body === undefined || body.group === "" ? "" : body.version,
      kind: body?.kind ?? kind.kind,
    };
  };
  return {
    resource: kind.plural,
    responseKind: responseKind(),
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    verbs: kind.verbs,
    ...(version.subresources.length === 0
      ? {}
      : {
          subresources: version.subresources.map((one) => ({
            subresource: one.name,
            responseKind: responseKind(one),
            verbs: one.verbs,
          })),
        }),
  };
}

test("builtInKinds has names, scope, verbs and subresources of the real server's discovery, in its order", () => {
  const names = [...new Set(builtInKinds().map(({ group }) => group))];
  const ours = names.map((group) => {
    const kinds = builtInKinds().filter((kind) => kind.group === group);
    const versions = kinds[0]?.versions.map(({ version }) => version) ?? [];
    return {
      group,
      versions: versions.map((version) => ({
        version,
        resources: kinds.flatMap((kind) =>
          kind.versions.filter((one) => one.version === version).map((one) => discovered(kind, one)),
        ),
      })),
    };
  });
  assert.deepEqual(
    ours,
    real.filter(({ versions }) => versions.some(({ resources }) => resources.length > 0)),
  );
});

test("builtInKinds takes the field selectors that the real server takes", async () => {
  for (const kind of builtInKinds().filter(({ verbs }) => verbs.includes("list"))) {
    for (const { version, selectableFields } of kind.versions) {
      const path = kind.group === "" ? `/api/${version}` : `/apis/${kind.group}/${version}`;
      for (const field of [...selectableFields, "spec.unknown"]) {
        const { status, text } = await httpCall(
          `${server.url}${path}/${kind.plural}?limit=1&fieldSelector=${field}%3Dx`,
          {
            headers: { authorization: `Bearer ${server.token}` },
            ca: server.ca,
          },
        );
        assert.equal(status, field === "spec.unknown" ? 400 : 200, `${kind.plural} ${field} ${text}`);
      }
    }
  }
});
