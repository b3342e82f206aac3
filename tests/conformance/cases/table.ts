import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";
import { scaledObjects } from "../scaled-object.ts";

const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const partial = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const partialList = { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" };

const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How large it is." },
  { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
  { name: "Ratio", type: "number", jsonPath: ".spec.ratio", priority: 1 },
  { name: "Note", type: "string", jsonPath: ".spec.note" },
  { name: "First", type: "string", jsonPath: ".spec.list[0]" },
  { name: "Named", type: "string", jsonPath: '.spec.items[?(@.name=="b")].value' },
  { name: "All", type: "string", jsonPath: ".spec.list[*]" },
  { name: "Since", type: "date", jsonPath: ".spec.since", format: "date-time" },
];

interface Row {
  readonly cells: readonly unknown[];
}

interface TableBody {
  readonly columnDefinitions?: readonly { readonly description: string }[];
  readonly rows: readonly Row[];
}

/** Without the age of what is just made. */
function plainCells({ cells }: Row): readonly unknown[] {
  return cells.map((cell) => (/^\d+s$/.test(String(cell)) ? "<age>" : cell));
}

/** Without ages, and without the real server's prose about fields that every kind has. */
function plain(body: TableBody): unknown {
  const rows = body.rows.map((row) => ({ ...row, cells: plainCells(row) }));
  const columnDefinitions = body.columnDefinitions?.map(({ description, ...column }) =>
    /^(Name|CreationTimestamp|Data) /.test(description) || description === "" ? column : { ...column, description },
  );
  return { ...body, rows, ...(columnDefinitions && { columnDefinitions }) };
}

export const area: Area = defineArea("table", (check) => {
  check("a list of a built-in kind is a table", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a", { data: { x: "1", y: "2" } }) });
    await quietly("POST", configMaps(namespace), { body: configMap("b", { labels: { color: "red" } }) });
    await send("GET", configMaps(namespace), { headers: table, view: plain });
  });

  check("an empty list is a table without rows", async ({ send, namespace, crd }) => {
    await send("GET", configMaps(namespace), { headers: table, view: plain });
    const kind = await crd();
    await send("GET", kind.path, { headers: table, view: plain });
  });

  check("an object is a table of one row", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a", { data: { x: "1" } }) });
    await send("GET", `${configMaps(namespace)}/a`, { headers: table, view: plain });
  });

  check("a custom kind without columns shows name and age", async ({ send, quietly, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("GET", kind.path, { headers: table, view: plain });
  });

  check("printer columns are cells of the table", async ({ send, quietly, crd }) => {
    const kind = await crd({ additionalPrinterColumns: columns });
    const spec = {
      size: 3,
      ratio: 0.5,
      note: "text",
      list: ["x", "y"],
      items: [
        { name: "a", value: "1" },
        { name: "b", value: "2" },
      ],
      since: "2001-02-03T04:05:06Z",
    };
    await quietly("POST", kind.path, { body: kind.object("full", { spec }) });
    await quietly("PATCH", `${kind.path}/full/status`, { body: { status: { ready: true } } });
    await quietly("POST", kind.path, { body: kind.object("empty") });
    await send("GET", kind.path, {
      headers: table,
      // The years since 2001 grow.
      view: (body) => plain({ ...body, rows: body.rows.map((row: Row) => ({ ...row, cells: row.cells.slice(0, 8) })) }),
    });
  });

  check("a cell of a wrong type is shown as it can be", async ({ send, quietly, crd }) => {
    const kind = await crd({ additionalPrinterColumns: columns });
    const spec = { size: "three", ratio: "half", note: { deep: [1, "two"] }, list: "none", items: 5, since: "never" };
    await quietly("POST", kind.path, { body: kind.object("a", { spec }) });
    await quietly("POST", kind.path, {
      body: kind.object("b", { spec: { size: 1.5, note: 7, list: [1, true, null] } }),
    });
    await quietly("POST", kind.path, { body: kind.object("c", { spec: { size: null, note: false, list: [] } }) });
    await send("GET", kind.path, { headers: table, view: plain });
  });

  check("a table holds what includeObject asks for", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a", { data: { x: "1" } }) });
    for (const includeObject of ["None", "Metadata", "Object", "Nothing", ""])
      await send("GET", configMaps(namespace), {
        headers: table,
        query: { includeObject },
        view: (body) => (body.rows ? plain(body) : body),
      });
  });

  check("a table has pages", async ({ send, quietly, namespace }) => {
    for (const name of ["a", "b", "c"]) await quietly("POST", configMaps(namespace), { body: configMap(name) });
    await send("GET", configMaps(namespace), {
      headers: table,
      query: { limit: 2, includeObject: "None" },
      view: plain,
    });
  });

  check("a created or changed object is answered as a table", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    await send("POST", path, { body: configMap("a"), headers: table, view: plain });
    await send("PATCH", `${path}/a`, { body: { data: { x: "1" } }, headers: table, view: plain });
    await send("DELETE", `${path}/a`, { headers: table });
  });

  check("a refusal is a Status, whatever was asked for", async ({ send, namespace }) => {
    await send("GET", `${configMaps(namespace)}/missing`, { headers: table });
    await send("GET", `${configMaps(namespace)}/missing`, { headers: partial });
  });

  check("a watch delivers tables, columns only with the first", async ({ quietly, watch, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    const stream = await watch(path, {
      headers: table,
      query: { includeObject: "None", fieldSelector: "metadata.name=a" },
    });
    await stream.events(1, { view: ({ object, ...event }) => ({ ...event, object: plain(object) }) });
    await quietly("PATCH", `${path}/a`, { body: { data: { x: "1" } } });
    await stream.events(1, { view: ({ object, ...event }) => ({ ...event, object: plain(object) }) });
    await quietly("DELETE", `${path}/a`);
    await stream.events(1, { view: ({ object, ...event }) => ({ ...event, object: plain(object) }) });
  });

  check("metadata alone is a PartialObjectMetadata", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), {
      body: configMap("a", { labels: { color: "red" }, data: { x: "1" } }),
    });
    await send("GET", `${configMaps(namespace)}/a`, { headers: partial });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("GET", `${kind.path}/a`, { headers: partial });
  });

  check("a list of metadata alone is a PartialObjectMetadataList", async ({ send, quietly, namespace, crd }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a", { data: { x: "1" } }) });
    await send("GET", configMaps(namespace), { headers: partialList });
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    await send("GET", kind.path, { headers: partialList });
  });

  check("a Scale has a table", async (conversation) => {
    const { send, quietly } = conversation;
    const { custom, builtIn } = await scaledObjects(conversation);
    await quietly("POST", custom.path, { body: custom.object("b", { spec: { replicas: 0 } }) });
    const view = ({ columnDefinitions = [], rows }: TableBody): unknown => ({
      columns: columnDefinitions.map(({ description: _prose, ...column }) => column),
      cells: rows.map(plainCells),
    });
    for (const path of [`${custom.path}/a`, `${custom.path}/b`, `${builtIn}/a`])
      await send("GET", `${path}/scale`, { headers: table, view });
  });

  check("a watch delivers metadata alone", async ({ quietly, watch, crd }) => {
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 1 } }) });
    const stream = await watch(kind.path, { headers: partial });
    await stream.events(1);
    await quietly("PATCH", `${kind.path}/a`, { body: { spec: { size: 2 } } });
    await stream.events(1);
    await quietly("DELETE", `${kind.path}/a`);
    await stream.events(1);
  });

  check("a list asked for as an object, and the other way round, is refused", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    await send("GET", `${configMaps(namespace)}/a`, { headers: partialList });
    await send("GET", configMaps(namespace), { headers: partial });
  });

  check("what cannot be had falls back to what is listed after it", async ({ send, quietly, namespace }) => {
    await quietly("POST", configMaps(namespace), { body: configMap("a") });
    for (const accept of [
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
      "application/json;as=Table;v=v2;g=meta.k8s.io,application/json",
      "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io",
      "application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json",
      "application/json;as=Table;v=v1;g=example.org",
      "application/json;as=Table",
      "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    ]) {
      await send("GET", configMaps(namespace), {
        headers: { accept },
        view: (body) => ({ kind: body.kind, apiVersion: body.apiVersion, message: body.message }),
      });
    }
  });
});
