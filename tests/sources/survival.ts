import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { BrokerServer } from "@farwatch/testing";
import { systemClock } from "farwatch";
import { type ChildProgram, startCommand } from "../e2e/child-program.ts";
import { eventually } from "../eventually.ts";
import type { ConsumedSource } from "./consumed-source.ts";
import type { ConsumerOptions } from "./programs/consumer.ts";

/** A queue of its own at a broker, and what a program needs to read it. */
export interface SurvivingQueue extends AsyncDisposable {
  readonly source: ConsumedSource;
  readonly server: Pick<BrokerServer, "kill" | "restart">;
  /** Resolves when the broker has acknowledged all of them to the producer; rejects, or takes long, while it cannot. */
  publish(numbers: readonly number[]): Promise<void>;
  /** Messages that the broker would hand over again. */
  left(): Promise<number>;
}

export interface Survival {
  /** Begins the name of each test. */
  readonly name: string;
  readonly skip: string | false;
  /** Tries it with 10,000 messages as well. */
  readonly many?: boolean;
  create(): Promise<SurvivingQueue>;
}

function startConsumer(options: ConsumerOptions): Promise<ChildProgram> {
  const file = fileURLToPath(new URL("./programs/consumer.ts", import.meta.url));
  const args = ["--conditions=farwatch-source", "--no-warnings", file, JSON.stringify(options)];
  return startCommand({ command: process.execPath, args });
}

const numbersOf = (program: ChildProgram, msg: string): ReadonlySet<number> =>
  new Set(program.lines.filter((line) => line.msg === msg).map(({ n }) => Number(n)));

function missing(wanted: Iterable<number>, programs: readonly ChildProgram[]): readonly number[] {
  const ended = programs.map((program) => numbersOf(program, "ended"));
  return [...wanted].filter((n) => !ended.some((numbers) => numbers.has(n)));
}

async function untilWorkedOn(wanted: Iterable<number>, programs: readonly ChildProgram[]): Promise<void> {
  try {
    await eventually("every message was worked on", () => missing(wanted, programs).length === 0);
  } catch (cause) {
    const output = programs.map(({ stdout, stderr }) => `${stdout.slice(-1_500)}${stderr.slice(-1_500)}`).join("\n");
    assert.fail(`lost: ${missing(wanted, programs).join(", ")}; ${(cause as Error).message}\n${output}`);
  }
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Registers the tests of what the durability `origin` means: kill -9 of either side loses nothing (promise 1). */
export function survives({ name, skip, many = false, create }: Survival): void {
  test(`${name} loses nothing when the consumer is killed in mid-reconcile`, { skip }, async () => {
    await using queue = await create();
    const options: ConsumerOptions = { source: queue.source, work: "50ms", concurrency: 4 };
    const numbers = range(1, 80);
    await queue.publish(numbers);
    const programs: ChildProgram[] = [];
    await using stack = new AsyncDisposableStack();
    for (const least of [10, 30]) {
      const program = stack.use(await startConsumer(options));
      programs.push(program);
      await eventually("some are worked on", () => missing(numbers, programs).length <= 80 - least);
      program.kill("SIGKILL");
      await program.ended();
      assert.ok(numbersOf(program, "started").size > numbersOf(program, "ended").size, "nothing was under way");
    }
    const last = stack.use(await startConsumer(options));
    programs.push(last);
    await untilWorkedOn(numbers, programs);
    await eventually("the broker has none left", async () => (await queue.left()) === 0);
    last.kill("SIGTERM");
    assert.equal((await last.ended()).code, 0);
  });

  test(`${name} loses nothing that was acknowledged to its producer when the server is killed`, { skip }, async () => {
    await using queue = await create();
    await using program = await startConsumer({ source: queue.source, work: "20ms", concurrency: 4 });
    const acknowledged = new Set<number>();
    const stop = new AbortController();
    let next = 1;
    const producing = (async () => {
      while (!stop.signal.aborted) {
        const numbers = range(next, next + 4);
        next += 5;
        try {
          await queue.publish(numbers);
          for (const n of numbers) acknowledged.add(n);
          await systemClock.sleep("20ms");
        } catch {
          // Not acknowledged: what became of these numbers is open.
          await systemClock.sleep("100ms");
        }
      }
    })();
    for (const round of [1, 2]) {
      const before = acknowledged.size;
      await eventually(
        "messages are under way",
        () => acknowledged.size >= before + 50 && numbersOf(program, "ended").size >= 10 * round,
      );
      await queue.server.kill();
      await queue.server.restart();
    }
    const atRestart = acknowledged.size;
    await eventually("the producer goes on", () => acknowledged.size > atRestart);
    stop.abort();
    await producing;
    await untilWorkedOn(acknowledged, [program]);
    await eventually("the broker has none left", async () => (await queue.left()) === 0);
    program.kill("SIGTERM");
    assert.equal((await program.ended()).code, 0);
  });

  if (!many) return;
  test(`${name} loses none of 10,000 messages, sent before the start and to a consumer that stalls and is killed`, {
    skip,
  }, async () => {
    await using queue = await create();
    const publish = async (numbers: readonly number[]): Promise<void> => {
      for (let sent = 0; sent < numbers.length; sent += 500) await queue.publish(numbers.slice(sent, sent + 500));
    };
    await publish(range(1, 5_000));
    {
      await using stalled = await startConsumer({ source: queue.source, work: "1h", concurrency: 4 });
      await eventually("every worker stalls", () => numbersOf(stalled, "started").size === 4);
      await publish(range(5_001, 10_000));
      stalled.kill("SIGKILL");
      await stalled.ended();
    }
    await using next = await startConsumer({ source: queue.source, work: 0, concurrency: 16 });
    await untilWorkedOn(range(1, 10_000), [next]);
    await eventually("the broker has none left", async () => (await queue.left()) === 0);
    const ends = next.lines.filter(({ msg }) => msg === "ended").length;
    assert.ok(ends < 10_000 + 1_000, `it worked ${ends} times, more than once on what nobody had lost`);
  });
}
