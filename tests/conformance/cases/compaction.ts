import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const names = ["a", "b", "c"];
const withoutOwners = { omit: ["items.*.metadata.managedFields"] };

export const area: Area = defineArea("compaction", { alone: true }, (check) => {
  check("a watch from a version that is forgotten ends with an error", async (conversation) => {
    const { quietly, watch, namespace, crd, forgetHistory, until } = conversation;
    const kind = await crd();
    const { body } = await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await quietly("POST", kind.path, { body: kind.object("a") });
    await quietly("PATCH", `${configMaps(namespace)}/a`, { body: { data: { x: "1" } } });
    await forgetHistory();
    await until(`${kind.path}?resourceVersion=0`, ({ status }) => status === 200);
    const { resourceVersion } = body.metadata;
    for (const path of [configMaps(namespace), kind.path]) {
      const stream = await watch(path, { query: { resourceVersion } });
      await stream.end();
    }
  });

  check("a watch from the newest version goes on", async ({ quietly, watch, namespace, forgetHistory }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await forgetHistory();
    const { body } = await quietly("GET", configMaps(namespace));
    const stream = await watch(configMaps(namespace), { query: { resourceVersion: body.metadata.resourceVersion } });
    await quietly("PATCH", `${configMaps(namespace)}/a`, { body: { data: { x: "1" } } });
    await stream.events(1);
  });

  check(
    "a list of an exact version that is forgotten is refused",
    async ({ send, quietly, namespace, forgetHistory }) => {
      const { body } = await quietly("POST", configMaps(namespace), { body: configMap("a") });
      await quietly("POST", configMaps(namespace), { body: configMap("b") });
      await forgetHistory();
      const { resourceVersion } = body.metadata;
      await send("GET", configMaps(namespace), { query: { resourceVersion, resourceVersionMatch: "Exact" } });
      await send("GET", configMaps(namespace), { query: { resourceVersion, limit: 1 } });
      await send("GET", configMaps(namespace), { query: { resourceVersion }, ...withoutOwners });
      await send("GET", `${configMaps(namespace)}/a`, { query: { resourceVersion } });
    },
  );

  check("a page of a version that is forgotten is refused with a token for the rest", async (conversation) => {
    const { send, quietly, namespace, forgetHistory } = conversation;
    for (const name of names) await quietly("POST", configMaps(namespace), { body: configMap(name) });
    const first = await send("GET", configMaps(namespace), { query: { limit: 1 }, ...withoutOwners });
    await quietly("POST", configMaps(namespace), { body: configMap("d") });
    await quietly("DELETE", `${configMaps(namespace)}/b`);
    await forgetHistory();
    const refused = await send("GET", configMaps(namespace), {
      query: { limit: 1, continue: first.body.metadata.continue },
    });
    const token = refused.body.metadata.continue;
    assert.equal(typeof token, "string");
    const rest = await send("GET", configMaps(namespace), { query: { limit: 1, continue: token }, ...withoutOwners });
    await send("GET", configMaps(namespace), {
      query: { limit: 1, continue: rest.body.metadata.continue },
      ...withoutOwners,
    });
  });
});
