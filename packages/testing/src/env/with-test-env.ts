import { createTestEnv } from "./create-test-env.ts";
import { failuresTogether } from "./failures-together.ts";
import type { TestEnv, TestEnvOptions } from "./test-env.ts";

/**
 * Runs a test in an environment, and disposes of it. When both the test and a manager have failed, both are told: of
 * `await using env = …` the language makes a SuppressedError then, of which test runners show neither part.
 *
 * ```ts
 * test("bucket is probed", () => withTestEnv({ resources: [StorageBucket] }, async (env) => { … }));
 * ```
 *
 * Resolves with what the test gives. Rejects with what it threw, with what the manager failed with if nobody has
 * looked, or with an AggregateError of both, the test's first; and as `createTestEnv` does.
 */
export async function withTestEnv<T>(options: TestEnvOptions, run: (env: TestEnv) => Promise<T>): Promise<T> {
  try {
    await using env = await createTestEnv(options);
    return await run(env);
  } catch (error) {
    throw failuresTogether(error);
  }
}
