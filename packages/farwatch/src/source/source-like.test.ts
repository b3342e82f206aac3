import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import type { Source, SourceContext } from "./source.ts";
import { sourceLike } from "./source-like.ts";

/** No value is the default, so that one that is forgotten shows. */
const whole: Required<Source<string>> = {
  name: "whole",
  numbered: true,
  delivery: "atMostOnce",
  durability: "origin",
  overflow: "dropOldest",
  capacity: 2,
  maxUnacknowledged: 3,
  maxUnacknowledgedBytes: 4,
  needLeaderElection: false,
  ends: true,
  critical: true,
  connects: true,
  restates: true,
  caches: [ConfigMap],
  deliver: "annotate",
  annotates: { resource: ConfigMap, name: "mine" },
  bytesOf: ({ length }) => length,
  declare: () => ({ [Symbol.dispose]() {} }),
  async *events() {
    yield { type: "generic", object: "told" };
  },
};

type Values = Readonly<Record<string, unknown>>;

const valuesOf = (source: object): Values =>
  Object.fromEntries(Object.entries(source).filter(([, value]) => typeof value !== "function"));

test("sourceLike takes over every field of the other", () => {
  const derived = sourceLike(whole, {});
  assert.deepEqual(Object.keys(derived).sort(), Object.keys(whole).sort());
  assert.deepEqual(valuesOf(derived), valuesOf(whole));
});

test("sourceLike puts what is given in the place of what the other has", () => {
  const derived = sourceLike(whole, { name: "own", numbered: false, capacity: undefined });
  assert.deepEqual(valuesOf(derived), { ...valuesOf(whole), name: "own", numbered: false, capacity: undefined });
});

test("sourceLike takes over what stands in a class, with its private parts", async () => {
  class Told implements Source<string> {
    readonly name = "told";
    readonly delivery = "atLeastOnce";
    readonly overflow = "wait";
    readonly #objects = ["one", "two"];
    #declared = 0;
    get durability(): "process" {
      return "process";
    }
    get declared(): number {
      return this.#declared;
    }
    bytesOf(object: string): number {
      return object.length * this.#objects.length;
    }
    declare(): Disposable {
      this.#declared += 1;
      return { [Symbol.dispose]: () => (this.#declared -= 1) };
    }
    async *events(): AsyncGenerator<{ readonly type: "generic"; readonly object: string }> {
      for (const object of this.#objects) yield { type: "generic", object };
    }
  }
  const told = new Told();
  const derived = sourceLike(told, { name: "own" });
  assert.deepEqual([derived.name, derived.durability], ["own", "process"]);
  assert.equal(derived.bytesOf?.("abc"), 6);
  const ctx: SourceContext = createScriptedHub({ clock: createVirtualClock() }).context(new AbortController().signal);
  const declared = derived.declare?.(ctx);
  assert.equal(told.declared, 1);
  declared?.[Symbol.dispose]();
  assert.equal(told.declared, 0);
  const events = await Array.fromAsync(derived.events(ctx));
  assert.deepEqual(
    events.map(({ object }) => object),
    ["one", "two"],
  );
});

test("sourceLike wants all that depends on the type of events where that is another", async () => {
  const lengths = sourceLike<number>(whole, {
    overflow: "wait",
    bytesOf: () => 1,
    async *events() {
      yield { type: "generic", object: 1 };
    },
  });
  assert.deepEqual([lengths.bytesOf?.(5), lengths.critical], [1, true]);
  // @ts-expect-error its overflow may merge texts, and its bytesOf measures them
  sourceLike<number>(whole, { events: lengths.events });
});
