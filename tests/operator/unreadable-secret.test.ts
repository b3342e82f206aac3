import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LogLine } from "../e2e/child-program.ts";
import { namespace, type OperatorStage, prepareStage } from "./operator-stage.ts";

let stage: OperatorStage;
before(async () => {
  stage = await prepareStage();
});
after(() => stage[Symbol.asyncDispose]());

test("operator that may not read Secrets names the right to add, and probes as soon as it has it", async () => {
  const rule = ["patch", "role", "storage-bucket", "--namespace", namespace, "--type=json", "-p"];
  const verbs = (allowed: readonly string[]): string =>
    JSON.stringify([{ op: "replace", path: "/rules/2/verbs", value: allowed }]);
  await stage.kubectl(...rule, verbs(["get"]));
  await stage.bucket("waiting", { s3: { bucket: "photos" }, credentials: { secretRef: { name: "absent" } } });

  await using operator = await stage.startOperator("--no-leader-elect");
  const isAboutSecrets = ({ resource }: LogLine): boolean => resource === `secrets in namespace ${namespace}`;
  const line = await operator.said("Cache is not in step with the server", isAboutSecrets);
  assert.equal(
    line.problem,
    `Cannot list and watch secrets in namespace ${namespace}: forbidden for User "system:serviceaccount:storage:storage-bucket"; to allow it, add { apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"] } to a Role of this user in namespace "storage"`,
  );

  await stage.kubectl(...rule, verbs(["get", "list", "watch"]));
  const status = await stage.statusOf("waiting", "looked at", ({ conditions }) => conditions !== undefined);
  assert.equal(status.conditions?.find(({ type }) => type === "Available")?.reason, "CredentialsNotFound");
});
