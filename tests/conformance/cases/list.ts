import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import type { Conversation } from "../conversation.ts";

const namesOnly = { omit: ["items.*.metadata.managedFields"] };

async function createConfigMaps({ quietly, namespace }: Conversation, names: readonly string[]): Promise<string> {
  let version = "";
  for (const name of names) {
    const { body } = await quietly("POST", configMaps(namespace), { body: configMap(name) });
    version = body.metadata.resourceVersion;
  }
  // Brings the memory of the server up to date, which answers version 0.
  await quietly("GET", configMaps(namespace));
  return version;
}

export const area: Area = defineArea("list", (check) => {
  check("objects come in the order of their names", async (conversation) => {
    const { send, namespace } = conversation;
    await createConfigMaps(conversation, ["b", "a-b", "a", "a.b", "a1", "c"]);
    await send("GET", configMaps(namespace), { only: ["kind", "apiVersion", "items.*.metadata.name"] });
  });

  check("items carry neither kind nor apiVersion when built in", async (conversation) => {
    await createConfigMaps(conversation, ["a"]);
    await conversation.send("GET", configMaps(conversation.namespace));
  });

  check("items of a custom kind carry kind and apiVersion", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await send("GET", kind.path);
  });

  check("an empty list has an empty array", async ({ send, namespace, crd }) => {
    await send("GET", configMaps(namespace));
    const kind = await crd();
    await send("GET", kind.path);
    await send("GET", kind.path, { query: { resourceVersion: 0 } });
  });

  check("a missing namespace is an empty list", async ({ send }) => {
    await send("GET", "/api/v1/namespaces/nowhere-at-all/configmaps");
  });

  check(
    "all namespaces are listed together, by namespace and name",
    async ({ send, quietly, namespace, cleanup, crd }) => {
      const other = `a-${namespace}`.slice(0, 60);
      await quietly("POST", "/api/v1/namespaces", { body: { metadata: { name: other } } });
      cleanup(() => quietly("DELETE", `/api/v1/namespaces/${other}`));
      const kind = await crd();
      const elsewhere = `/apis/${kind.group}/v1/namespaces/${other}/widgets`;
      for (const [path, name] of [
        [kind.path, "a"],
        [elsewhere, "z"],
        [elsewhere, "b"],
      ] as const)
        await quietly("POST", path, { body: kind.object(name) });
      await send("GET", `/apis/${kind.group}/v1/widgets`, namesOnly);
    },
  );

  check("the list's version is at least its newest item's", async (conversation) => {
    const { quietly, namespace } = conversation;
    const version = await createConfigMaps(conversation, ["a", "b"]);
    const { body } = await quietly("GET", configMaps(namespace));
    assert.ok(Number(body.metadata.resourceVersion) >= Number(version));
  });

  check("a limit gives pages of one version", async (conversation) => {
    const { send, namespace } = conversation;
    await createConfigMaps(conversation, ["a", "b", "c", "d", "e"]);
    const query = { limit: 2 };
    const first = await send("GET", configMaps(namespace), { query, ...namesOnly });
    const second = await send("GET", configMaps(namespace), {
      query: { ...query, continue: first.body.metadata.continue },
      ...namesOnly,
    });
    const third = await send("GET", configMaps(namespace), {
      query: { ...query, continue: second.body.metadata.continue },
      ...namesOnly,
    });
    const versions = [first, second, third].map(({ body }) => body.metadata.resourceVersion);
    assert.deepEqual(versions, Array(3).fill(versions[0]));
  });

  check("later pages do not show what was written meanwhile", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    await createConfigMaps(conversation, ["a", "b", "c"]);
    const first = await send("GET", configMaps(namespace), { query: { limit: 1 }, ...namesOnly });
    await quietly("POST", configMaps(namespace), { body: configMap("bb") });
    await quietly("DELETE", `${configMaps(namespace)}/c`);
    await quietly("PATCH", `${configMaps(namespace)}/b`, { body: { data: { changed: "yes" } } });
    await send("GET", configMaps(namespace), {
      query: { limit: 5, continue: first.body.metadata.continue },
      ...namesOnly,
    });
    await send("GET", configMaps(namespace), namesOnly);
  });

  check("a page without a limit is the whole rest", async (conversation) => {
    const { send, namespace } = conversation;
    await createConfigMaps(conversation, ["a", "b", "c"]);
    const { body } = await send("GET", configMaps(namespace), { query: { limit: 1 }, ...namesOnly });
    await send("GET", configMaps(namespace), { query: { continue: body.metadata.continue }, ...namesOnly });
  });

  check("a limit as large as the list leaves nothing to continue", async (conversation) => {
    const { send, namespace } = conversation;
    await createConfigMaps(conversation, ["a", "b"]);
    await send("GET", configMaps(namespace), { query: { limit: 2 }, ...namesOnly });
    await send("GET", configMaps(namespace), { query: { limit: 500 }, ...namesOnly });
    await send("GET", configMaps(namespace), { query: { limit: 0 }, ...namesOnly });
  });

  check("a limit with a selector does not say how many remain", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    for (const name of ["a", "b", "c", "d"])
      await quietly("POST", configMaps(namespace), {
        body: configMap(name, { labels: { odd: String(name !== "b") } }),
      });
    const query = { limit: 2, labelSelector: "odd=true" };
    const { body } = await send("GET", configMaps(namespace), { query, ...namesOnly });
    await send("GET", configMaps(namespace), { query: { ...query, continue: body.metadata.continue }, ...namesOnly });
  });

  check("a list of one name has no further pages", async ({ send, quietly, namespace, crd, group }) => {
    for (const name of ["a", "b", "c"]) await quietly("POST", configMaps(namespace), { body: configMap(name) });
    const kind = await crd();
    for (const name of ["a", "b", "c"]) await quietly("POST", kind.path, { body: kind.object(name) });
    const query = { limit: 1 };
    for (const fieldSelector of ["metadata.name=a", "metadata.name=b,metadata.name=a", "metadata.name!=b"]) {
      await send("GET", configMaps(namespace), { query: { ...query, fieldSelector }, ...namesOnly });
      await send("GET", kind.path, { query: { ...query, fieldSelector }, ...namesOnly });
    }
    await send("GET", `/apis/${group}/v1/widgets`, {
      query: { ...query, fieldSelector: "metadata.name=a" },
      ...namesOnly,
    });
    const { body } = await send("GET", kind.path, { query, ...namesOnly });
    const goOn = { ...query, continue: body.metadata.continue };
    await send("GET", kind.path, { query: { ...goOn, fieldSelector: "metadata.name=b" }, ...namesOnly });
  });

  check("a limit that is no number is refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const limit of ["text", "1.5", "-1", "99999999999999999999", ""]) {
      await send("GET", configMaps(namespace), { query: { limit } });
      await send("GET", path, { query: { limit } });
    }
  });

  check("a continue token that is none is refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const tokens = [
      "nonsense!",
      "abcd",
      encoded({}),
      encoded({ v: "meta.k8s.io/v2", rv: 5, start: "a" }),
      encoded({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
      encoded({ v: "meta.k8s.io/v1", rv: 5 }),
    ];
    for (const token of tokens) {
      await send("GET", configMaps(namespace), { query: { limit: 1, continue: token } });
      await send("GET", path, { query: { limit: 1, continue: token } });
    }
  });

  check("a continue token together with a resourceVersion is refused", async (conversation) => {
    const { send, namespace } = conversation;
    const version = await createConfigMaps(conversation, ["a", "b"]);
    const first = await send("GET", configMaps(namespace), { query: { limit: 1 }, ...namesOnly });
    const token = first.body.metadata.continue;
    await send("GET", configMaps(namespace), { query: { limit: 1, continue: token, resourceVersion: version } });
    await send("GET", configMaps(namespace), {
      query: { limit: 1, continue: token, resourceVersion: 0 },
      ...namesOnly,
    });
    await send("GET", configMaps(namespace), {
      query: { limit: 1, continue: token, resourceVersionMatch: "NotOlderThan" },
    });
  });

  check("an exact version shows what was then", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const version = await createConfigMaps(conversation, ["a", "b"]);
    await quietly("POST", configMaps(namespace), { body: configMap("c") });
    await quietly("DELETE", `${configMaps(namespace)}/a`);
    await quietly("PATCH", `${configMaps(namespace)}/b`, { body: { data: { changed: "yes" } } });
    const query = { resourceVersion: version, resourceVersionMatch: "Exact" };
    const { body } = await send("GET", configMaps(namespace), { query, ...namesOnly });
    assert.equal(body.metadata.resourceVersion, version);
  });

  check("an exact version with a limit gives pages of that version", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const version = await createConfigMaps(conversation, ["a", "b"]);
    await quietly("POST", configMaps(namespace), { body: configMap("c") });
    const first = await send("GET", configMaps(namespace), {
      query: { resourceVersion: version, resourceVersionMatch: "Exact", limit: 1 },
      ...namesOnly,
    });
    assert.equal(first.body.metadata.resourceVersion, version);
    const token = first.body.metadata.continue;
    const second = await send("GET", configMaps(namespace), { query: { limit: 1, continue: token }, ...namesOnly });
    assert.equal(second.body.metadata.resourceVersion, version);
  });

  check("not older than a version is the present", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const version = await createConfigMaps(conversation, ["a"]);
    await quietly("POST", configMaps(namespace), { body: configMap("b") });
    await quietly("GET", configMaps(namespace));
    for (const resourceVersionMatch of ["NotOlderThan", undefined])
      await send("GET", configMaps(namespace), {
        query: { resourceVersion: version, resourceVersionMatch },
        ...namesOnly,
      });
  });

  check("a version with a limit and no match is the exact version", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const version = await createConfigMaps(conversation, ["a"]);
    await quietly("POST", configMaps(namespace), { body: configMap("b") });
    await quietly("GET", configMaps(namespace));
    const { body } = await send("GET", configMaps(namespace), {
      query: { resourceVersion: version, limit: 10 },
      ...namesOnly,
    });
    assert.equal(body.metadata.resourceVersion, version);
  });

  check("version 0 is whatever is at hand", async (conversation) => {
    const { send, namespace } = conversation;
    await createConfigMaps(conversation, ["a", "b"]);
    await send("GET", configMaps(namespace), { query: { resourceVersion: 0 }, ...namesOnly });
    await send("GET", configMaps(namespace), { query: { resourceVersion: 0, limit: 1 }, ...namesOnly });
    await send("GET", configMaps(namespace), {
      query: { resourceVersion: 0, resourceVersionMatch: "NotOlderThan" },
      ...namesOnly,
    });
  });

  check("combinations of version and match that mean nothing are refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const query of [
      { resourceVersionMatch: "Exact" },
      { resourceVersionMatch: "NotOlderThan" },
      { resourceVersion: 0, resourceVersionMatch: "Exact" },
      { resourceVersion: 1, resourceVersionMatch: "exact" },
      { resourceVersion: 1, resourceVersionMatch: "Nothing" },
      { resourceVersion: 1, resourceVersionMatch: "" },
      { sendInitialEvents: true },
      { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" },
    ]) {
      await send("GET", configMaps(namespace), { query, omit: ["items"] });
      await send("GET", path, { query, omit: ["items"] });
    }
  });

  check("a version that is none is refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const resourceVersion of ["text", "-1", "1.5", "99999999999999999999"]) {
      for (const collection of [configMaps(namespace), path]) {
        await send("GET", collection, { query: { resourceVersion } });
        await send("GET", collection, { query: { resourceVersion, resourceVersionMatch: "Exact" } });
      }
    }
  });

  check("a version from the future is not waited for for long", async ({ send, crd }) => {
    const { path } = await crd();
    await send("GET", path, { query: { resourceVersion: 999999999 } });
  });

  check("an exact version from the future is refused", async ({ send, crd }) => {
    const { path } = await crd();
    await send("GET", path, { query: { resourceVersion: 999999999, resourceVersionMatch: "Exact" } });
  });

  check("a timeout that is no number is refused", async ({ send, namespace }) => {
    for (const timeoutSeconds of ["text", "-1", "0", "5"])
      await send("GET", configMaps(namespace), { query: { timeoutSeconds }, omit: ["items"] });
  });

  check(
    "a full page goes on where there is more, whether it is selected or not",
    async ({ send, quietly, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      for (const [name, color] of [
        ["a", "blue"],
        ["b", "red"],
        ["c", "blue"],
      ]) {
        await quietly("POST", path, { body: { metadata: { name, labels: { color } } } });
      }
      for (const labelSelector of ["color=red", "color=blue", "color=green"]) {
        const { body } = await send("GET", path, { query: { labelSelector, limit: 1 }, omit: ["items"] });
        const { continue: token } = body.metadata;
        if (token !== undefined)
          await send("GET", path, { query: { labelSelector, limit: 1, continue: token }, omit: ["items"] });
      }
    },
  );
});
