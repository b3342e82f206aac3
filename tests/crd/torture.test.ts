import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ServedKind, serveKind, sharedKubeApiserver } from "@farwatch/testing";
import { type CustomObject, createClient, defineResource, isCodedError, loadConfig, type Resource } from "farwatch";
import { libraryCases } from "./library-cases.ts";
import { listCases } from "./list-cases.ts";
import { objectCases } from "./object-cases.ts";
import { scalarCases } from "./scalar-cases.ts";
import type { TortureCase } from "./torture-case.ts";
import { unionCases } from "./union-cases.ts";

const client = createClient({ config: loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile }) });
after(() => client[Symbol.asyncDispose]());

const cases: readonly TortureCase[] = [...scalarCases, ...objectCases, ...listCases, ...unionCases, ...libraryCases];

interface ServedCase extends TortureCase {
  /** The tests send what the types forbid. */
  readonly kind: Resource<CustomObject<unknown, unknown>, unknown>;
  readonly served: ServedKind;
}

/** Made all at once, since the server takes a second or two until it serves a kind. */
const serving: readonly (() => Promise<ServedCase>)[] = cases.map((torture, index) => {
  const serve = async (): Promise<ServedCase> => {
    const kind = defineResource({
      group: "torture.farwatch.dev",
      version: "v1",
      kind: `Torture${index}`,
      plural: `torture${index}`,
      scope: "Cluster",
      ...torture.options,
      spec: torture.spec,
    }) as ServedCase["kind"];
    return { ...torture, kind, served: await serveKind(client, kind) };
  };
  const begun = serve();
  begun.catch(() => {});
  return () => begun;
});

for (const [index, { name }] of cases.entries()) {
  test(`defineResource makes a CRD of ${name}`, async () => {
    const { kind, served, takes, refuses = [] } = await (serving[index]?.() ?? assert.fail());
    await using _ = served;
    const conditions = served.crd.status?.conditions ?? [];
    const nonStructural = conditions.filter(({ type, status }) => type === "NonStructuralSchema" && status === "True");
    assert.deepEqual(nonStructural, []);

    for (const [number, [sent, stored = sent]] of takes.entries()) {
      const input = { metadata: { name: `taken${number}` }, spec: sent };
      const object = await client.create(kind, input, { fieldValidation: "Ignore" });
      assert.deepEqual(object.spec, stored, `of ${JSON.stringify(sent)}`);
    }
    for (const [sent, says] of refuses) {
      const input = { metadata: { name: "thrown" }, spec: sent };
      const refused = client.create(kind, input, { fieldValidation: "Ignore" });
      await assert.rejects(
        refused,
        (error: unknown) => {
          assert.ok(isCodedError(error, "Invalid"), String(error));
          assert.ok(error.message.includes(says), `${JSON.stringify(sent)} was refused with ${error.message}`);
          return true;
        },
        `of ${JSON.stringify(sent)}`,
      );
    }
  });
}
