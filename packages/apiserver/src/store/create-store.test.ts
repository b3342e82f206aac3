import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createStore } from "./create-store.ts";
import { configMapDraft, configMaps, keyOf, told } from "./draft.fixture.ts";
import type { Change, Journal, Store, StoreState } from "./store.ts";

function say({ type, key, version, old }: Change): string {
  return `${type} ${key} @${version}${old === undefined ? "" : ` was @${old.metadata.resourceVersion}`}`;
}

/** What a watch hears, as it hears it. */
function heard(store: Store, after: number): string[] {
  const events: string[] = [];
  store.watch(configMaps, after, (change) => events.push(say(change)));
  return events;
}

test("store gives every change a version of its own, and objects the version of their last change", () => {
  using store = createStore();
  const first = store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  const other = store.create("/secrets", keyOf("a"), configMapDraft("a", 2));
  const second = store.replace(configMaps, keyOf("a"), configMapDraft("a", 3));
  assert.deepEqual(
    [first, other, second].map(({ metadata }) => metadata.resourceVersion),
    ["2", "3", "4"],
  );
  assert.equal(store.version, 4);
  assert.deepEqual(told(store.list(configMaps)), ["a=3@4"]);
  assert.deepEqual(told([first]), ["a=1@2"], "an object that was given stays as it was");
});

test("store gives of a removed object its last state with the version of its removal", () => {
  using store = createStore();
  store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  assert.deepEqual(told([store.remove(configMaps, keyOf("a"))]), ["a=1@3"]);
  assert.equal(store.get(configMaps, keyOf("a")), undefined);
  assert.equal(store.count(configMaps), 0);
});

test("store refuses to create what is there, and to change what is not", () => {
  using store = createStore();
  store.create(configMaps, keyOf("a"), configMapDraft("a"));
  assert.throws(() => store.create(configMaps, keyOf("a"), configMapDraft("a")), { code: "AlreadyExists" });
  assert.throws(() => store.replace(configMaps, keyOf("b"), configMapDraft("b")), { code: "NotFound" });
  assert.throws(() => store.remove("/secrets", keyOf("a")), { code: "NotFound" });
  assert.equal(store.version, 2);
});

test("store lists from a key on, in order", () => {
  using store = createStore();
  for (const name of ["c", "a", "b"]) store.create(configMaps, keyOf(name), configMapDraft(name));
  assert.deepEqual(told(store.list(configMaps, keyOf("b"))), ["b=@4", "c=@2"]);
  assert.deepEqual(told(store.list(configMaps, `${keyOf("b")}\u0000`)), ["c=@2"]);
});

test("store tells a watch what has been since its version, and then each change in its tick", () => {
  using store = createStore();
  store.create(configMaps, keyOf("a"), configMapDraft("a"));
  store.replace(configMaps, keyOf("a"), configMapDraft("a", 1));
  store.create("/secrets", keyOf("a"), configMapDraft("a"));
  const events = heard(store, 2);
  assert.deepEqual(events, ["MODIFIED n/a @3 was @2"]);
  store.remove(configMaps, keyOf("a"));
  assert.deepEqual(events, ["MODIFIED n/a @3 was @2", "DELETED n/a @5 was @3"]);
  const all: string[] = [];
  store.watch(undefined, 0, ({ resource }) => all.push(resource));
  assert.deepEqual(all, ["/configmaps", "/configmaps", "/secrets", "/configmaps"]);
});

test("store tells a watch that was disposed of nothing more, also from within another one", () => {
  using store = createStore();
  const events: string[] = [];
  store.watch(configMaps, 1, () => second[Symbol.dispose]());
  const second = store.watch(configMaps, 1, (change) => events.push(say(change)));
  store.create(configMaps, keyOf("a"), configMapDraft("a"));
  assert.deepEqual(events, []);
});

test("store forgets changes at a compaction, and keeps the objects", () => {
  using store = createStore();
  for (const name of ["a", "b", "c"]) store.create(configMaps, keyOf(name), configMapDraft(name));
  store.compact(3);
  assert.equal(store.compacted, 3);
  assert.deepEqual(heard(store, 0), ["ADDED n/c @4"]);
  store.compact();
  assert.equal(store.compacted, 4);
  assert.deepEqual(heard(store, 0), []);
  store.compact(2);
  assert.equal(store.compacted, 4, "what is forgotten does not come back");
  assert.equal(store.count(configMaps), 3);
});

test("store forgets the oldest changes by itself when there are too many", () => {
  using store = createStore({ historyLimit: 20 });
  for (let index = 0; index < 100; index += 1) {
    store.create(configMaps, keyOf(`${index}`), configMapDraft(`${index}`));
    const kept = heard(store, store.compacted).length;
    assert.ok(kept <= 20, "no more than that many are kept");
    assert.equal(kept, index < 20 ? index + 1 : store.version - store.compacted);
  }
  assert.ok(heard(store, store.compacted).length >= 18, "a tenth goes at a time");
});

