import type { SourceEvent } from "farwatch";
import { keeping, nothingOpen, settledInPeace } from "./contract-promise.ts";
import type { Check, ContractSubject } from "./contract-subject.ts";
import { realTime, virtualTime } from "./contract-time.ts";
import { registerDeliveryCases } from "./delivery-cases.ts";
import { registerSettlingCases } from "./settling-cases.ts";
import { createSourceStage, type SourceContractEnv, type SourceStage, type SourceUnderTest } from "./source-stage.ts";
import { registerStreamCases } from "./stream-cases.ts";

export interface SourceContractOptions<T> {
  /** Begins the name of each test. */
  readonly name: string;
  /** Makes a source of its own for each test. It starts nothing: streams start in `events`. */
  create(env: SourceContractEnv): SourceUnderTest<T>;
  /**
   * Which of the things that `emit` makes happen an event tells of; what it is handed follows from `create` before it.
   */
  numberOf?(event: SourceEvent<T>): number;
  /** The runner's function: `test` of node:test, `it` of vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /**
   * `virtual` (default): nothing waits. `real`: for a source whose origin is a server on a socket; each wait ends when
   * what it waits for has happened. The origin must deliver again within some seconds what was not acknowledged.
   */
  readonly time?: "virtual" | "real";
}

/**
 * Registers the tests of what users may rely on from any source (promises 1 to 4, 13 and 14). They read it as a manager
 * does. Which of them there are follows from what the source declares, from whether its events can be told apart and
 * from what its far side can tell. A test that fails names the promise that is broken, and where to look.
 *
 * @example
 * sourceContract({
 *   name: "invoiceSource",
 *   test,
 *   create({ clock }) {
 *     const server = createFakeInvoiceServer(clock);
 *     return {
 *       source: invoiceSource(server),
 *       emit: (n) => server.add({ id: n }),
 *       latency: "10s",
 *       open: () => server.connections,
 *       taken: () => server.handedOver,
 *     };
 *   },
 *   numberOf: ({ object }) => object.id,
 * });
 */
export function sourceContract<T>(options: SourceContractOptions<T>): void {
  const { name, create, numberOf, test, time = "virtual" } = options;
  const createStage = (): SourceStage<T> =>
    createSourceStage(create, { numberOf, time: time === "virtual" ? virtualTime() : realTime() });

  const check: Check<T> = (sentence, promise, run) => {
    test(`${name} ${sentence}`, async () => {
      const stage = createStage();
      await stage.begin();
      try {
        await keeping(promise, () => run(stage));
        await stage.dispose();
        await keeping(nothingOpen, () => stage.assertNothingOpen());
        await keeping(settledInPeace, async () => stage.settlements.assertQuiet());
      } finally {
        await stage.dispose();
        await stage.end();
      }
    });
  };
  const { source, isNumbered, taken } = createStage();
  const subject: ContractSubject<T> = {
    declared: source,
    numberOf,
    isNumbered,
    isWhole: isNumbered && source.overflow === "wait",
    resends: source.delivery === "atLeastOnce",
    canTellTaken: taken !== undefined,
  };
  registerStreamCases(check, subject);
  registerDeliveryCases(check, subject);
  registerSettlingCases(check, subject);
}
