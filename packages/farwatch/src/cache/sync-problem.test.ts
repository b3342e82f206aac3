import assert from "node:assert/strict";
import { test } from "node:test";
import { statusError } from "../client/status-error.ts";
import { Secret } from "../resource/kind/secret.ts";
import { selectionOf } from "./selection.ts";
import { syncProblem } from "./sync-problem.ts";

test("sync problem of forbidden Secrets gives one advice, the rule that a cache needs", () => {
  const error = statusError({
    doing: "watch secrets in namespace a",
    status: {
      kind: "Status",
      code: 403,
      reason: "Forbidden",
      message: 'secrets is forbidden: User "bot" cannot watch resource "secrets" in API group "" in the namespace "a"',
      details: { kind: "secrets" },
    },
    call: { verb: "watch", group: "", resource: "secrets", namespace: "a", name: undefined },
  });
  assert.match(error.message, /; to allow it, add /);
  assert.deepEqual(syncProblem(error, selectionOf(Secret, { namespace: "a" }), 1), {
    reason: "Forbidden",
    message:
      "Cannot list and watch secrets in namespace a: forbidden (Cannot watch secrets in namespace a: HTTP 403 Forbidden (the server's words are withheld, they may quote the Secret)); " +
      'to allow it, add { apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"] } to a Role of this user in namespace "a"',
    attempts: 1,
  });
});
