import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manager } from "farwatch";
import { createTestEnv } from "./create-test-env.ts";
import { failuresTogether } from "./failures-together.ts";
import { withTestEnv } from "./with-test-env.ts";

function addBroken(manager: Manager, message: string): void {
  manager.add({
    name: "broken",
    async start({ clock, signal }): Promise<void> {
      await clock.sleep("1s", signal);
      throw new Error(message);
    },
  });
}

test("withTestEnv gives what the test gives, and its one failure as it is", async () => {
  assert.equal(await withTestEnv({}, async (env) => env.clock.elapsed()), 0);
  const own = new Error("the test's own");
  await assert.rejects(
    withTestEnv({}, () => Promise.reject(own)),
    (error) => error === own,
  );
  await assert.rejects(
    withTestEnv({}, async (env) => {
      addBroken(env.manager, "the manager's own");
      await env.start();
      await env.advance("2s");
    }),
    { message: "the manager's own" },
  );
  await assert.rejects(
    withTestEnv({ as: "system:serviceaccount:default:none" }, async () => {}),
    { code: "NotFound" },
  );
});

test("withTestEnv tells of the test's failure and of the manager's", async () => {
  const failed = withTestEnv({}, async (env) => {
    addBroken(env.manager, "the manager's own");
    await env.start();
    await env.advance("2s");
    assert.equal(1, 2, "the test's own");
  });
  await assert.rejects(failed, (error) => {
    assert.ok(error instanceof AggregateError);
    assert.equal(error.message, "the test's own; and then: the manager's own");
    assert.ok(error.errors[0] instanceof assert.AssertionError);
    assert.equal(error.errors.length, 2);
    return true;
  });
});

test("test environment tells of every manager that has failed when it is disposed of", async () => {
  const env = await createTestEnv();
  const replicas = [env, env.replica(), env.replica()];
  for (const [index, replica] of replicas.entries()) {
    addBroken(replica.manager, `manager ${index + 1}`);
    await replica.start();
  }
  await env.advance("2s");
  const disposed = async (): Promise<void> => env[Symbol.asyncDispose]();
  await assert.rejects(disposed, (error) => {
    assert.ok(error instanceof AggregateError);
    const messages = (error.errors as readonly Error[]).map(({ message }) => message);
    assert.deepEqual(messages.sort(), ["manager 1", "manager 2", "manager 3"]);
    return true;
  });
});

test("failuresTogether unfolds what is suppressed, in the order in which it happened, each once", () => {
  const [first, second, third] = [new Error("1"), new Error("2"), new Error("3")];
  const folded = new SuppressedError(third, new SuppressedError(second, first));
  const together = failuresTogether(new SuppressedError(third, folded));
  assert.ok(together instanceof AggregateError);
  assert.deepEqual(together.errors, [first, second, third]);
  assert.equal(failuresTogether(new SuppressedError(first, first)), first);
  assert.equal(failuresTogether("text"), "text");
});
