import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { deployment, deployments } from "../deployment.ts";
import { podTemplate } from "../pod.ts";

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};

export const area: Area = defineArea("status", (check) => {
  // B20
  check("a write of the object leaves its status alone", async ({ send, crd }) => {
    const kind = await crd();
    const status = { ready: true };
    const { body } = await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 }, status }) });
    assert.equal(body.status, undefined);
    await send("PUT", `${kind.path}/a`, { body: { ...body, spec: { size: 2 }, status } });
    await send("PATCH", `${kind.path}/a`, { body: { spec: { size: 3 }, status } });
    await send("GET", `${kind.path}/a`);
  });

  // B20
  check("a write of the status leaves the rest alone", async ({ send, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("PUT", `${kind.path}/a/status`, { body: { ...body, spec: { size: 2 }, status: { ready: true } } });
    await send("PATCH", `${kind.path}/a/status`, { body: { spec: { size: 3 }, status: { ready: false } } });
    await send("GET", `${kind.path}/a`);
    await send("GET", `${kind.path}/a/status`);
  });

  // B20
  check("a write of the status keeps labels, annotations, finalizers and owners", async ({ send, crd }) => {
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", labels: { kept: "yes" } } }) });
    const metadata = {
      labels: { added: "yes" },
      annotations: { added: "yes" },
      finalizers: ["example.com/added"],
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "00000000-0000-4000-8000-000000000000" },
      ],
    };
    await send("PATCH", `${kind.path}/a/status`, { body: { metadata, status: { ready: true } } });
  });

  check("generation counts changes of everything but metadata and status", async ({ send, crd }) => {
    const kind = await crd({
      schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    });
    const only = ["metadata.generation", "spec", "data", "status"];
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }), only });
    await send("PATCH", `${kind.path}/a`, { body: { metadata: { labels: { color: "red" } } }, only });
    await send("PATCH", `${kind.path}/a`, { body: { spec: { size: 2 } }, only });
    await send("PATCH", `${kind.path}/a`, { body: { spec: { size: 2 } }, only });
    await send("PATCH", `${kind.path}/a`, { body: { data: { x: 1 } }, only });
    await send("PATCH", `${kind.path}/a/status`, { body: { status: { ready: true } }, only });
    await send("PATCH", `${kind.path}/a`, { body: { spec: null }, only });
  });

  check("generation counts an empty list, map or null that is new or gone", async ({ send, crd }) => {
    const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const kind = await crd({ schema: { type: "object", properties: { spec } } });
    const only = ["metadata.generation", "spec"];
    const { body } = await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }), only });
    const { resourceVersion: _any, ...metadata } = body.metadata;
    for (const rest of [
      { list: [] },
      {},
      { list: null },
      { list: [] },
      { map: {} },
      {},
      { map: null },
      { list: [{}] },
      { list: [null] },
    ]) {
      const { body: now } = await send("GET", `${kind.path}/a`, { only });
      const { resourceVersion } = now.metadata;
      await send("PUT", `${kind.path}/a`, {
        body: { ...body, metadata: { ...metadata, resourceVersion }, spec: { size: 1, ...rest } },
        only,
      });
    }
  });

  check("without a status subresource status is a field like any other", async ({ send, crd }) => {
    const kind = await crd({ subresources: {} });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1 }, status: { ready: true } }) });
    await send("PATCH", `${kind.path}/a`, { body: { status: { ready: false } } });
    await send("PATCH", `${kind.path}/a/status`, { body: { status: { ready: true } } });
    await send("PUT", `${kind.path}/a/status`, { body: kind.object("a") });
  });

  check("a status of a missing object answers 404", async ({ send, crd }) => {
    const kind = await crd();
    await send("PATCH", `${kind.path}/a/status`, { body: { status: {} } });
    await send("PUT", `${kind.path}/a/status`, { body: kind.object("a", { status: {} }) });
  });

  check("a status with another uid is written all the same", async ({ send, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, { body: kind.object("a") });
    const uid = "00000000-0000-4000-8000-000000000000";
    const metadata = { ...body.metadata, uid };
    await send("PUT", `${kind.path}/a/status`, { body: { ...body, metadata, status: { ready: true } } });
  });

  check("a status needs the version that was read", async ({ send, crd }) => {
    const kind = await crd();
    const { body } = await send("POST", kind.path, { body: kind.object("a") });
    await send("PUT", `${kind.path}/a/status`, { body: { ...body, status: { ready: true } } });
    await send("PUT", `${kind.path}/a/status`, { body: { ...body, status: { ready: false } } });
  });

  check("a status can be neither created nor deleted", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await send("POST", `${kind.path}/a/status`, { body: kind.object("a") });
    await send("DELETE", `${kind.path}/a/status`);
  });

  check("a status of a built-in kind is written apart from the object", async ({ send, namespace }) => {
    const path = "/api/v1/namespaces";
    await send("PATCH", `${path}/${namespace}`, {
      body: { metadata: { labels: { a: "b" } }, status: { phase: "Terminating" } },
      omit: ["metadata.managedFields"],
    });
    await send("PATCH", `${path}/${namespace}/status`, {
      body: { metadata: { labels: { c: "d" } }, spec: { finalizers: [] }, status: { conditions: [] } },
      omit: ["metadata.managedFields"],
    });
    await send("GET", `${path}/${namespace}/status`, { omit: ["metadata.managedFields"] });
  });

  check("scale shows and changes the number of replicas", async ({ send, crd }) => {
    const kind = await crd({ subresources: { status: {}, scale } });
    await send("POST", kind.path, { body: kind.object("a", { spec: { replicas: 2 } }) });
    await send("PATCH", `${kind.path}/a/status`, { body: { status: { replicas: 1, selector: "app=a" } } });
    const { body } = await send("GET", `${kind.path}/a/scale`);
    await send("PUT", `${kind.path}/a/scale`, { body: { ...body, spec: { replicas: 5 } } });
    await send("PATCH", `${kind.path}/a/scale`, { body: { spec: { replicas: 7 } } });
    await send("PATCH", `${kind.path}/a/scale`, { body: { status: { replicas: 9 } } });
    await send("GET", `${kind.path}/a`);
  });

  check("scale of an object without replicas shows none", async ({ send, crd }) => {
    const kind = await crd({ subresources: { scale } });
    await send("POST", kind.path, { body: kind.object("a") });
    await send("GET", `${kind.path}/a/scale`);
    await send("PATCH", `${kind.path}/a/scale`, { body: { spec: { replicas: 1 } } });
  });

  check("scale refuses what is no number of replicas", async ({ send, crd }) => {
    const kind = await crd({ subresources: { scale } });
    await send("POST", kind.path, { body: kind.object("a", { spec: { replicas: 2 } }) });
    for (const replicas of [-1, "two", 1.5, null])
      await send("PATCH", `${kind.path}/a/scale`, { body: { spec: { replicas } } });
    await send("PUT", `${kind.path}/a/scale`, { body: kind.object("a") });
    await send("PUT", `${kind.path}/a/scale`, {
      body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "b" } },
    });
  });

  check("scale of a custom object is judged by its schema, that of a built-in one as a Scale", async (conversation) => {
    const { send, quietly, crd, namespace } = conversation;
    const replicas = { type: "integer", minimum: 0, maximum: 9 };
    const spec = { type: "object", properties: { replicas, color: { type: "string", default: "red" } } };
    const schema = { type: "object", properties: { spec, status: { type: "object" } } };
    const kind = await crd({ subresources: { scale }, schema });
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { replicas: 2 } }) });
    const labels = { color: "ünï" };
    const patches = [
      { spec: { replicas: -1 } },
      { spec: { replicas: 10 } },
      { metadata: { labels }, spec: { replicas: 1 } },
    ];
    for (const body of patches) await send("PATCH", `${kind.path}/a/scale`, { body });
    const path = deployments(namespace);
    await quietly("POST", path, { body: deployment("a") });
    for (const body of patches) await send("PATCH", `${path}/a/scale`, { body });
    await send("PATCH", `${path}/a/scale`, {
      body: { metadata: { labels, annotations: { "bad key!": "" }, finalizers: ["nogroup"] }, spec: { replicas: -1 } },
    });
  });

  check(
    "scale of an object without a spec makes one, which is shown with its defaults",
    async ({ send, quietly, crd }) => {
      const spec = {
        type: "object",
        properties: { replicas: { type: "integer" }, color: { type: "string", default: "red" } },
      };
      const schema = { type: "object", properties: { spec, status: { type: "object" } } };
      const kind = await crd({ subresources: { scale }, schema });
      await quietly("POST", kind.path, { body: kind.object("a") });
      await send("PATCH", `${kind.path}/a/scale`, { body: { spec: { replicas: 3 } } });
      await send("GET", `${kind.path}/a`);
      await send("PATCH", `${kind.path}/a`, { body: { metadata: { labels: { a: "b" } } } });
    },
  );

  check("scale needs the version that was read", async ({ send, crd }) => {
    const kind = await crd({ subresources: { scale } });
    await send("POST", kind.path, { body: kind.object("a", { spec: { replicas: 2 } }) });
    const { body } = await send("GET", `${kind.path}/a/scale`);
    await send("PUT", `${kind.path}/a/scale`, { body: { ...body, spec: { replicas: 3 } } });
    await send("PUT", `${kind.path}/a/scale`, { body: { ...body, spec: { replicas: 4 } } });
  });

  check("scale of a missing object answers 404", async ({ send, crd }) => {
    const kind = await crd({ subresources: { scale } });
    await send("GET", `${kind.path}/missing/scale`);
    await send("PATCH", `${kind.path}/missing/scale`, { body: { spec: { replicas: 1 } } });
  });

  check("scale of a Deployment counts a generation", async ({ send, quietly, namespace }) => {
    const path = deployments(namespace);
    const template = podTemplate({ containers: [{ name: "a", image: "a" }] });
    await quietly("POST", path, { body: deployment("a", { replicas: 1, template }) });
    await send("GET", `${path}/a/scale`);
    await send("PATCH", `${path}/a/scale`, { body: { spec: { replicas: 3 } } });
    await send("GET", `${path}/a`, { only: ["metadata.generation", "spec.replicas", "metadata.managedFields"] });
  });

  for (const type of [
    {},
    { kind: "Scale" },
    { apiVersion: "autoscaling/v1" },
    { apiVersion: "autoscaling/v1", kind: "Scale" },
    { apiVersion: "", kind: "Scale" },
    { apiVersion: "autoscaling/v1", kind: "" },
  ]) {
    check(
      `scale of a custom object has owners if its version is said: ${JSON.stringify(type)}`,
      async ({ send, crd }) => {
        const { path, object } = await crd({ subresources: { scale } });
        for (const [name, replicas] of [
          ["same", 3],
          ["other", 4],
        ] as const) {
          await send("POST", path, {
            query: { fieldManager: "one" },
            body: object(name, { spec: { replicas: 3, more: true } }),
          });
          const body = { ...type, metadata: { name }, spec: { replicas } };
          await send("PUT", `${path}/${name}/scale`, { query: { fieldManager: "two" }, body });
          await send("GET", `${path}/${name}`);
        }
      },
    );
  }

  check("a patch of a scale that is no JSON is refused", async ({ send, quietly, crd, namespace }) => {
    const kind = await crd({ subresources: { scale } });
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { replicas: 1 } }) });
    await quietly("POST", `/api/v1/namespaces/${namespace}/replicationcontrollers`, {
      body: { metadata: { name: "a" }, spec: { replicas: 0, selector: { app: "a" } } },
    });
    for (const path of [`${kind.path}/a/scale`, `/api/v1/namespaces/${namespace}/replicationcontrollers/a/scale`]) {
      for (const type of ["merge-patch+json", "json-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"]) {
        for (const body of ["", "{", "nonsense", "null", "[]", "5", '{"spec":{"replicas":1,"replicas":2}}']) {
          const contentType = `application/${type}`;
          await send("PATCH", path, { query: { fieldManager: "one", dryRun: "All" }, contentType, body });
        }
      }
    }
  });
});
