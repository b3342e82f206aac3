import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectEvent } from "../event/source-event.ts";
import type { KubeObject } from "../wire/object.ts";
import { createPendingEvents } from "./pending-events.ts";

const object = (uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: uid.slice(0, 1), uid, resourceVersion },
});
const create = (uid: string, version: string): ObjectEvent<KubeObject> => ({
  type: "create",
  object: object(uid, version),
  inInitialList: true,
});
const update = (uid: string, from: string, to: string): ObjectEvent<KubeObject> => ({
  type: "update",
  oldObject: object(uid, from),
  object: object(uid, to),
});
const remove = (uid: string, version: string): ObjectEvent<KubeObject> => ({
  type: "delete",
  object: object(uid, version),
  stateUnknown: false,
});

function describe(event: ObjectEvent<KubeObject>): string {
  const { uid, resourceVersion } = event.object.metadata;
  const from = event.type === "update" ? `${event.oldObject.metadata.resourceVersion}-` : "";
  return `${event.type} ${uid}@${from}${resourceVersion}`;
}

async function take(events: AsyncIterable<ObjectEvent<KubeObject>>, count: number): Promise<readonly string[]> {
  const iterator = events[Symbol.asyncIterator]();
  const taken: string[] = [];
  while (taken.length < count) {
    const next = await iterator.next();
    if (next.done) break;
    taken.push(describe(next.value));
  }
  return taken;
}

test("pending events merge per uid, keep their order, and never merge two objects of one name", async () => {
  const events = createPendingEvents<KubeObject>(() => {});
  for (const event of [
    create("a1", "1"),
    update("b1", "1", "2"),
    update("a1", "1", "3"),
    update("b1", "2", "4"),
    create("c1", "5"),
    remove("c1", "6"),
    update("d1", "1", "7"),
    remove("d1", "8"),
    create("d2", "9"),
    update("e1", "1", "10"),
  ]) {
    events.add(event);
  }
  assert.equal(events.size, 6);
  assert.deepEqual(await take(events, 6), [
    "create a1@3",
    "update b1@1-4",
    "delete c1@6",
    "delete d1@8",
    "create d2@9",
    "update e1@1-10",
  ]);
  events.add(update("a1", "3", "11"));
  assert.deepEqual(await take(events, 1), ["update a1@3-11"]);
});

test("pending events put an object that came back behind the one that had its name meanwhile", async () => {
  const events = createPendingEvents<KubeObject>(() => {});
  for (const event of [remove("a1", "2"), create("a2", "3"), remove("a2", "4"), create("a1", "5")]) events.add(event);
  assert.deepEqual(await take(events, 2), ["delete a2@4", "create a1@5"]);
});

test("pending events reach readers that wait, frozen, in turn", async () => {
  const events = createPendingEvents<KubeObject>(() => {});
  const iterator = events[Symbol.asyncIterator]();
  const waits = [iterator.next(), iterator.next(), iterator.next()];
  events.add(update("a", "1", "2"));
  events.add(update("b", "1", "2"));
  const [first, second] = await Promise.all(waits.slice(0, 2));
  assert.ok(!first?.done && first?.value.type === "update" && !second?.done);
  assert.equal(second?.value.object.metadata.uid, "b");
  assert.ok(Object.isFrozen(first.value.object.metadata) && Object.isFrozen(first.value.oldObject.metadata));
  events.close();
  assert.equal((await waits[2])?.done, true);
});

test("pending events end once, whether closed or left", async () => {
  let closed = 0;
  const events = createPendingEvents<KubeObject>(() => {
    closed += 1;
  });
  events.add(create("a", "1"));
  events.add(create("b", "1"));
  for await (const event of events) {
    assert.equal(describe(event), "create a@1");
    break;
  }
  events.add(create("c", "1"));
  events.close();
  assert.equal(closed, 1);
  assert.equal(events.size, 0);
  assert.deepEqual(await take(events, 1), []);
});

// Promise 8
test("pending events tell of no update that leads back to the state that was told before", async () => {
  const events = createPendingEvents<KubeObject>(() => {});
  events.add(update("a1", "1", "2"));
  events.add(update("b1", "1", "2"));
  events.add(update("a1", "2", "1"));
  assert.equal(events.size, 1);
  events.add(update("a1", "1", "3"));
  assert.deepEqual(await take(events, 2), ["update b1@1-2", "update a1@1-3"]);
});
