import assert from "node:assert/strict";
import { test } from "node:test";
import { type Acknowledgement, type Context, createChannel, iterableSource, type Source } from "farwatch";
import { createBroker } from "./broker.fixture.ts";
import { sourceContract } from "./source-contract.ts";
import type { SourceUnderTest } from "./source-stage.ts";

/** Runs the contract on a source that breaks it, and gives what each test that failed says, by its name. */
async function failures(create: () => SourceUnderTest<number>): Promise<ReadonlyMap<string, string>> {
  const runs: [string, () => Promise<void>][] = [];
  sourceContract({
    name: "it",
    create,
    numberOf: ({ object }) => object,
    test: (name, run) => runs.push([name, run]),
  });
  const failed = new Map<string, string>();
  for (const [name, run] of runs) {
    try {
      await run();
    } catch (error) {
      failed.set(name, String(error));
    }
  }
  return failed;
}

function numbers(change: Partial<Source<number>>, ownValues = createChannel<number>()): SourceUnderTest<number> {
  const source: Source<number> = {
    name: "numbers",
    delivery: "atLeastOnce",
    durability: "process",
    overflow: "wait",
    async *events({ signal }) {
      try {
        for (;;) yield { type: "generic", object: (await ownValues.receive(signal)) ?? 0 };
      } catch (reason) {
        if (!signal.aborted) throw reason;
      }
    },
    ...change,
  };
  return { source, emit: (n) => ownValues.send(n) };
}

test("source contract finds nothing wrong with a small source that keeps it", async () => {
  assert.deepEqual(await failures(() => numbers({})), new Map());
});

test("source contract finds a source that does not end when its signal aborts", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    return numbers(
      {
        async *events() {
          for await (const object of values) yield { type: "generic", object };
        },
      },
      values,
    );
  });
  assert.ok(failed.has("it ends its stream when the signal aborts, whether or not somebody waits for the next event"));
});

test("source contract finds a source that drops what happens while it is closed", async () => {
  const failed = await failures(() => {
    let values = createChannel<number>();
    const under = numbers({
      async *events({ signal }) {
        values = createChannel();
        const own = values;
        signal.addEventListener("abort", () => own.close(), { once: true });
        for await (const object of own) yield { type: "generic", object };
      },
    });
    return { ...under, emit: (n) => values.send(n).catch(() => {}) };
  });
  assert.deepEqual(
    [...failed.keys()].filter((name) => name.includes("loses nothing that happens")),
    ["it loses nothing that happens before it is open", "it loses nothing that happens while another replica leads"],
  );
});

test("source contract finds a source that leaves a timer", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    return numbers(
      {
        async *events({ clock, signal }) {
          clock.schedule("1h", () => {});
          try {
            for (;;) yield { type: "generic", object: (await values.receive(signal)) ?? 0 };
          } catch (reason) {
            if (!signal.aborted) throw reason;
          }
        },
      },
      values,
    );
  });
  const said = failed.get("it leaves nothing open when it is closed, and can be opened again") ?? "";
  assert.match(said, /a timer is left\n\n1 !== 0\n\nThis breaks promise 13: No handle stays open\. Look at .*\.$/);
});

test("source contract finds a source that can be opened only once", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    const once = values[Symbol.asyncIterator]();
    return numbers(
      {
        async *events({ signal }) {
          signal.addEventListener("abort", () => values.close(), { once: true });
          for (let next = await once.next(); !next.done; next = await once.next()) {
            yield { type: "generic", object: next.value };
          }
        },
      },
      values,
    );
  });
  assert.ok(failed.has("it is opened again after its stream threw"));
});

test("source contract finds values that no source can declare, and an origin without acknowledgements", async () => {
  assert.ok((await failures(() => numbers({ capacity: 0 }))).has("it declares what a source can be"));
  assert.ok((await failures(() => numbers({ name: " " }))).has("it declares what a source can be"));
  const origin = await failures(() => numbers({ durability: "origin" }));
  assert.deepEqual([...origin.keys()], ["it has each event settled exactly once"]);
});

test("source contract finds a source that drops events of its own while it is not read", async () => {
  const failed = await failures(() => numbers({}, createChannel<number>({ capacity: 1, overflow: "dropOldest" })));
  assert.ok(failed.has("it loses nothing while its watch is slow"));
  assert.ok(failed.has("it keeps its buffers bounded while nobody reads"));
});

test("source contract finds an origin that does not deliver again what was given back", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    const under = numbers({ durability: "origin" }, values);
    const { events } = under.source;
    return {
      ...under,
      source: {
        ...under.source,
        async *events(ctx) {
          for await (const event of events(ctx)) yield { ...event, ack: { done() {}, retry() {} } };
        },
      },
    };
  });
  assert.deepEqual(
    [...failed.keys()],
    [
      "it loses nothing that waits, or is being worked on, when the lead is lost",
      "it delivers an event again that was given back",
      "it takes acknowledgements without failing, those too that come when its stream has closed",
    ],
  );
});

