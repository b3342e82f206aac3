import { type Area, defineArea } from "../area.ts";

const open = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

function version(name: string, rest: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { name, served: true, storage: false, schema: open, subresources: { status: {} }, ...rest };
}

export const area: Area = defineArea("version", (check) => {
  check("an object is read in every served version", async ({ send, crd }) => {
    const kind = await crd({ versions: [version("v1beta1"), version("v1", { storage: true })] });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    for (const name of ["v1beta1", "v1"]) {
      await send("GET", `${kind.pathIn(name)}/a`);
      await send("GET", kind.pathIn(name));
    }
  });

  check("managedFields keep the version in which they were written", async ({ send, crd, group }) => {
    const kind = await crd({ versions: [version("v1beta1"), version("v1", { storage: true })] });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }), query: { fieldManager: "one" } });
    await send("PATCH", `${kind.pathIn("v1")}/a`, { body: { spec: { color: "red" } }, query: { fieldManager: "two" } });
    await send("PUT", `${kind.pathIn("v1")}/b`, {
      body: { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "b" } },
    });
    await send("GET", `${kind.pathIn("v1beta1")}/b`);
  });

  check("a version that is not served answers 404", async ({ send, crd }) => {
    const kind = await crd({ versions: [version("v1", { storage: true }), version("v2", { served: false })] });
    await send("GET", kind.pathIn("v2"));
    await send("GET", kind.pathIn("v3"));
    await send("POST", kind.pathIn("v2"), { body: { ...kind.object("a"), apiVersion: `${kind.group}/v2` } });
  });

  check("a deprecated version warns", async ({ send, crd }) => {
    const kind = await crd({
      versions: [
        version("v1beta1", { deprecated: true }),
        version("v1beta2", { deprecated: true, deprecationWarning: "use v1, not v1beta2" }),
        version("v1", { storage: true }),
      ],
    });
    await send("POST", kind.path, { body: kind.object("a") });
    for (const name of ["v1beta1", "v1beta2", "v1"]) {
      await send("GET", `${kind.pathIn(name)}/a`);
      await send("DELETE", `${kind.pathIn(name)}/a`, { query: { dryRun: "All" } });
    }
  });

  check("a watch delivers the version that was asked for", async ({ quietly, watch, crd }) => {
    const kind = await crd({ versions: [version("v1", { storage: true }), version("v2")] });
    const stream = await watch(kind.pathIn("v2"));
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("PATCH", `${kind.path}/a/status`, { body: { status: { ready: true } } });
    await quietly("DELETE", `${kind.path}/a`);
    await stream.events(3);
  });

  check("versions are described from the stablest to the newest", async ({ until, crd, group }) => {
    const names = ["v1alpha1", "v2", "v1beta2", "v10", "v1", "v1beta1", "foo1", "v2alpha3", "v11alpha2"];
    await crd({ versions: names.map((name) => version(name, { storage: name === "v1" })) });
    await until(`/apis/${group}`, ({ status, body }) => status === 200 && body.versions.length === names.length);
  });

  check("each version has columns and subresources of its own", async ({ send, until, crd, group }) => {
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const kind = await crd({
      versions: [
        version("v1", {
          storage: true,
          additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        }),
        version("v2", { subresources: { scale } }),
      ],
    });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1, replicas: 2 } }), only: ["apiVersion"] });
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    for (const name of ["v1", "v2"]) {
      await send("GET", kind.pathIn(name), { headers, only: ["columnDefinitions.*.name", "columnDefinitions.*.type"] });
      await send("GET", `${kind.pathIn(name)}/a/scale`);
      await send("PATCH", `${kind.pathIn(name)}/a/status`, { body: { status: { at: name } } });
      await until(`/apis/${group}/${name}`, ({ status, body }) => status === 200 && body.resources.length === 2);
    }
  });
});
