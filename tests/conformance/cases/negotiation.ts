import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import { scaledObjects } from "../scaled-object.ts";

const patchTypes = [
  "application/json",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/x-www-form-urlencoded",
  "text/plain",
  "nonsense",
];

export const area: Area = defineArea("negotiation", (check) => {
  // B49
  check("a patch of an unknown or missing type is refused", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    for (const contentType of ["application/json", "text/plain", "nonsense", "", null]) {
      await send("PATCH", `${configMaps(namespace)}/a`, { body: { data: { x: "1" } }, contentType });
      await send("PATCH", `${kind.path}/a/status`, { body: { status: { x: "1" } }, contentType });
    }
  });

  // B49
  check("a patch type that a custom kind does not have is refused", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    for (const contentType of patchTypes.filter((type) => type.startsWith("application/")))
      await send("PATCH", `${kind.path}/a`, { body: {}, contentType });
  });

  check("a patch type may have parameters", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    for (const contentType of [
      "application/merge-patch+json; charset=utf-8",
      "Application/Merge-Patch+JSON",
      "application/merge-patch+json;",
    ])
      await send("PATCH", `${configMaps(namespace)}/a`, {
        body: { data: { type: contentType } },
        contentType,
        only: ["kind", "code", "message", "reason", "data"],
      });
  });

  check("a body of a type that cannot be read is refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const contentType of [
      "text/plain",
      "application/xml",
      "application/merge-patch+json",
      "nonsense",
      "application/json;",
    ])
      for (const collection of [configMaps(namespace), path])
        await send("POST", collection, {
          body: configMap("a"),
          contentType,
          only: ["kind", "code", "message", "reason"],
        });
  });

  check("a body without a type is JSON", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a"), contentType: null });
    await send("PUT", `${configMaps(namespace)}/a`, { body: configMap("a", { data: { x: "1" } }), contentType: null });
  });

  check("a body of JSON may say more of its type", async ({ send, namespace }) => {
    for (const [name, contentType] of [
      ["a", "application/json; charset=utf-8"],
      ["b", "application/json;stream=watch"],
    ] as const)
      await send("POST", configMaps(namespace), { body: configMap(name), contentType });
  });

  check("an update of a wrong type is refused", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("PUT", `${configMaps(namespace)}/a`, { body: configMap("a"), contentType: "text/plain" });
    await send("DELETE", `${configMaps(namespace)}/a`, { body: "{}", contentType: "text/plain" });
  });

  check("an answer that cannot be given is refused", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const kind = await crd();
    for (const accept of [
      "text/html",
      "text/plain",
      "application/xml",
      "image/*",
      "nonsense",
      "application/json;q=0",
    ]) {
      await send("GET", `${configMaps(namespace)}/a`, {
        headers: { accept },
        only: ["kind", "code", "message", "reason"],
      });
      await send("GET", kind.path, { headers: { accept }, only: ["kind", "code", "message", "reason"] });
    }
  });

  check("a Scale is no list, and what it is hangs on whose it is", async (conversation) => {
    const { custom, builtIn } = await scaledObjects(conversation);
    const headers = { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" };
    for (const path of [custom.path, builtIn]) await conversation.send("GET", `${path}/a/scale`, { headers });
  });

  check("an answer is JSON unless YAML is preferred", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    for (const accept of [
      "*/*",
      "application/*",
      "",
      "application/json",
      "text/html, */*",
      "application/yaml;q=0.1, application/json",
      "application/json; charset=utf-8",
    ])
      await send("GET", `${configMaps(namespace)}/a`, {
        headers: { accept },
        only: ["kind", "code", "message", "reason"],
      });
  });

  check("an answer is YAML when it is asked for", async ({ send, quietly, namespace, crd }) => {
    const headers = { accept: "application/yaml" };
    const hidden = (text: string): string => text.replace(/resourceVersion: "\d+"/g, 'resourceVersion: "<version>"');
    await quietly("POST", configMaps(namespace), {
      body: configMap("a", { data: { text: "two\nlines\n", yes: "true" } }),
    });
    await send("GET", `${configMaps(namespace)}/a`, { headers, view: hidden });
    await send("GET", `${configMaps(namespace)}/missing`, { headers });
    const kind = await crd();
    await quietly("POST", kind.path, {
      body: kind.object("a", { spec: { size: 1, list: ["a", { b: null }], empty: {} } }),
    });
    await send("GET", `${kind.path}/a`, { headers, view: hidden });
  });

  check("a refusal is JSON when nothing else can be said", async ({ send, namespace }) => {
    await send("GET", `${configMaps(namespace)}/missing`, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    await send("GET", "/api/v1/nothings", { headers: { accept: "application/yaml" } });
  });

  check("a small answer is not compressed, a large one is when asked for", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("small") });
    await quietly("POST", configMaps(namespace), { body: configMap("large", { data: { text: "x".repeat(150_000) } }) });
    const headers = { "accept-encoding": "gzip" };
    const only = ["kind", "metadata.name"];
    await send("GET", `${configMaps(namespace)}/small`, { headers, only });
    await send("GET", `${configMaps(namespace)}/large`, { headers, only });
    await send("GET", `${configMaps(namespace)}/large`, { only });
    await send("GET", `${configMaps(namespace)}/large`, { headers: { "accept-encoding": "deflate, br" }, only });
    await send("GET", `${configMaps(namespace)}/large`, { headers: { "accept-encoding": "gzip;q=0" }, only });
  });

  check("a method that a path does not have is refused", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    for (const collection of [configMaps(namespace), kind.path]) {
      await send("PUT", collection, { body: {} });
      await send("PATCH", collection, { body: {} });
      await send("POST", `${collection}/a`, { body: {} });
    }
    await send("DELETE", "/api/v1/nodes/a/proxy/x", { only: ["code", "reason"] });
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) await send(method, "/version", { body: {} });
    await send("POST", "/healthz");
    await send("PUT", "/apis", { only: ["kind"] });
  });

  check("reviews can only be created", async ({ send }) => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    await send("GET", path);
    await send("GET", `${path}/a`);
    await send("DELETE", path);
  });

  check("HEAD is refused as an unknown verb", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("HEAD", `${configMaps(namespace)}/a`);
    await send("HEAD", configMaps(namespace));
    await send("HEAD", `${configMaps(namespace)}/missing`);
    await send("HEAD", "/version");
    await send("HEAD", "/healthz");
  });

  check("OPTIONS is refused", async ({ send, namespace }) => {
    await send("OPTIONS", configMaps(namespace));
    await send("OPTIONS", `${configMaps(namespace)}/a`);
    await send("OPTIONS", "/version");
  });

  check("an unknown method is refused", async ({ send, namespace }) => {
    await send("PROPFIND", configMaps(namespace));
    await send("PROPFIND", `${configMaps(namespace)}/a`);
  });

  check("a header cannot make another method of a request", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const headers = { "x-http-method-override": "DELETE", "x-http-method": "DELETE", "x-method-override": "DELETE" };
    await send("POST", `${configMaps(namespace)}/a`, { headers, body: {} });
    await send("GET", `${configMaps(namespace)}/a`, { headers });
  });

  check("pretty prints on several lines", async ({ send, namespace }) => {
    await send("GET", `${configMaps(namespace)}/missing`, { text: true, query: { pretty: "true" } });
    await send("GET", `${configMaps(namespace)}/missing`, { text: true, query: { pretty: "1" } });
    await send("GET", `${configMaps(namespace)}/missing`, { text: true });
    await send("GET", `${configMaps(namespace)}/missing`, { text: true, headers: { "user-agent": "curl/8.0" } });
    await send("GET", `${configMaps(namespace)}/missing`, { text: true, headers: { "user-agent": "Mozilla/5.0" } });
  });

  check("a body that is too large is refused", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), {
      body: configMap("a", { data: { text: "x".repeat(1_100_000) } }),
      only: ["kind", "code", "message", "reason", "details.causes.*.reason"],
    });
    await send("POST", configMaps(namespace), { body: configMap("a", { data: { text: "x".repeat(3_200_000) } }) });
  });

  check("a patch of a whole collection is refused by its type first", async ({ send, crd, namespace }) => {
    const { path } = await crd();
    for (const contentType of [
      "application/json",
      "application/strategic-merge-patch+json",
      "application/merge-patch+json",
    ]) {
      await send("PATCH", path, { contentType, body: {} });
      await send("PATCH", `/api/v1/namespaces/${namespace}/configmaps`, { contentType, body: {} });
    }
    await send("PUT", path, { body: {} });
  });

  check(
    "a list is refused for some of what it asks before it is for how it wants the answer",
    async ({ send, crd, namespace }) => {
      const { path } = await crd();
      const headers = { accept: "text/html" };
      for (const query of [
        { limit: "x" },
        { labelSelector: "color in (" },
        { fieldSelector: "metadata.name" },
        { fieldSelector: "nothing=1" },
        { resourceVersionMatch: "Exact" },
        { resourceVersion: "x" },
        { continue: "nonsense" },
        { timeoutSeconds: "x" },
      ]) {
        await send("GET", path, { query, headers });
        await send("GET", path, { query: { ...query, watch: 1 }, headers });
        await send("DELETE", path, { query, headers });
        await send("GET", `/api/v1/namespaces/${namespace}/configmaps`, { query, headers });
      }
    },
  );
});