test("store goes to another state, in a new epoch and without a history", () => {
  using store = createStore();
  store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  const state = structuredClone(store.state());
  store.replace(configMaps, keyOf("a"), configMapDraft("a", 2));
  store.create("/secrets", keyOf("b"), configMapDraft("b"));
  const events = heard(store, store.version);
  store.restore(state);
  assert.equal(store.epoch, 1);
  assert.deepEqual([store.version, store.compacted], [2, 2]);
  assert.deepEqual(told(store.list(configMaps)), ["a=1@2"]);
  assert.equal(store.count("/secrets"), 0);
  assert.deepEqual(events, [], "nobody is told of it");
  store.create(configMaps, keyOf("c"), configMapDraft("c"));
  assert.deepEqual(events, ["ADDED n/c @3"]);
});

/** Refuses what it is told to refuse. */
function journalOf(state: StoreState, refuse: () => boolean = () => false): Journal & { readonly recorded: string[] } {
  const recorded: string[] = [];
  return {
    recorded,
    load: () => state,
    record(change): void {
      if (refuse()) throw new Error("the disk is full");
      recorded.push(`${change.type} ${change.key} @${change.version}`);
    },
    reset({ version }): void {
      recorded.push(`reset @${version}`);
    },
    [Symbol.dispose](): void {
      recorded.push("closed");
    },
  };
}

test("store begins with what its journal has kept, and hands it every change", () => {
  const journal = journalOf({ version: 7, objects: [] });
  {
    using store = createStore({ journal });
    assert.deepEqual([store.version, store.compacted], [7, 7]);
    store.create(configMaps, keyOf("a"), configMapDraft("a"));
    store.restore({ version: 3, objects: [] });
  }
  assert.deepEqual(journal.recorded, ["ADDED n/a @8", "reset @3", "closed"]);
});

test("store changes nothing and tells nobody when its journal refuses", () => {
  let isFull = false;
  using store = createStore({ journal: journalOf({ version: 1, objects: [] }, () => isFull) });
  store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  const events = heard(store, store.version);
  isFull = true;
  assert.throws(() => store.replace(configMaps, keyOf("a"), configMapDraft("a", 2)), /the disk is full/);
  assert.throws(() => store.remove(configMaps, keyOf("a")), /the disk is full/);
  assert.throws(() => store.create(configMaps, keyOf("b"), configMapDraft("b")), /the disk is full/);
  assert.deepEqual(told(store.list(configMaps)), ["a=1@2"]);
  assert.equal(store.version, 2);
  assert.deepEqual(events, []);
});

const write = fc.record(
  {
    name: fc.constantFrom("a", "b", "c", "d"),
    resource: fc.constantFrom("/configmaps", "/secrets"),
    remove: fc.boolean(),
  },
  { noNullPrototype: true },
);

test("store lists at a version what its list was at that version", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 40 }), fc.nat(20), (writes, compactTo) => {
      using store = createStore();
      const lists = new Map<number, readonly string[]>([[store.version, []]]);
      for (const [index, { name, resource, remove }] of writes.entries()) {
        const key = keyOf(name);
        const isThere = store.get(resource, key) !== undefined;
        if (remove && isThere) store.remove(resource, key);
        else if (isThere) store.replace(resource, key, configMapDraft(name, index));
        else store.create(resource, key, configMapDraft(name, index));
        lists.set(store.version, told(store.list(configMaps)));
      }
      store.compact(compactTo);
      for (const [version, list] of lists) {
        if (version >= store.compacted) assert.deepEqual(told(store.listAt(configMaps, version)), list);
      }
    }),
  );
});

test("store leads whoever follows its changes from any version to the same objects", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 40 }), fc.nat(40), (writes, since) => {
      using store = createStore();
      const mirror = new Map<string, string>();
      const follow = (change: Change): void => {
        if (change.type === "DELETED") mirror.delete(change.key);
        else mirror.set(change.key, told([change.object])[0] ?? "");
      };
      for (const [index, { name, resource, remove }] of writes.entries()) {
        if (index === since) {
          for (const object of store.list(configMaps)) mirror.set(keyOf(object.metadata.name), told([object])[0] ?? "");
          store.watch(configMaps, store.version, follow);
        }
        const key = keyOf(name);
        const isThere = store.get(resource, key) !== undefined;
        if (remove && isThere) store.remove(resource, key);
        else if (isThere) store.replace(resource, key, configMapDraft(name, index));
        else store.create(resource, key, configMapDraft(name, index));
      }
      if (since < writes.length)
        assert.deepEqual([...mirror.values()].sort(), [...told(store.list(configMaps))].sort());
    }),
  );
});
