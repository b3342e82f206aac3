import { readdirSync } from "node:fs";
import { cruise, type IRegularForbiddenRuleType } from "dependency-cruiser";
import { layers, rooms } from "./rooms.ts";
import { readWorkspaces, type Workspace } from "./workspaces.ts";

/** Tests, and what several of them share. */
const testFile = "[.](?:test|fixture)[.]ts$";
const folders = [...layers, "tests", "tools", "bench"];

/** A pattern that matches one of the texts literally. */
function oneOf(texts: readonly string[]): string {
  return `(?:${texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`;
}

/** One rule a room: it may not import from a room below it, nor from a room that nobody declared. */
function roomRules(folder: string, order: readonly string[]): readonly IRegularForbiddenRuleType[] {
  return order.map((room, index) => ({
    name: `${room}: imports only from itself and from rooms above`,
    severity: "error",
    from: { path: `^${folder}/src/${room}/`, pathNot: testFile },
    to: { path: `^${folder}/src/`, pathNot: `^${folder}/src/${oneOf(order.slice(0, index + 1))}/` },
  }));
}

/** What holds between packages, and inside of each. */
function packageRules(workspaces: readonly Workspace[]): readonly IRegularForbiddenRuleType[] {
  const entries = workspaces.flatMap((workspace) => workspace.entries);
  const layerRules = layers.slice(0, -1).map(
    (layer, index): IRegularForbiddenRuleType => ({
      name: `${layer}/: imports nothing from ${layers.slice(index + 1).join("/, ")}/`,
      severity: "error",
      from: { path: `^${layer}/` },
      to: { path: `^${oneOf(layers.slice(index + 1))}/` },
    }),
  );
  return [
    ...layerRules,
    {
      name: "workspaces import nothing from tests/, tools/ or bench/",
      severity: "error",
      from: { path: `^${oneOf(layers)}/` },
      to: { path: "^(?:tests|tools|bench)/" },
    },
    {
      name: "another package is imported by one of its entry points",
      severity: "error",
      from: { path: `^(${oneOf(layers)}/[^/]+)/` },
      to: { path: `^${oneOf(layers)}/`, pathNot: ["^$1/", ...entries.map((entry) => `^${entry}$`)] },
    },
    {
      name: "tests/, tools/ and bench/ import packages by their entry points",
      severity: "error",
      from: { path: "^(?:tests|tools|bench)/" },
      to: { path: `^${oneOf(layers)}/`, pathNot: entries.map((entry) => `^${entry}$`) },
    },
    {
      name: "nothing inside a package imports its index.ts",
      severity: "error",
      from: { path: "^packages/([^/]+)/src/", pathNot: testFile },
      to: { path: "^packages/$1/src/.*index[.]ts$" },
    },
    {
      name: "only tests import a test or a fixture",
      severity: "error",
      from: { pathNot: testFile },
      to: { path: testFile },
    },
    {
      name: "what is published imports no devDependency",
      severity: "error",
      from: { path: "^(?:packages|operators)/[^/]+/src/", pathNot: testFile },
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["type-only", "npm-peer"],
        pathNot: "node_modules/@types/",
      },
    },
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "every import resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
  ];
}

/** The folders of a package that are no declared room, and declared rooms without a folder. */
function roomMismatches(folder: string, order: readonly string[]): readonly string[] {
  const found = readdirSync(`${folder}/src`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  return [
    ...found
      .filter((name) => !order.includes(name))
      .map((name) => `${folder}/src/${name}/ is no known room: add it to tools/checks/rooms.ts in its place`),
    ...order
      .filter((name) => !found.includes(name))
      .map((name) => `${folder}/src/${name}/ does not exist: take it out of tools/checks/rooms.ts`),
  ];
}

/** Every import that breaks a rule, one line each; and how many modules were looked at. */
export async function checkImports(): Promise<{ readonly problems: readonly string[]; readonly modules: number }> {
  const workspaces = readWorkspaces();
  const forbidden = [
    ...Object.entries(rooms).flatMap(([folder, order]) => roomRules(folder, order)),
    ...packageRules(workspaces),
  ];
  const result = await cruise(
    [...folders],
    {
      ruleSet: { forbidden },
      validate: true,
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      exclude: { path: "/dist/|/templates/" },
    },
    {
      exportsFields: ["exports"],
      conditionNames: ["farwatch-source", "import", "node", "default"],
      extensions: [".ts", ".mjs", ".js"],
    },
  );
  if (typeof result.output === "string") throw new Error(`Cannot check imports: ${result.output}`);
  const { summary, modules } = result.output;
  // Without a TypeScript compiler that it knows, dependency-cruiser sees no .ts file and finds all in order.
  const sources = modules.filter(({ source }) => source.endsWith(".ts") && !source.includes("node_modules")).length;
  const problems = summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle === undefined ? to : cycle.map(({ name }) => name).join(" -> ");
    return `${from} -> ${path}: ${rule.name}`;
  });
  const mismatches = Object.entries(rooms).flatMap(([folder, order]) => roomMismatches(folder, order));
  return { problems: [...mismatches, ...problems], modules: sources };
}
