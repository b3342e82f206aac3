import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createWorkQueue } from "./create-work-queue.ts";
import type { Outcome, Work } from "./work-queue.ts";

const done: Outcome = { type: "done" };

function setUp(options: { readonly namespaceConcurrency: number }) {
  const clock = createVirtualClock();
  return { clock, queue: createWorkQueue({ clock, ...options }) };
}

/** So many workers, each of which takes as long over a request as `work` does. */
function employ({ queue, clock }: ReturnType<typeof setUp>, workers: number, work: (name: string) => Promise<void>) {
  const started: { readonly name: string; readonly atMs: number }[] = [];
  const underWay = new Map<string, number>();
  let most = 0;
  const worker = async (): Promise<void> => {
    for (let next = await queue.next(); next !== undefined; next = await queue.next()) {
      const { namespace = "", name } = next.request;
      started.push({ name, atMs: clock.elapsed() });
      underWay.set(namespace, (underWay.get(namespace) ?? 0) + 1);
      most = Math.max(most, underWay.get(namespace) ?? 0);
      await work(name);
      underWay.set(namespace, (underWay.get(namespace) ?? 0) - 1);
      queue.finish(next, done);
    }
  };
  const ended = Promise.all(Array.from({ length: workers }, worker));
  return { started, most: () => most, ended };
}

test("workQueue lets 4,990 requests of a namespace that hang make none of another wait, nor go beyond their limit", async () => {
  const all = setUp({ namespaceConcurrency: 16 });
  const { queue, clock } = all;
  const { started, most, ended } = employ(all, 64, (name) => clock.sleep(name.startsWith("hung") ? "5s" : "10ms"));
  for (let n = 0; n < 4_990; n += 1) queue.add({ namespace: "x", name: `hung-${n}` });
  for (let second = 0; second < 60; second += 1) {
    queue.add({ namespace: "y", name: `fine-${second}` }, { priority: -100 });
    await clock.advance("1s");
  }
  const fine = started.filter(({ name }) => name.startsWith("fine")).map(({ atMs }) => atMs);
  assert.deepEqual(
    fine,
    Array.from({ length: 60 }, (_, second) => second * 1_000),
  );
  assert.equal(most(), 16);
  assert.equal(started.length - 60, 16 * 13, "the limit is made use of");
  queue.shutDown();
  await clock.advance("5s");
  await ended;
});

test("workQueue lets namespaces take turns where their requests are limited, and lanes order those of each", async () => {
  const { clock, queue } = setUp({ namespaceConcurrency: 2 });
  for (const name of ["x1", "x2", "x3", "x4"]) queue.add({ namespace: "x", name });
  queue.add({ namespace: "y", name: "y1" });
  queue.add({ namespace: "y", name: "y2" }, { priority: 9 });
  queue.add({ name: "cluster" });
  const works: Work[] = [];
  for (let n = 0; n < 5; n += 1) works.push((await queue.next()) as Work);
  assert.deepEqual(
    works.map(({ request }) => request.name),
    ["x1", "y2", "cluster", "x2", "y1"],
  );
  assert.equal(queue.depth, 2, "two of x, which has no room");
  const later: string[] = [];
  const next = queue.next().then((work) => later.push(work?.request.name ?? "shut down"));
  await clock.settle();
  queue.finish(works[1] as Work, done);
  await clock.settle();
  assert.deepEqual(later, [], "room for y is none for x");
  queue.finish(works[0] as Work, done);
  await next;
  assert.deepEqual(later, ["x3"]);
});

test("workQueue runs every request, and no more of a namespace at once than it may, whatever is added when", async () => {
  const added = fc.record({ namespace: fc.nat(3), name: fc.nat(5), afterMs: fc.nat(300), tookMs: fc.nat(400) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(added, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      async (adds, namespaceConcurrency, workers) => {
        const all = setUp({ namespaceConcurrency });
        const { queue, clock } = all;
        let tookMs = 0;
        const { started, most, ended } = employ(all, workers, () => clock.sleep(tookMs));
        const lastAddMs = new Map<string, number>();
        for (const { namespace, name, afterMs, ...rest } of adds) {
          tookMs = rest.tookMs;
          const request = { namespace: `n${namespace}`, name: `n${namespace}-${name}` };
          queue.add(request);
          lastAddMs.set(request.name, clock.elapsed());
          await clock.advance(afterMs);
        }
        await clock.advance("1h");
        for (const [name, addedMs] of lastAddMs)
          assert.ok(
            started.some((run) => run.name === name && run.atMs >= addedMs),
            `${name} ran after its last add`,
          );
        assert.ok(most() <= namespaceConcurrency, `${most()} at once of one namespace`);
        assert.deepEqual([queue.depth, queue.delayed], [0, 0]);
        queue.shutDown();
        await ended;
      },
    ),
    { numRuns: 100 },
  );
});
