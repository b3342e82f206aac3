import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";

async function currentVersion({ quietly }: Conversation, path: string): Promise<string> {
  return (await quietly("GET", path)).body.metadata.resourceVersion;
}

export const area: Area = defineArea("watch", (check) => {
  check("changes since a version come in their order", async (conversation) => {
    const { quietly, watch, namespace } = conversation;
    const path = configMaps(namespace);
    const resourceVersion = await currentVersion(conversation, path);
    await quietly("POST", path, { body: configMap("a") });
    await quietly("PATCH", `${path}/a`, { body: { data: { x: "1" } } });
    await quietly("POST", path, { body: configMap("b") });
    await quietly("DELETE", `${path}/a`);
    const stream = await watch(path, { query: { resourceVersion } });
    await stream.events(4);
    await quietly("PATCH", `${path}/b`, { body: { data: { y: "2" } } });
    await quietly("DELETE", `${path}/b`);
    const events = await stream.events(2);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
  });

  check("a version that an event bore begins after that event", async (conversation) => {
    const { quietly, watch, namespace } = conversation;
    const path = configMaps(namespace);
    const { body } = await quietly("POST", path, { body: configMap("a") });
    await quietly("POST", path, { body: configMap("b") });
    const stream = await watch(path, { query: { resourceVersion: body.metadata.resourceVersion } });
    await stream.events(1);
  });

  check("without a version, or with 0, what is there comes first", async ({ quietly, watch, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("b", { spec: { size: 1 } }) });
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 2 } }) });
    await quietly("GET", kind.path);
    for (const query of [{}, { resourceVersion: 0 }, { resourceVersion: "" }]) {
      const stream = await watch(kind.path, { query });
      await stream.events(2);
      stream.close();
    }
  });

  check("changes of a custom object are delivered whole", async ({ quietly, watch, crd }) => {
    const kind = await crd();
    const stream = await watch(kind.path);
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await quietly("PATCH", `${kind.path}/a/status`, { body: { status: { ready: true } } });
    await quietly("DELETE", `${kind.path}/a`);
    await stream.events(3);
  });

  check("other namespaces are not seen", async ({ quietly, watch, namespace, cleanup }) => {
    const other = `not-${namespace}`.slice(0, 60);
    await quietly("POST", "/api/v1/namespaces", { body: { metadata: { name: other } } });
    cleanup(() => quietly("DELETE", `/api/v1/namespaces/${other}`));
    const stream = await watch(configMaps(namespace));
    await quietly("POST", configMaps(other), { body: configMap("elsewhere") });
    await quietly("POST", configMaps(namespace), { body: configMap("here") });
    await stream.events(1);
  });

  check("all namespaces are seen together", async ({ quietly, watch, crd, group, namespace, cleanup }) => {
    const other = `too-${namespace}`.slice(0, 60);
    await quietly("POST", "/api/v1/namespaces", { body: { metadata: { name: other } } });
    cleanup(() => quietly("DELETE", `/api/v1/namespaces/${other}`));
    const kind = await crd();
    const stream = await watch(`/apis/${group}/v1/widgets`);
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("POST", `/apis/${group}/v1/namespaces/${other}/widgets`, { body: kind.object("a") });
    await stream.events(2);
  });

  check("an object that enters a label selector is added, one that leaves is deleted", async (conversation) => {
    const { quietly, watch, namespace } = conversation;
    const path = configMaps(namespace);
    const resourceVersion = await currentVersion(conversation, path);
    const stream = await watch(path, { query: { resourceVersion, labelSelector: "color=red" } });
    await quietly("POST", path, { body: configMap("a", { labels: { color: "blue" } }) });
    await quietly("PATCH", `${path}/a`, { body: { metadata: { labels: { color: "red" } } } });
    await quietly("PATCH", `${path}/a`, { body: { data: { inside: "yes" } } });
    await quietly("PATCH", `${path}/a`, { body: { metadata: { labels: { color: "blue" } }, data: { inside: "no" } } });
    await quietly("DELETE", `${path}/a`);
    await quietly("POST", path, { body: configMap("b", { labels: { color: "red" } }) });
    await quietly("DELETE", `${path}/b`);
    const events = await stream.events(5);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"],
    );
  });

  check("a selector works on what is there at the beginning", async ({ quietly, watch, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, {
      body: kind.object("in", { metadata: { name: "in", labels: { color: "red" } } }),
    });
    await quietly("POST", kind.path, { body: kind.object("out") });
    await quietly("GET", kind.path);
    const stream = await watch(kind.path, { query: { labelSelector: "color in (red, blue)" } });
    await stream.events(1);
    await quietly("PATCH", `${kind.path}/out`, { body: { metadata: { labels: { color: "blue" } } } });
    await stream.events(1);
  });

  check("a field selector narrows to a name", async ({ quietly, watch, namespace }) => {
    const path = configMaps(namespace);
    const stream = await watch(path, { query: { fieldSelector: "metadata.name=a" } });
    await quietly("POST", path, { body: configMap("b") });
    await quietly("POST", path, { body: configMap("a") });
    await quietly("DELETE", `${path}/b`);
    await quietly("DELETE", `${path}/a`);
    await stream.events(2);
  });

  check("watch means nothing on the path of an object", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("GET", `${configMaps(namespace)}/a`, { query: { watch: 1 } });
    const kind = await crd();
    await send("GET", `${kind.path}/missing`, { query: { watch: 1 } });
  });

  check("the older path of a watch works still", async ({ quietly, send, watch, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    const stream = await watch(`/api/v1/watch/namespaces/${namespace}/configmaps`, { query: { watch: undefined } });
    await stream.events(1);
    const single = await watch(`/api/v1/watch/namespaces/${namespace}/configmaps/a`, { query: { watch: undefined } });
    await single.events(1);
    await send("GET", "/api/v1/watch/nothings");
  });

  check("it ends after the time that was asked for", async ({ watch, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const stream = await watch(configMaps(namespace), { query: { timeoutSeconds: 1 } });
    await stream.end();
  });

  check("a bookmark comes before the end when it was asked for", async ({ watch, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("GET", kind.path);
    const stream = await watch(kind.path, { query: { allowWatchBookmarks: true, timeoutSeconds: 3 } });
    const events = await stream.end();
    assert.equal(events.at(-1)?.type, "BOOKMARK");
  });

  check("initial events end with a bookmark that says so", async ({ watch, quietly, crd }) => {
    const kind = await crd();
    for (const name of ["b", "a"]) await quietly("POST", kind.path, { body: kind.object(name) });
    const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };
    const stream = await watch(kind.path, { query });
    await stream.events(3);
    await quietly("PATCH", `${kind.path}/a`, { body: { spec: { size: 2 } } });
    await stream.events(1);
  });

  check(
    "initial events of a built-in kind and of nothing end with a bookmark too",
    async ({ watch, quietly, namespace }) => {
      const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };
      const empty = await watch(configMaps(namespace), { query });
      await empty.events(1);
      const { body } = await quietly("POST", configMaps(namespace), { body: configMap("a") });
      const { resourceVersion } = body.metadata;
      const one = await watch(configMaps(namespace), { query: { ...query, resourceVersion } });
      const events = await one.events(2);
      assert.ok(Number(events[1]?.object.metadata.resourceVersion) >= Number(resourceVersion));
    },
  );

  check("initial events are only those that a selector takes", async ({ watch, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, {
      body: kind.object("in", { metadata: { name: "in", labels: { color: "red" } } }),
    });
    await quietly("POST", kind.path, { body: kind.object("out") });
    const stream = await watch(kind.path, {
      query: {
        sendInitialEvents: true,
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: true,
        labelSelector: "color",
      },
    });
    await stream.events(2);
  });

  check("sendInitialEvents false begins at the present", async ({ watch, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("GET", kind.path);
    const query = { sendInitialEvents: false, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };
    const stream = await watch(kind.path, { query });
    await quietly("POST", kind.path, { body: kind.object("b") });
    await stream.events(1);
  });

  check("combinations of options that mean nothing are refused", async ({ watch, namespace, crd }) => {
    const { path } = await crd();
    for (const query of [
      { sendInitialEvents: true },
      { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" },
      { sendInitialEvents: true, resourceVersionMatch: "Exact", allowWatchBookmarks: true },
      { sendInitialEvents: true, allowWatchBookmarks: true },
      { resourceVersionMatch: "NotOlderThan", resourceVersion: 1 },
      { resourceVersionMatch: "Exact", resourceVersion: 1 },
      { resourceVersion: "text" },
      { resourceVersion: "-1" },
      { timeoutSeconds: "text" },
      { labelSelector: "a in (" },
      { fieldSelector: "spec.nothing=1" },
      { allowWatchBookmarks: "perhaps", timeoutSeconds: 1 },
    ]) {
      for (const collection of [configMaps(namespace), path]) (await watch(collection, { query })).close();
    }
  });

  check("a version from before the kind was served is an error of the stream", async ({ watch, crd }) => {
    const kind = await crd();
    const stream = await watch(kind.path, { query: { resourceVersion: 1 } });
    await stream.end();
  });

  check("a limit does not limit a watch", async ({ watch, quietly, namespace }) => {
    for (const name of ["a", "b"]) await quietly("POST", configMaps(namespace), { body: configMap(name) });
    await quietly("GET", configMaps(namespace));
    const stream = await watch(configMaps(namespace), { query: { limit: 1 } });
    await stream.events(2);
  });

  check("values of watch that mean yes and no", async ({ send, watch, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    for (const value of ["true", "1", "yes", "t"]) {
      const stream = await watch(configMaps(namespace), { query: { watch: value, timeoutSeconds: 1 } });
      if (stream.refused === undefined) await stream.end();
    }
    for (const value of ["false", "0"]) await send("GET", configMaps(namespace), { query: { watch: value } });
  });

  check("a gzip stream is a stream", async ({ watch, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    const stream = await watch(configMaps(namespace), { headers: { "accept-encoding": "gzip" } });
    await stream.events(1);
  });
});
