import { execFile } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { httpCall, startKubeApiserver } from "@farwatch/testing";

/**
 * Writes the table of the built-in kinds' types, packages/apiserver/src/registry/built-in/*.ts: facts of the fields from
 * Go's types (cmd/built-in-types) and from the real server's OpenAPI, without a sentence of either. Run by hand when the
 * version of Kubernetes changes: `npm run -s types:built-in`. The form is described in registry/type-table.ts.
 */

const groupVersions = [
  "v1",
  "admissionregistration.k8s.io/v1",
  "apiextensions.k8s.io/v1",
  "apiregistration.k8s.io/v1",
  "apps/v1",
  "authentication.k8s.io/v1",
  "authorization.k8s.io/v1",
  "autoscaling/v1",
  "autoscaling/v2",
  "batch/v1",
  "coordination.k8s.io/v1",
  "discovery.k8s.io/v1",
  "events.k8s.io/v1",
  "networking.k8s.io/v1",
  "policy/v1",
  "rbac.authorization.k8s.io/v1",
  "scheduling.k8s.io/v1",
  "storage.k8s.io/v1",
];

/** Bodies and answers of meta/v1 that no kind refers to. */
const metaRoots = [
  "CreateOptions",
  "DeleteOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "Status",
  "UpdateOptions",
].map((name) => `meta.v1.${name}`);

/** As cmd/built-in-types prints them. */
interface GoField {
  readonly name: string;
  readonly inline?: true;
  readonly number?: string;
  readonly type: string;
  readonly goType?: string;
  readonly always?: true;
  readonly omitZero?: true;
  readonly strategy?: string;
  readonly mergeKey?: string;
}

interface GoType {
  readonly items?: string;
  readonly fields?: readonly GoField[];
}

interface OpenApiSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-group-version-kind"?: unknown;
  readonly "x-kubernetes-unions"?: readonly [
    { readonly discriminator: string; readonly "fields-to-discriminateBy": Readonly<Record<string, string>> },
  ];
}

const packages: Readonly<Record<string, string>> = {
  meta: "io.k8s.apimachinery.pkg.apis.meta",
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
  apiregistration: "io.k8s.kube-aggregator.pkg.apis.apiregistration",
};

function openApiName(goType: string): string {
  const [group = "", ...rest] = goType.split(".");
  return [packages[group] ?? `io.k8s.api.${group}`, ...rest].join(".");
}

const packageOf = (goType: string): string => goType.split(".").slice(0, 2).join(".");
const elementOf = (type: string): string => type.replace(/^(\*|\[\]|\{\})+/, "");

/** What OpenAPI says of a field without a marker of its own, because Go would write it. */
function derivedDefault({ type, always }: GoField): unknown {
  if (types.get(type)?.fields !== undefined) return {};
  if (!always) return undefined;
  return type === "string" ? "" : type === "bool" ? false : /^(int|float)/.test(type) ? 0 : undefined;
}

