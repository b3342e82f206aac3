import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { ObjectEvent } from "../event/source-event.ts";
import type { KubeObject } from "../wire/object.ts";
import { createStore, type Store } from "./store.ts";

interface Thing extends KubeObject {
  readonly colour?: string;
}

const thing = (
  name: string,
  resourceVersion: string,
  more: { readonly uid?: string; readonly colour?: string } = {},
): Thing => {
  const { uid = `uid-${name}`, colour } = more;
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name, uid, resourceVersion },
    ...(colour !== undefined && { colour }),
  };
};

function setUp(): { readonly store: Store<Thing>; readonly events: () => readonly string[] } {
  const events: string[] = [];
  const publish = (event: ObjectEvent<Thing>): void => {
    const { name, uid, resourceVersion } = event.object.metadata;
    const notes =
      event.type === "create" && event.inInitialList
        ? " initial"
        : event.type === "delete" && event.stateUnknown
          ? " unknown"
          : "";
    events.push(`${event.type} ${name} ${uid}@${resourceVersion}${notes}`);
  };
  return { store: createStore<Thing>({ publish, isEqual: isDeepStrictEqual }), events: () => events.splice(0) };
}

const later = { newEpoch: false, initial: false };

test("store tells what a list changes: deletes first, recreated objects as two events, nothing for equal versions", () => {
  const { store, events } = setUp();
  store.replace([thing("a", "1"), thing("b", "2"), thing("c", "3"), thing("d", "4")], {
    newEpoch: false,
    initial: true,
  });
  assert.equal(events().length, 4);
  store.replace(
    [thing("a", "1", { colour: "red" }), thing("c", "9"), thing("d", "8", { uid: "uid-new" }), thing("e", "7")],
    later,
  );
  assert.deepEqual(events(), [
    "delete b uid-b@2 unknown",
    "update c uid-c@9",
    "delete d uid-d@4 unknown",
    "create d uid-new@8",
    "create e uid-e@7",
  ]);
  // A list is the truth: it may bring an older version back.
  store.replace([thing("c", "3")], later);
  assert.equal(store.get("c")?.metadata.resourceVersion, "3");
});

test("store looks at content when versions began anew", () => {
  const { store, events } = setUp();
  store.replace([thing("a", "1", { colour: "red" }), thing("b", "2")], later);
  events();
  store.replace([thing("a", "1", { colour: "blue" }), thing("b", "2")], { newEpoch: true, initial: false });
  assert.deepEqual(events(), ["update a uid-a@1"]);
  assert.equal(store.get("a")?.colour, "blue");
});

// B84
test("store ignores events that are older than what it has, and compares only decimal versions", () => {
  const { store, events } = setUp();
  store.put(thing("a", "12"));
  store.put(thing("a", "11"));
  store.put(thing("a", "12"));
  store.put(thing("a", "9", { uid: "uid-before" }));
  store.remove(thing("a", "11"));
  assert.deepEqual(events(), ["create a uid-a@12"]);
  store.put(thing("a", "x-2"));
  store.put(thing("a", "x-1"));
  assert.deepEqual(events(), ["update a uid-a@x-2", "update a uid-a@x-1"]);
  store.remove(thing("a", "x-3"));
  store.remove(thing("a", "x-4"));
  assert.deepEqual(events(), ["delete a uid-a@x-3"]);
  assert.equal(store.size, 0);
});

test("store takes another uid for another object", () => {
  const { store, events } = setUp();
  store.put(thing("a", "1"));
  store.put(thing("a", "2", { uid: "uid-2" }));
  store.remove(thing("a", "4", { uid: "uid-3" }));
  assert.deepEqual(events(), [
    "create a uid-a@1",
    "delete a uid-a@1 unknown",
    "create a uid-2@2",
    "delete a uid-2@2 unknown",
  ]);
});

test("store keeps its indexes in step, whatever the index functions do", () => {
  const { store } = setUp();
  let breaks = false;
  const colours = ({ colour }: Thing): readonly string[] => {
    if (breaks) throw new Error("broken");
    return colour === undefined ? [] : [colour, "any", "any"];
  };
  store.put(thing("a", "1", { colour: "red" }));
  assert.equal(store.addIndex("colour", colours), true);
  assert.equal(store.addIndex("colour", colours), true);
  assert.equal(
    store.addIndex("colour", () => []),
    false,
  );
  store.put(thing("b", "2", { colour: "red" }));
  store.put(thing("c", "3"));
  const names = (value: string): string =>
    (store.list(["colour", value]) ?? []).map(({ metadata }) => metadata.name).join();
  assert.deepEqual([names("red"), names("any"), names("blue")], ["a,b", "a,b", ""]);
  store.put(thing("a", "4", { colour: "blue" }));
  store.remove(thing("b", "5"));
  assert.deepEqual([names("red"), names("any"), names("blue")], ["", "a", "a"]);
  breaks = true;
  assert.throws(() => store.put(thing("a", "6", { colour: "green" })), /broken/);
  breaks = false;
  assert.equal(store.get("a")?.colour, "blue");
  assert.equal(names("blue"), "a");
  assert.equal(store.list(["none", "x"]), undefined);
});

// B71
test("store looks at each object of a list as often in a long list as in a short one", () => {
  const visits = (count: number): number => {
    let looks = 0;
    const { store } = setUp();
    const objects = Array.from({ length: count }, (_, i) => {
      const { metadata, ...rest } = thing(`o-${i}`, String(i + 1));
      return Object.defineProperty(rest, "metadata", {
        enumerable: true,
        get() {
          looks += 1;
          return metadata;
        },
      }) as Thing;
    });
    store.addIndex("all", () => ["all"]);
    store.replace(objects, { newEpoch: false, initial: true });
    for (const each of objects) store.get(each.metadata.name);
    store.replace(objects, later);
    for (const each of objects) store.put(each);
    assert.equal(store.size, count);
    return looks / count;
  };
  const few = visits(20_000);
  assert.equal(few, visits(40_000));
  assert.ok(few < 25, `${few} visits an object`);
});
