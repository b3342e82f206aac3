import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sharedKubeApiserver } from "@farwatch/testing";
import {
  ConfigMap,
  createClient,
  isCodedError,
  labelMatcher,
  loadConfig,
  matchesFields,
  Namespace,
  parseFieldSelector,
} from "farwatch";

const client = createClient({ config: loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile }) });
after(() => client[Symbol.asyncDispose]());

const namespace = "selectors";
const objects = [
  { name: "none", labels: {} },
  { name: "a-b", labels: { a: "b" } },
  { name: "a-c", labels: { a: "c", "example.com/n": "5" } },
  { name: "empty", labels: { a: "", n: "3" } },
  { name: "word", labels: { n: "many", A: "b" } },
];

test("labelMatcher and parseFieldSelector agree with a real API server on every selector", async () => {
  await client.apply(Namespace, { metadata: { name: namespace } });
  for (const { name, labels } of objects) {
    await client.apply(ConfigMap, { metadata: { namespace, name, labels } });
  }
  const all = await client.list(ConfigMap, { namespace });

  const selectors = [
    ...[
      "",
      " ",
      "a",
      "!a",
      "! a",
      "a=b",
      "a==b",
      "a = b",
      "a!=b",
      "a=",
      "a!=",
      "a in (b)",
      "a in (b,c)",
      "a in(b, c )",
    ],
    ...[
      "a notin (b)",
      "a notin (,b)",
      "a in (,)",
      "n>-4",
      "n<0",
      "n > -4",
      "example.com/n>4",
      "example.com/n<4",
      "n>many",
    ],
    ...[
      "a,n",
      "a=b,a!=c",
      "a=b,",
      ",a",
      "a,,n",
      "a in ()",
      "a in b",
      "a in (b",
      "a b",
      "=b",
      "-a",
      "a=b c",
      "in in (a)",
    ],
    ...[
      "A=b",
      "A.example/b",
      "a/b/c",
      "!a=b",
      "!!a",
      "a===b",
      "a in (b c)",
      "x".repeat(64),
      `a=${"b".repeat(64)}`,
      "a>1.5",
      "n>9223372036854775807",
      "n>9223372036854775808",
      "n>007",
    ],
    ...["a\tin\n(b)", "a=b\n", "é", "a=é", "a<", "notin", "a=in", "a=notin", "a in (in, notin)"],
  ];
  for (const labels of selectors) {
    assert.deepEqual(
      await answer(() => names(all.filter(({ metadata }) => labelMatcher(labels)(metadata.labels)))),
      await answer(async () => names(await client.list(ConfigMap, { namespace, labels }))),
      JSON.stringify(labels),
    );
  }

  const fields = [
    "",
    "metadata.name=a-b",
    "metadata.name==a-b",
    "metadata.name!=a-b",
    "metadata.name=",
    "metadata.name=a-b,metadata.namespace=selectors",
    "metadata.name=a-b,",
    "metadata.name=a\\,b",
    "metadata.name",
    "metadata.name=a=b",
    "metadata.namespace!=selectors",
  ];
  for (const selector of fields) {
    const ours = await answer(() => {
      const requirements = parseFieldSelector(selector);
      return names(all.filter((object) => matchesFields(requirements, object)));
    });
    assert.deepEqual(
      ours,
      await answer(async () => names(await client.list(ConfigMap, { namespace, fields: selector }))),
      selector,
    );
  }
});

function names(found: readonly ConfigMap[]): readonly string[] {
  return found.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
}

/** The names that are found, or that the selector is refused. */
async function answer(
  find: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[] | "refused"> {
  try {
    return await find();
  } catch (error) {
    if (isCodedError(error, "InvalidSelector") || isCodedError(error, "BadRequest")) return "refused";
    throw error;
  }
}