function fieldLine(
  field: GoField,
  schema: OpenApiSchema | undefined,
  owner: { required: boolean; home: string },
): string {
  const local = field.type.replace(`${owner.home}.`, "");
  const words = [field.inline ? "..." : field.name, field.number ?? "-", local];
  if (field.inline) return words.join(" ");
  if (owner.required) words.push("required", ...(field.always ? [] : ["omitempty"]));
  else if (field.always) words.push("written");
  if (field.omitZero) words.push("omitzero");
  if (schema !== undefined) {
    const [found, derived] = [JSON.stringify(schema.default), JSON.stringify(derivedDefault(field))];
    if (found !== derived) words.push(`default=${found}`);
    if (schema.enum !== undefined) words.push(`enum=${schema.enum.join("|")}`);
    const each = (schema.items ?? schema.additionalProperties)?.enum;
    if (each !== undefined) words.push(`each=${each.join("|")}`);
    const keys = schema["x-kubernetes-list-map-keys"];
    const list = schema["x-kubernetes-list-type"];
    if (list !== undefined) words.push(`list=${keys === undefined ? list : `${list}:${keys.join(",")}`}`);
    const map = schema["x-kubernetes-map-type"];
    if (map !== undefined) words.push(`map=${map}`);
  }
  if (field.goType) words.push(`go=${field.goType}`);
  if (field.strategy) words.push(`patch=${field.strategy}`);
  if (field.mergeKey) words.push(`key=${field.mergeKey}`);
  if (words.some((word) => word === "" || /[\s`\\]|\$\{/.test(word)))
    throw new Error(`No word of a line: ${words.join("~")}`);
  return words.join(" ");
}

async function goTypes(): Promise<ReadonlyMap<string, GoType>> {
  const { stdout } = await promisify(execFile)(
    "go",
    ["run", "-mod=readonly", "./cmd/built-in-types", ...groupVersions],
    { cwd: import.meta.dirname, env: { ...process.env, CGO_ENABLED: "0" }, maxBuffer: 64 << 20 },
  );
  return new Map(Object.entries(JSON.parse(stdout) as Record<string, GoType>));
}

async function openApiSchemas(): Promise<Readonly<Record<string, OpenApiSchema>>> {
  await using server = await startKubeApiserver();
  const all: Record<string, OpenApiSchema> = {};
  for (const groupVersion of groupVersions) {
    const path = groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`;
    const call = { headers: { authorization: `Bearer ${server.token}` }, ca: server.ca };
    const { status, text } = await httpCall(`${server.url}/openapi/v3/${path}`, call);
    if (status !== 200) throw new Error(`The server answers ${status} for the OpenAPI of ${groupVersion}`);
    Object.assign(all, (JSON.parse(text) as { components: { schemas: object } }).components.schemas);
  }
  return all;
}

const [types, schemas] = await Promise.all([goTypes(), openApiSchemas()]);

/** What OpenAPI says of the fields of a type, or for one that Go only embeds, of those of a type that embeds it. */
function schemaOf(name: string): OpenApiSchema | undefined {
  const schema = schemas[openApiName(name)];
  if (schema !== undefined) return schema;
  const [embedding] =
    [...types].find(([, { fields }]) => fields?.some(({ inline, type }) => inline && type === name)) ?? [];
  return embedding === undefined ? undefined : schemaOf(embedding);
}

const isRoot = (name: string): boolean => {
  const schema = schemas[openApiName(name)];
  return metaRoots.includes(name) || (schema !== undefined && "x-kubernetes-group-version-kind" in schema);
};
const kept = new Set<string>();
function keep(name: string): void {
  const type = types.get(name);
  if (kept.has(name) || type === undefined) return;
  kept.add(name);
  for (const field of type.fields ?? []) keep(elementOf(field.type));
}
for (const name of types.keys()) if (isRoot(name)) keep(name);

const blocks = new Map<string, string[]>();
for (const name of [...kept].sort()) {
  const home = packageOf(name);
  const schema = schemaOf(name);
  const { fields = [], items } = types.get(name) ?? {};
  const header = [name.slice(home.length + 1)];
  if (items !== undefined) header.push(`[]${items}`);
  if (schema?.["x-kubernetes-map-type"] !== undefined && schema === schemas[openApiName(name)])
    header.push(`map=${schema["x-kubernetes-map-type"]}`);
  for (const union of schema?.["x-kubernetes-unions"] ?? []) {
    header.push(`union=${union.discriminator}:${Object.keys(union["fields-to-discriminateBy"]).join(",")}`);
  }
  const lines = fields.map((field) =>
    fieldLine(field, schema?.properties?.[field.name], {
      home,
      required: schema?.required?.includes(field.name) ?? false,
    }),
  );
  const block = [header.join(" "), ...lines.map((line) => ` ${line}`)].join("\n");
  blocks.set(home, [...(blocks.get(home) ?? []), block]);
}

const folder = fileURLToPath(new URL("../../packages/apiserver/src/registry/built-in/", import.meta.url));
await mkdir(folder, { recursive: true });
for (const file of await readdir(folder)) await rm(join(folder, file));
for (const [home, texts] of blocks) {
  const [group = "", version = ""] = home.split(".");
  const name = `${group}${version.toUpperCase()}`;
  const text = [
    "// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.",
    `export const ${name}: string = \``,
    ...texts,
    "`;",
    "",
  ].join("\n");
  await writeFile(join(folder, `${group}-${version}.ts`), text);
}