test("source contract finds an origin that is told of what is done with the next read alone", async () => {
  const failed = await failures(() => {
    const broker = createBroker();
    const done: (() => void)[] = [];
    return {
      source: iterableSource(
        "broker",
        async function* (ctx) {
          for await (const { n, ack } of broker.consume(ctx)) {
            for (const tell of done.splice(0)) tell();
            yield { n, ack: { done: () => done.push(ack.done), retry: ack.retry } };
          }
        },
        { durability: "origin", event: ({ n, ack }) => ({ type: "generic", object: n, ack }) },
      ),
      emit: broker.publish,
    };
  });
  assert.ok(failed.has("it settles at its origin what is done while it is closed, so that it does not come again"));
});

interface Consumed {
  readonly n: number;
  readonly ack: Acknowledgement;
}

/** Broker's events in the hands of a source that goes about them in its own way. */
function broken(
  consume: (broker: ReturnType<typeof createBroker>, ctx: Context) => AsyncIterable<Consumed>,
): SourceUnderTest<number> {
  const broker = createBroker();
  return {
    source: iterableSource("broker", (ctx) => consume(broker, ctx), {
      durability: "origin",
      event: ({ n, ack }) => ({ type: "generic", object: n, ack }),
    }),
    emit: broker.publish,
    taken: () => broker.unacknowledged,
  };
}

const takesTooMuch = "it takes no more from its origin than it may hold while nobody reads";

test("source contract finds an origin whose backlog is taken into memory at once", async () => {
  const failed = await failures(() =>
    broken(async function* (broker, ctx) {
      const all = createChannel<Consumed>({ capacity: 1_000_000 });
      const taking = (async () => {
        for await (const message of broker.consume(ctx)) all.trySend(message);
        all.close();
      })();
      yield* all;
      await taking;
    }),
  );
  assert.deepEqual([...failed.keys()], [takesTooMuch]);
  assert.match(
    failed.get(takesTooMuch) ?? "",
    /it has taken 2040 of 2040 things from its origin while one event was read; its maxUnacknowledged is 1000\n.*promise 2: Buffers are bounded. Look at what `events` asks its origin for/,
  );
});

test("source contract finds a source of this process that takes whatever it is sent", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>({ capacity: 1_000_000 });
    return { ...numbers({}, values), taken: () => values.size };
  });
  assert.deepEqual([...failed.keys()], [takesTooMuch]);
});

test("source contract finds a far side that says that nothing was taken, though events came", async () => {
  const failed = await failures(() => ({ ...numbers({}), taken: () => 0 }));
  assert.match(failed.get(takesTooMuch) ?? "", /an event came, and taken\(\) says 0/);
});

const settles = "it takes acknowledgements without failing, those too that come when its stream has closed";

/** Messages whose acknowledgement is another. */
async function* acknowledged(messages: AsyncIterable<Consumed>, change: (ack: Acknowledgement) => object) {
  for await (const { n, ack } of messages) yield { n, ack: { ...ack, ...change(ack) } };
}

test("source contract finds acknowledgements that throw or reject, and says which", async () => {
  const refuse = (): never => {
    throw new Error("the broker is gone");
  };
  const wrong: readonly (readonly [RegExp, Partial<Acknowledgement>])[] = [
    [/ack.done\(\) threw Error: the broker is gone/, { done: refuse }],
    [/ack.done\(\) rejected with Error: the broker is gone/, { done: async () => refuse() }],
    [/ack.reject\(\) threw Error: the broker is gone/, { reject: refuse }],
    [/ack.reject\(\) rejected with Error: the broker is gone/, { reject: async () => refuse() }],
    [/ack.retry\(\) threw Error: the broker is gone/, { retry: refuse }],
    [/ack.retry\(\) rejected with Error: the broker is gone/, { retry: async () => refuse() }],
  ];
  for (const [says, change] of wrong) {
    const failed = await failures(() => broken((broker, ctx) => acknowledged(broker.consume(ctx), () => change)));
    assert.match(
      failed.get(settles) ?? "",
      /could not be settled: .*\n.*promise 4: .* Look at `ack.done`, `ack.retry`/,
    );
    assert.match(failed.get(settles) ?? "", says);
  }
});

test("source contract finds acknowledgements that fail only once their stream has closed", async () => {
  const failed = await failures(() =>
    broken((broker, ctx) =>
      acknowledged(broker.consume(ctx), ({ done }) => ({
        done(): void {
          if (ctx.signal.aborted) throw new Error("there is no connection");
          done();
        },
      })),
    ),
  );
  assert.deepEqual([...failed.keys()], [settles]);
  assert.match(
    failed.get(settles) ?? "",
    /2 events could not be settled: ack.done\(\) threw Error: there is no connection/,
  );
});

test("source contract says of an event that did not come what its source does instead", async () => {
  const failed = await failures(() =>
    numbers({
      async *events() {
        yield* [];
        throw new Error("the password was refused");
      },
    }),
  );
  assert.match(
    failed.get("it yields events once it is open") ?? "",
    /events 1, 2, 3 did not come, after 0 others: the source is failing, .*its last error was "the password was refused"; .*\n.*promise 1: Nothing is lost. Look at `events`/,
  );
});
